#!/usr/bin/env python3
"""Makes tables of expressions and their values, from JavaRosa and from libxml2.

    check.py javarosa --jar ODK_Validate.jar --table FILE [--seed N] [--trees N] [--pairs N] [--sample N]
    check.py libxml2 --table FILE [--seed N] [--trees N]

The README beside this file says where the jar comes from, and which differences are intended.
"""

import argparse
import collections
import html
import pathlib
import random
import re
import struct
import subprocess
import tempfile

import documents
import generate

HERE = pathlib.Path(__file__).resolve().parent
ZONE = 330  # minutes ahead of UTC, "Asia/Kolkata": no summer time, and not a whole hour


def escape(text):
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r")


def number(bits):
    value = struct.unpack(">d", int(bits, 16).to_bytes(8, "big"))[0]
    return {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}.get(repr(value), repr(value))


def intended(expression, kind, value):
    """The name of the intended difference that an expression runs into, if it does."""
    if kind == "n" and value.lstrip("-") in ("5e-324", "1.7976931348623157e+308"):
        return "max of negative numbers, min of infinity"
    if re.search(r"round\(.*, ('|\()*(date\()?(-|\.|/data)", expression):
        return "rounding to tens"
    if kind == "d" and abs(int(value) - 3e13) > 2e14 or "date" in expression and re.search(r"2147483|3000000000", expression):
        return "dates before the Gregorian calendar or far away"
    if expression.startswith("regex(") and re.search(r"\\b", expression, re.IGNORECASE) and not expression.isascii():
        return "limits of words beyond ASCII, which differ between releases of Java"
    if re.match(r"count\(\${(visit|item)}\[\${", expression):
        return "`${name}` in a condition of a repeat, from inside the repeat"
    if "count-non-empty(instance" in expression:
        return "count-non-empty of a list"
    if kind == "s" and "?" in value and "?" not in expression:
        return "half of a character beyond the basic plane"
    if expression in ("true() or error()", "@x") or "\\1" in expression:
        return "not supported: an unknown function that is not reached, an attribute, a backreference"
    return None


def evaluate(jar, cases, folder):
    """The answers of JavaRosa to (document, context, expression, expression without `${name}`)."""
    subprocess.run(["javac", "-encoding", "UTF-8", "-cp", jar, "-d", folder, HERE / "Oracle.java"], check=True)
    lines, last = [], None
    for document, context, _, expression in cases:
        if document != last:
            path = folder / f"form{document}.xml"
            path.write_text(documents.xform(documents.DOCUMENTS[document]), encoding="utf-8")
            lines.append(f"F\t{path}")
            last = document
        lines.append(f"E\t{context}\t{escape(expression)}")
    # British: weeks begin on Monday and the first one has four days, which is ISO 8601.
    java = ["java", "-Duser.timezone=Asia/Kolkata", "-Duser.language=en", "-Duser.country=GB", "-Xss8m",
            "-cp", f"{jar}:{folder}", "Oracle"]
    output = subprocess.run(java, input="\n".join(lines) + "\n", capture_output=True, text=True, encoding="utf-8")
    answers = [line for line in output.stdout.split("\n") if line[:1] in "nsbd!" and line[1:2] == "\t"]
    assert len(answers) == len(cases), (len(answers), len(cases), output.stderr[-2000:])
    return answers


def translated():
    """Expressions with `${name}`, in three places of the form: (context, expression, what pyxform makes of it)."""
    from pyxform.xls2xform import convert

    places = {"/data/last": "/data/at{}", "/data/visit[1]/n": "/data/visit/visit_at{}", "/data/visit[1]/item[1]/q": "/data/visit/item/item_at{}"}
    calculates = ["".join(f"| | calculate | {prefix}at{i} | | {expression} |\n" for i, expression in enumerate(generate.NAMED))
                  for prefix in ("", "visit_", "item_")]
    form = f"""
| survey |
| | type | name | label | calculation |
| | text | name | a | |
| | integer | age | a | |
| | begin group | g | a | |
| | integer | a | a | |
| | text | b | a | |
| | end group | | | |
| | begin group | secret | a | |
| | text | x | a | |
| | end group | | | |
| | begin repeat | visit | a | |
| | integer | n | a | |
| | text | who | a | |
| | begin repeat | item | a | |
| | integer | q | a | |
{calculates[2]}| | end repeat | | | |
{calculates[1]}| | end repeat | | | |
{calculates[0]}| | select_one town | t | a | |
| choices |
| | list_name | name | label | pop |
| | town | t1 | One | 1 |
"""
    xform = convert(xlsform=form).xform.replace('nodeset="/form_name/', 'nodeset="/data/').replace("/form_name", "/data")
    binds = dict(re.findall(r'<bind nodeset="([^"]+)" [^>]*calculate="([^"]*)"', xform))
    binds |= {path: text for text, path in re.findall(r'<bind calculate="([^"]*)" nodeset="([^"]+)"', xform)}
    for context, path in places.items():
        for index, expression in enumerate(generate.NAMED):
            yield context, expression, html.unescape(binds[path.format(index)])


def javarosa(options):
    chance = random.Random(options.seed)
    cases, seen = [], set()
    for document in range(len(documents.DOCUMENTS)):
        for expression in generate.expressions(options.seed + document, options.trees, options.pairs):
            contexts = generate.CONTEXTS if ".." in expression or "/visit" in expression else ["/data/age"]
            if "../.." in expression:
                contexts = generate.CONTEXTS[3:5]  # not above the root
            for context in contexts[:1] if len(contexts) == 1 else chance.sample(contexts, 2):
                if document == 1 and "visit[1]/item" in context:
                    continue
                if (document, context, expression) not in seen:
                    seen.add((document, context, expression))
                    cases.append((document, context, expression, expression))
    if options.sample:
        cases = chance.sample(cases, options.sample)
    cases += [(document, *case) for document in range(len(documents.DOCUMENTS)) for case in translated()]
    cases.sort(key=lambda case: case[0])
    with tempfile.TemporaryDirectory() as folder:
        answers = evaluate(options.jar, cases, pathlib.Path(folder))
    skipped = collections.Counter()
    rows = collections.defaultdict(list)
    for (document, context, expression, _), answer in zip(cases, answers):
        kind, value = answer.split("\t", 1)
        if kind == "n":
            value = number(value)
            if any(f"{name}(" in expression or f"{name}2(" in expression for name in generate.APPROXIMATE):
                kind = "a"
        reason = intended(expression, kind, value)
        if reason:
            skipped[reason] += 1
            continue
        rows[document].append(f"c\t{context}\t{escape(expression)}\t{kind}\t{'' if kind == '!' else value}")
    write(options.table, rows, "JavaRosa 5.1.0", skipped)


def libxml2(options):
    from lxml import etree

    rows = collections.defaultdict(list)
    skipped = collections.Counter()
    for document, content in enumerate(documents.DOCUMENTS):
        tree = etree.fromstring(documents.instance(content).encode()).getroottree()
        trees = generate.Core(options.seed + document)
        for _ in range(options.trees):
            expression = trees.value(trees.random.randint(1, 4))
            if " div " in expression and "= " in expression:
                skipped["infinity, which is not equal to itself in JavaRosa"] += 1
                continue
            if document == 2 and "string-length" in expression:
                skipped["length of characters beyond the basic plane, which count twice in JavaRosa"] += 1
                continue
            value = tree.getroot().xpath(expression)
            if isinstance(value, bool):
                kind, text = "b", str(value).lower()
            elif isinstance(value, float):
                kind, text = "n", number(struct.pack(">d", value).hex())
            else:
                kind, text = "s", escape(str(value))
            rows[document].append(f"c\t/data\t{escape(expression)}\t{kind}\t{text}")
    write(options.table, rows, "libxml2", skipped)


def write(table, rows, engine, skipped):
    count = sum(map(len, rows.values()))
    with open(table, "w", encoding="utf-8") as out:
        print(f"# {count} expressions with their values by {engine}; made by Tests/interop/expressions", file=out)
        print(f"zone\t{ZONE}", file=out)
        for document, cases in sorted(rows.items()):
            print("document", file=out)
            print("\n".join(documents.rows(documents.DOCUMENTS[document])), file=out)
            print("list\ttown", file=out)
            print("\n".join(documents.rows(documents.LIST)), file=out)
            print("\n".join(cases), file=out)
    print(f"{count} expressions in {table}")
    for reason, left in skipped.most_common():
        print(f"  {left:6}  left out: {reason}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("engine", choices=["javarosa", "libxml2"])
    parser.add_argument("--jar", help="ODK_Validate.jar")
    parser.add_argument("--table", required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--trees", type=int, default=1000)
    parser.add_argument("--pairs", type=int, default=1000)
    parser.add_argument("--sample", type=int, default=0)
    options = parser.parse_args()
    {"javarosa": javarosa, "libxml2": libxml2}[options.engine](options)
