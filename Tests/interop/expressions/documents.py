"""The forms, answers and lists that expressions are evaluated with."""

from xml.sax.saxutils import escape

TYPES = {"n": "int", "f": "decimal", "s": "string", "d": "date", "t": "dateTime", "g": "geopoint", "p": "geoshape"}


def group(name, *children, hidden=False):
    return (name, None, list(children), hidden)


def answers(words, numbers, dates, place, shape, visits):
    """The fields of one entry: `visits` are lists of (number, name, items)."""
    fields = [("name", "s", words[0]), ("words", "s", words[1]), ("code", "s", words[2]), ("blank", "s", ""),
              ("age", "n", numbers[0]), ("zero", "n", "0"), ("nothing", "n", ""), ("weight", "f", numbers[1]),
              ("price", "f", numbers[2]), ("born", "d", dates[0]), ("never", "d", ""), ("start", "t", dates[1]),
              ("color", "s", words[3]), ("fruits", "s", words[4]), ("place", "g", place), ("plot", "p", shape)]
    repeats = [group("visit", ("n", "n", n), ("who", "s", who), *(group("item", ("q", "n", q)) for q in items))
               for n, who, items in visits]
    return group("data", *fields, group("g", ("a", "n", numbers[3]), ("b", "s", words[0])),
                 group("secret", ("x", "s", "hidden"), ("y", "n", "5"), hidden=True), *repeats, ("last", "s", ""))


DOCUMENTS = [
    answers(["Ana", "abc def", "A-12", "red", "apple pear fig"], ["34", "71.25", "0.1", "7"],
            ["1990-05-17", "2024-03-01T22:15:30.250+05:30"], "12.5 77.25 900 4.5",
            "12.5 77.25 0 0; 12.6 77.25 0 0; 12.6 77.4 0 0; 12.5 77.25 0 0",
            [("1", "Bo", ["10", "20"]), ("2", "Cy", ["30"]), ("5", "", [])]),
    answers(["", "", "", "", ""], ["", "", "", ""], ["", ""], "", "", [("", "", [""])]),
    answers(["Ñandú 😀", "two  spaces", "007", "blue", "fig"], ["-7", "-0.004", "12345678.9", "-1"],
            ["2024-02-29", "1969-12-31T23:59:59.999Z"], "-1.25 -179.5 0 0",
            "0 0 0 0; 0 1 0 0; 1 1 0 0; 0 0 0 0", [("-3", "x y", ["0"]), ("8", "12", ["1", "", "3"])]),
]

TOWNS = [("t1", "North Port", "north", "1200"), ("t2", "Nordby", "north", "85"), ("t3", "Southam", "south", "40000"),
         ("t4", "O'Hara", "south", ""), ("t5", "Åby", "", "7")]
LIST = group("root", *(group("item", *zip(("name", "label", "region", "pop"), "ssss", town)) for town in TOWNS))


def instance(node, indent=""):
    name, kind, content = node[0], node[1], node[2]
    if kind:
        return f"{indent}<{name}>{escape(content)}</{name}>\n"
    identity = ' id="expressions"' if name == "data" else ""
    return f"{indent}<{name}{identity}>\n" + "".join(instance(child, indent + " ") for child in content) + f"{indent}</{name}>\n"


def binds(node, path, seen):
    path = f"{path}/{node[0]}"
    if path in seen:
        return ""
    if node[1]:
        seen.add(path)
        return f'<bind nodeset="{path}" type="{TYPES[node[1]]}"/>\n'
    hidden = f'<bind nodeset="{path}" relevant="false()"/>\n' if node[3] else ""
    return hidden + "".join(binds(child, path, seen) for child in node[2])


def xform(document):
    """The form with its answers, as JavaRosa reads it."""
    return f"""<h:html xmlns="http://www.w3.org/2002/xforms" xmlns:h="http://www.w3.org/1999/xhtml">
<h:head><h:title>Expressions</h:title><model><instance>
{instance(document)}</instance><instance id="town">
{instance(LIST)}</instance>
<bind nodeset="/data/last" calculate="if(false(), instance('town')/root/item/name, '')"/>
{binds(document, "", {"/data/last"})}</model></h:head>
<h:body><input ref="/data/name"><label>Name</label></input>
<group ref="/data/visit"><label>Visit</label><repeat nodeset="/data/visit">
<input ref="/data/visit/n"><label>N</label></input>
<group ref="/data/visit/item"><label>Item</label><repeat nodeset="/data/visit/item">
<input ref="/data/visit/item/q"><label>Q</label></input></repeat></group></repeat></group></h:body></h:html>
"""


def rows(node, depth=0):
    """The lines of a table that describe a document: depth, name, kind, value."""
    name, kind, content = node[0], node[1], node[2]
    if kind:
        yield f"n\t{depth}\t{name}\t{kind}\t{content}"
        return
    yield f"n\t{depth}\t{name}\t{'hidden' if node[3] else 'repeat' if name in ('visit', 'item') else 'group'}\t"
    for child in content:
        yield from rows(child, depth + 1)
