"""Expressions: every function with values of every kind, and random trees of all of them."""

import random

LITERALS = ["''", "'a'", "'abc'", "'12'", "'-3.5'", "' 7 '", "'1e3'", "'0'", "'1,5'", "'.'", "'--1'", "'true'", "'TRUE'",
            "'2020-01-02'", "'2020-1-2'", "'2020-02-30'", "'2020-01-02T10:20:30.400+02:00'", "'2020-01-02T10:20'",
            "'2020-01-02T10:20:30Z'", "'a b c'", "'Ñandú 😀'", "'  x   y '"]
NUMBERS = ["0", "1", "2", "-1", "2.5", "-2.5", "0.1", "0.5", "-0.5", "1.005", "100", "1234567", "12345678.5", "123456789012",
           "0.001", "0.00099", "3000000000", "2147483647", "-2147483649", "1 div 3", "1 div 0", "-1 div 0", "0 div 0",
           "0.1 + 0.2", "1000000 * 1000000 * 1000000 * 1000000", "-0.0000001", "18321.5"]
OTHERS = ["true()", "false()", "date('2020-02-29')", "date-time('2020-02-29T23:30:00.000+05:30')",
          "date-time(18321.75)", "date(-1)"]
FIELDS = ["/data/name", "/data/words", "/data/code", "/data/blank", "/data/age", "/data/zero", "/data/nothing", "/data/weight",
          "/data/price", "/data/born", "/data/never", "/data/start", "/data/color", "/data/fruits", "/data/g/a", "/data/g/b",
          "/data/secret/x", "/data/secret/y", "/data/absent", "."]
NODES = ["/data/visit", "/data/visit/n", "/data/visit/who", "/data/visit/item/q", "/data/name", "/data/absent", "/data/secret/x",
         "/data/secret", "/data/visit[n > 1]/n", "/data/visit[who = 'Cy']/item/q", "/data/visit[position() = 2]/n",
         "/data/visit[position() < 3]/item[position() = 1]/q", "instance('town')/root/item", "instance('town')/root/item/pop",
         "instance('town')/root/item[region = 'north']/pop", "instance('town')/root/item[region = 'south'][pop = '']/label",
         "instance('town')/root/item[name = 't3']/label", "instance('town')/root/item[name = /data/absent]/label",
         "instance('town')/root/item[pop > 1000 and region != '']/label", "instance('town')/root/item[starts-with(label, 'No')]/name"]
VALUES = LITERALS + NUMBERS + OTHERS + FIELDS
CONTEXTS = ["/data/name", "/data/age", "/data/g/a", "/data/visit[1]/n", "/data/visit[1]/item[1]/q", "/data/last"]

UNARY = ["boolean", "not", "number", "int", "round", "string", "date", "date-time", "decimal-date-time", "decimal-time",
         "boolean-from-string", "abs", "sqrt", "string-length", "normalize-space", "count-selected", "sum", "count", "max", "min",
         "concat", "count-non-empty", "sin", "cos", "tan", "asin", "acos", "atan", "exp", "exp10", "log", "log10", "-"]
APPROXIMATE = ("sin", "cos", "tan", "exp", "exp10", "log", "log10", "pow", "atan", "atan2", "distance", "area")
BINARY = ["=", "!=", "<", "<=", ">", ">=", "+", "-", "*", "div", "mod", "and", "or"]
BINARY_CALLS = ["selected", "selected-at", "contains", "starts-with", "ends-with", "substring-before", "substring-after",
                "substr", "round", "coalesce", "concat", "join", "min", "max", "pow", "atan2"]
FORMATS = ["%Y-%m-%d", "%e/%n/%y", "%H:%M:%S.%3", "%h %a %b", "%W", "100%%", "%Y %q", "%", ""]
PATTERNS = ["[0-9]{2}", "^[A-Z]-\\d+$", "\\d*", "a|abc", "(a|b)*c?", "[^ ]+ [^ ]+", ".*", ".+", "\\w+", "\\p{L}+", "\\p{Lu}\\p{Ll}*.*",
            "(?i)ABC", "-?\\d+(\\.\\d+)?", "[a-z ]{1,4}", "\\s*\\S+\\s*", "(ab?c?){1,2}", "[\\d,.-]+", "^$", "(true|false)", "[a-c]+?",
            "(?:x|12|A-12)", "\\bAna\\b", "[\\w-]+", "\\D+", "[^\\d]*", "(a*)*", "(a|aa)+", "\\x41na", "[A-\\x5A].*", "a{0}b*.*",
            "\\p{Punct}*", "[\\p{L} ]+.?", "\\P{L}*"]
RELATIVE = ["..", "../name", "../../name", "../n", "../../visit/n", "../../data/age", "current()/../n", "./n", "../item/q", "../../n",
            "../../visit[n = current()/../n]/who", "/data/visit/n", "/data/visit/item/q", "../../visit/item/q", "../../g/b"]


NAMED = ["${n}", "${who}", "${name}", "${q}", "${b}", "${x}", "sum(${n})", "sum(${q})", "count(${q})", "count(${item})", "max(${q})",
         "join(' ', ${who})", "concat(${who}, ${n})", "${visit}/n", "sum(${visit}/n)", "sum(${item}/q)", "count(${visit})",
         "count(${visit}[who = 'Cy'])", "count(${visit}[./n > ${age}])", "count(${visit}[n > 1 and who != ${name}])",
         "instance('town')/root/item[pop > ${age}][1 = 1]/name = 't1'", "count(instance('town')/root/item[pop > ${n}])",
         "indexed-repeat(${who}, ${visit}, 2)", "indexed-repeat(${who}, ${visit}, 1)", "indexed-repeat(${q}, ${visit}, 1, ${item}, 2)",
         "indexed-repeat(${who}, ${visit}, position(..))", "indexed-repeat(${name}, ${visit}, 1)", "position(..)",
         "if(${n} > 1, ${who}, ${name})", "${a} + ${age}", "count(${visit}[${n} > 1])", "count(${item}[${q} > 15])",
         "sum(${item}[q > 15]/q)", "once(${who})", "count(${item}[../who = 'Bo'])"]


def tables():
    """Every function and operator with values of every kind."""
    for name in UNARY:
        for value in VALUES + NODES:
            yield f"{name}({value})"
    for value in VALUES:
        yield value
        yield f"string({value} * 1)"
        for places in ["0", "1", "2", "3", "-1", "40", "'1'"]:
            yield f"round({value}, {places})"
        for form in FORMATS:
            yield f"format-date({value}, '{form}')"
            yield f"format-date-time({value}, '{form}')"
        for start, end in [("0", "2"), ("1", "3"), ("-2", "5"), ("0", "-1"), ("3", "1"), ("1.9", "2.9"), ("'a'", "9")]:
            yield f"substr({value}, {start}, {end})"
        for old, new in [("'abc'", "'ABC'"), ("'a 1'", "'b'"), ("''", "'x'"), ("'ñú'", "'nu'")]:
            yield f"translate({value}, {old}, {new})"
        for pattern in PATTERNS:
            yield f"regex({value}, '{pattern}')"
        yield f"if({value}, 'yes', 'no')"
        yield f"once({value})"
    for path in NODES + RELATIVE:
        yield path
        for name in ["count", "sum", "max", "min", "concat", "count-non-empty", "position", "string", "number", "boolean"]:
            yield f"{name}({path})"
        yield f"join(', ', {path})"
        yield f"selected({path}, 'Cy')"
        yield f"{path} = 'Bo'"
        yield f"{path} > 1"
    for count in ["1", "2", "0", "3", "'2'", "''"]:
        yield f"indexed-repeat(/data/visit/n, /data/visit, {count})"
        yield f"indexed-repeat(/data/visit/item/q, /data/visit, {count}, /data/visit/item, 1)"
        yield f"indexed-repeat(/data/visit/item/q, /data/visit, 1, /data/visit/item, {count})"
        yield f"indexed-repeat(/data/visit/item/q, /data/visit, {count})"
        yield f"indexed-repeat(/data/name, /data/visit, {count})"
    points = ["/data/place", "'0 0 0 0'", "'0 1 0 0'", "'1.5 -3 0 0'", "'x'", "''", "'90 0'", "/data/blank"]
    for one in points:
        for other in points:
            yield f"distance({one}, {other})"
        yield f"distance({one})"
        yield f"geofence({one}, /data/plot)"
    for path in ["/data/plot", "/data/place", "/data/visit/who", "/data/blank"]:
        yield f"area({path})"
        yield f"enclosed-area({path})"
        yield f"distance({path})"
    yield from ["position()", "position(..)", "position(../..)", "pi()", "today() > date('2020-01-01')", "now() >= today()",
                "decimal-date-time(now()) > 18000", "random() < 1", "string-length(uuid())", "string-length(uuid(7))", "coalesce('', 'x')",
                "concat()", "if(true(), 1 div 0, 'x')", "true() or error()", "-(-3)", "--3", "2 * -3", "1 - -1", "7-2", "- 2 + 3",
                "3 mod 2 div 2", "2 + 3 * 4 - 1", "1 < 2 = true()", "1 = 1 = 1", "1 or 0 and 0", "not(1) or 1", "(1 + 2) * 3", "'a' 'b'",
                "1 +", "(1", "1)", "f(", "[1]", "a[", "/data/", "//name", "@x", "..[1]", "1 2", "if(1, 2)", "nosuch()", "string-length()",
                "normalize-space()", "regex('a', '[')", "regex('aa', '(a)\\1')", "selected(1, '1')", "selected('1', 1)", "count(1)", "sum('a')",
                "max()", "min()", "join()", "1 = = 2", "a and", "div", "/data", ".", "..", "./.", "a.b-c", "$x", "1 | 2", "#", "!"]


class Core:
    """Random expressions of XPath 1.0 whose meaning is the same in every engine: one node where a value is wanted, no
    fractions as texts, no exponents, and sums of numbers alone."""

    TEXTS = ["''", "'a'", "'abc'", "'Ñandú'", "'  x   y '", "'12'", "'-3.5'", "'.'", "'a b c'",
             *(f"string({path})" for path in [
                 "/data/name", "/data/words", "/data/blank", "/data/fruits", "/data/visit[1]/who", "/data/visit[last()]/who",
                 "/data/visit[n > 4]/n", "/data/absent", "/data/visit[1]/item[last()]/q", "*[1]", "./g/b",
                 "/data/visit[position() = 2]/item[1]/q"])]
    NUMBERS = ["0", "1", "2", "3", "-1", "2.5", "-2.5", "0.5", "-0.5", "1.75", "100", "1 div 0", "-1 div 0", "0 div 0", ".5", "7.",
               "number(/data/age)", "number(/data/g/a)", "number(/data/nothing)", "count(/data/visit)", "count(/data/g/*)",
               "count(visit/item/q)", "count(/data/visit[2]/item)", "sum(/data/visit[1]/item[q > 0]/q)", "count(visit[n = 2])",
               "count(visit[last()])", "count(/data/visit[item][position() < 3])"]

    def __init__(self, seed):
        self.random = random.Random(seed)

    def value(self, depth):
        return self.random.choice([self.number, self.text, self.truth])(depth)

    def number(self, depth):
        pick = self.random.choice
        if depth <= 0:
            return pick(self.NUMBERS)
        chance = self.random.random()
        if chance < 0.5:
            return f"({self.number(depth - 1)} {pick(['+', '-', '*', 'div', 'mod'])} {self.number(depth - 1)})"
        if chance < 0.7:
            return f"{pick(['floor', 'ceiling', 'number', '-'])}({self.number(depth - 1)})"
        return f"{pick(['number', 'string-length'])}({self.text(depth - 1)})"

    def text(self, depth):
        pick = self.random.choice
        if depth <= 0:
            return pick(self.TEXTS)
        chance = self.random.random()
        if chance < 0.3:
            return f"concat({self.text(depth - 1)}, {self.text(depth - 1)})"
        if chance < 0.5:
            return f"{pick(['substring-before', 'substring-after'])}({self.text(depth - 1)}, {self.text(depth - 1)})"
        if chance < 0.7:
            return f"substring({self.text(depth - 1)}, {self.number(depth - 1)}, {self.number(depth - 1)})"
        if chance < 0.8:
            return f"translate({self.text(depth - 1)}, {self.text(depth - 1)}, {self.text(depth - 1)})"
        return f"{pick(['normalize-space', 'string'])}({pick([self.text, self.truth])(depth - 1)})"

    def truth(self, depth):
        pick = self.random.choice
        if depth <= 0:
            return pick(["true()", "false()"])
        chance = self.random.random()
        if chance < 0.3:
            return f"({self.number(depth - 1)} {pick(['<', '<=', '>', '>=', '=', '!='])} {self.number(depth - 1)})"
        if chance < 0.5:
            return f"({self.truth(depth - 1)} {pick(['and', 'or', '=', '!='])} {self.value(depth - 1)})"
        if chance < 0.7:
            return f"{pick(['contains', 'starts-with'])}({self.text(depth - 1)}, {self.text(depth - 1)})"
        if chance < 0.8:
            return f"(string({self.text(depth - 1)}) {pick(['=', '!='])} string({self.text(depth - 1)}))"
        return f"{pick(['boolean', 'not'])}({pick([self.number, self.text, self.truth])(depth - 1)})"


class Trees:
    """Random expressions, of a kind that is asked for: what real forms do, and what they do not."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def value(self, depth):
        chance = self.random.random()
        if depth <= 0 or chance < 0.2:
            return self.random.choice(VALUES)
        if chance < 0.55:
            operator = self.random.choice(BINARY)
            return f"({self.value(depth - 1)} {operator} {self.value(depth - 1)})"
        if chance < 0.7:
            return f"{self.random.choice(UNARY[:11] + ['string-length', 'concat', 'abs'])}({self.value(depth - 1)})"
        if chance < 0.85:
            name = self.random.choice(BINARY_CALLS[:-4])
            return f"{name}({self.value(depth - 1)}, {self.value(depth - 1)})"
        if chance < 0.9:
            return f"{self.random.choice(['count', 'sum', 'concat'])}({self.random.choice(NODES)})"
        return f"if({self.value(depth - 1)}, {self.value(depth - 1)}, {self.value(depth - 1)})"


class Regexes:
    """Random regular expressions, and texts that they may match."""

    ATOMS = ["a", "b", "c", "1", "-", " ", ".", "\\d", "\\w", "\\s", "\\D", "\\W", "\\S", "[abc]", "[^abc]", "[a-z]", "[0-9A-F]", "[\\d-]",
             "[^\\s]", "[a-c1-3]", "\\.", "\\-", "\\p{L}", "\\p{Lu}", "\\p{N}", "\\P{L}", "[\\p{L} ]", "é", "[é-ü]",
             "\\u0041", "[\\w.]", "[.]", "[+*?]", "(?i)b", "[^\\d]", "[\\D1]"]
    PLACES = ["^", "$", "\\b", "\\B", "\\A", "\\z", "(?:)"]  # Java gives up on repetitions of them
    REPEATS = ["", "", "", "*", "+", "?", "{2}", "{1,3}", "{0,2}", "{2,}", "*?", "+?", "??"]
    LETTERS = "aabbccAB11290- ._é😀\n"

    def __init__(self, seed):
        self.random = random.Random(seed)

    def pattern(self, depth):
        parts = []
        for _ in range(self.random.randint(1, 4)):
            if depth == 2 and self.random.random() < 0.1:
                parts.append(self.random.choice(self.PLACES))
            atom = self.random.choice(self.ATOMS)
            if depth > 0 and self.random.random() < 0.3:
                atom = f"({self.random.choice(['', '?:', '', '?i:'])}{self.pattern(depth - 1)})"
            parts.append(atom + self.random.choice(self.REPEATS))
        if self.random.random() < 0.2:
            parts.append("|" + self.pattern(depth - 1))
        return "".join(parts)

    def expression(self):
        text = "".join(self.random.choice(self.LETTERS) for _ in range(self.random.randint(0, 7)))
        return f"regex('{text}', '{self.pattern(2)}')"


def expressions(seed, trees, pairs):
    """All tables, with `pairs` of the products of two values, and `trees` random ones."""
    regexes = Regexes(seed)
    for _ in range(trees):
        yield regexes.expression()
    yield from tables()
    chance = random.Random(seed)
    for _ in range(pairs):
        left, right = chance.choice(VALUES), chance.choice(VALUES)
        operator = chance.choice(BINARY + BINARY_CALLS)
        yield f"{left} {operator} {right}" if operator in BINARY else f"{operator}({left}, {right})"
    random_trees = Trees(seed)
    for _ in range(trees):
        yield random_trees.value(chance.randint(1, 4))
