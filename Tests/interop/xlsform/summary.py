#!/usr/bin/python3
"""Prints what an XForm means, a line for each fact, so that two of them can be compared.

summary.py FORM.xml             prints the lines
summary.py FORM.xml LINES.txt   compares them with those of a file; exit 1 where they differ

White space that does not count is one space, bent quotes are straight, and what says nothing
(readonly="false()", an empty label) is left out. Of Debian's python3 alone.
"""

import re
import sys
import xml.etree.ElementTree as ET

PREFIXES = {
    "http://www.w3.org/2002/xforms": "",
    "http://www.w3.org/1999/xhtml": "h:",
    "http://www.w3.org/2001/xml-events": "ev:",
    "http://openrosa.org/javarosa": "jr:",
    "http://openrosa.org/xforms": "orx:",
    "http://www.opendatakit.org/xforms": "odk:",
    "http://www.opendatakit.org/xforms/entities": "entities:",
}
CONTROLS = {"input", "select1", "select", "upload", "trigger", "range", "odk:rank", "secret"}
ACTIONS = {"setvalue", "odk:setgeopoint", "odk:recordaudio"}


def name(tag):
    match = re.match(r"\{(.*)\}(.*)", tag)
    return PREFIXES.get(match[1], match[1] + " ") + match[2] if match else tag


def plain(text):
    text = (text or "").translate(str.maketrans("\u2018\u2019\u201c\u201d\xa0", "''\"\" "))
    return re.sub(r"\s+", " ", text).strip()


def expression(text):
    """An expression without spaces beside its signs."""
    return re.sub(r"\s*([\[\](),=<>!+*])\s*", r"\1", plain(text))


def attributes(element):
    kept = sorted((name(key), expression(value)) for key, value in element.attrib.items())
    silent = {("readonly", "false()"), ("required", "false()")}
    return "".join(f" {key}=[{value}]" for key, value in kept if (key, value) not in silent)


def content(element):
    """The text of a label, with the answers in it."""
    parts = [element.text or ""]
    for child in element:
        parts.append("{" + expression(child.get("value")) + "}" + (child.tail or ""))
    return plain("".join(parts))


def instance(element, path, lines):
    path += "/" + name(element.tag)
    text = plain(element.text)
    lines.append(f"node {path}{attributes(element)}" + (f" = {text}" if text else ""))
    for child in element:
        instance(child, path, lines)


def control(element, lines, depth):
    tag = name(element.tag)
    pad = "  " * depth
    if tag in ACTIONS:
        lines.append(f"{pad}{tag}{attributes(element)}")
        return
    lines.append(f"{pad}{tag}{attributes(element)}")
    for child in element:
        inner = name(child.tag)
        if inner in ("label", "hint"):
            said = attributes(child) + (" " + content(child)).rstrip()
            if said:
                lines.append(f"{pad}  {inner}{said}")
        elif inner == "itemset":
            refs = " ".join(f"{name(part.tag)}={part.get('ref')}" for part in child)
            lines.append(f"{pad}  itemset{attributes(child)} {refs}")
        elif inner == "item":
            said = "; ".join(name(p.tag) + attributes(p) + " " + content(p) for p in child)
            lines.append(f"{pad}  item {said}")
        elif inner in CONTROLS | ACTIONS | {"group", "repeat"}:
            control(child, lines, depth + 1)


def summary(path):
    root = ET.parse(path).getroot()
    head, body = list(root)
    lines = [f"title {plain(head[0].text)}", f"body{attributes(body)}"]
    model = head[1]
    lines.append(f"model{attributes(model)}")
    rules, others, texts, first = [], [], [], True
    for element in model:
        tag = name(element.tag)
        if tag == "instance" and first:
            first = False
            instance(element[0], "", lines)
        elif tag == "instance":
            others.append(f"instance{attributes(element)}")
            for item in element.iter():
                if name(item.tag) == "item":
                    cells = ", ".join(f"{name(c.tag)}={plain(c.text)}" for c in item)
                    others.append(f"  {element.get('id')}: {cells}")
        elif tag == "itext":
            for language in element:
                code = language.get("lang") + (" *" if language.get("default") else "")
                for text in language:
                    for value in text:
                        texts.append(
                            f"text {text.get('id')} [{code}]{attributes(value)} {content(value)}")
        else:
            said = attributes(element)
            if tag != "bind" or " " in said[1:]:
                rules.append(tag + said)
    # A stable sort by list keeps the order of choices and not that of lists.
    lines += sorted(rules) + sorted(texts)
    lines += sorted(others, key=lambda line: line.split(":")[0] if line[0] == " " else line)
    for element in body:
        control(element, lines, 0)
    return lines


def main():
    lines = summary(sys.argv[1])
    if len(sys.argv) < 3:
        print("\n".join(lines))
        return 0
    with open(sys.argv[2], encoding="utf-8") as file:
        expected = file.read().splitlines()
    if lines == expected:
        return 0
    import difflib

    print("\n".join(difflib.unified_diff(expected, lines, "expected", "found", lineterm="", n=0)))
    return 1


if __name__ == "__main__":
    sys.exit(main())
