"""Random XLSForms that look like those of people: Markdown tables that pyxform and `shared` read."""

import random

COLUMNS = ["type", "name", "label", "required", "relevant", "constraint", "calculation", "default",
           "choice_filter", "repeat_count", "read_only", "parameters", "appearance", "trigger"]
LISTS = {
    "yes_no": [("yes", "Yes", ""), ("no", "No", "")],
    "region": [("north", "North", ""), ("south", "South", ""), ("east", "East", "")],
    "district": [("n1", "Aton", "north"), ("n2", "Bex", "north"), ("s1", "Cuno", "south"), ("e1", "Dun", "east"),
                 ("e2", "Egg", "east")],
    "site": [("n1a", "Mill", "n1"), ("n1b", "Ford", "n1"), ("n2a", "Hill", "n2"), ("s1a", "Lake", "s1"),
             ("s1b", "Wood", "s1"), ("e2a", "Moor", "e2")],
    "symptom": [("fever", "Fever", "a"), ("cough", "Cough", "a"), ("rash", "Rash", "b"), ("none", "None", "c")],
}


class Field:
    def __init__(self, name, kind, scope, list_name=None, is_sure=False):
        self.name, self.kind, self.scope, self.list = name, kind, scope, list_name
        # An answer that is always asked: what defaults may name.
        self.is_sure = is_sure


class Scope:
    """The form or a repeat: what lies in it can be named from inside, and from outside only as many."""

    def __init__(self, parent=None, name=None, is_counted=False):
        self.parent, self.name, self.is_counted = parent, name, is_counted

    @property
    def around(self):
        scope, found = self, []
        while scope:
            found.append(scope)
            scope = scope.parent
        return found


class Generator:
    """One form; fields refer to those before them, so there are no circles."""

    def __init__(self, seed, size):
        self.random = random.Random(seed)
        self.fields, self.rows, self.repeats, self.counter = [], [], [], 0
        self.conditions, self.wants_sure = 0, False
        self.root = Scope()
        self.elements(self.root, size, 0)
        self.instance_name = self.text(self.root, 2) if self.chance(0.5) else ""

    def chance(self, share):
        return self.random.random() < share

    def new(self, stem):
        self.counter += 1
        return f"{stem}{self.counter}"

    def row(self, **cells):
        self.rows.append(cells)

    # What there is

    def near(self, scope, *kinds):
        """Fields with one value, seen from a scope."""
        return [field for field in self.fields if field.scope in scope.around and field.kind in kinds
                and (field.is_sure or not self.wants_sure)]

    def far(self, scope, *kinds):
        """Fields in repeats that lie directly in one of the scopes around: they have many values."""
        if self.wants_sure:
            return []  # a counted repeat has one repetition before it is counted
        return [field for field in self.fields if field.scope not in scope.around and field.kind in kinds
                and field.scope.parent in scope.around]

    def pick(self, found):
        """Rather one of the last."""
        if not found:
            return None
        return found[-1 - min(int(self.random.expovariate(0.4)), len(found) - 1)]

    def elements(self, scope, size, depth):
        for _ in range(size):
            kind = self.random.random()
            if depth < 3 and kind < 0.10:
                name = self.new("group")
                relevant = self.maybe(0.6, self.boolean, scope, 2)
                self.row(type="begin group", name=name, label=name.title(), relevant=relevant)
                self.conditions += bool(relevant)
                self.elements(scope, self.random.randint(1, 4), depth + 1)
                self.conditions -= bool(relevant)
                self.row(type="end group")
            elif depth < 3 and kind < 0.19 and len(scope.around) < 4:
                self.repeat(scope, depth)
            elif kind < 0.42:
                self.calculation(scope)
            else:
                self.question(scope)

    def repeat(self, scope, depth):
        name = self.new("repeat")
        inner = Scope(scope, name)
        count = ""
        if self.chance(0.4):
            # JavaRosa counts by an answer that is not relevant any more.
            self.wants_sure = True
            whole = self.pick(self.near(scope, "integer"))
            self.wants_sure = False
            count = f"${{{whole.name}}}" if whole and self.chance(0.7) else self.random.choice(["2", "3"])
            if whole and self.chance(0.3):
                count = f"if(${{{whole.name}}} > 3, 3, coalesce(${{{whole.name}}}, 0))"
        relevant = self.maybe(0.25, self.boolean, scope, 2)
        self.row(type="begin repeat", name=name, label=name.title(), repeat_count=count, relevant=relevant)
        self.conditions += bool(relevant)
        self.elements(inner, self.random.randint(2, 5), depth + 1)
        self.conditions -= bool(relevant)
        self.row(type="end repeat")
        self.repeats.append(inner)

    def maybe(self, share, make, *arguments):
        return make(*arguments) if self.chance(share) else ""

    def question(self, scope):
        kind = self.random.choices(
            ["text", "integer", "decimal", "date", "select_one", "select_multiple", "range", "note", "acknowledge",
             "barcode", "geopoint", "time", "dateTime", "rank", "hidden", "cascade"],
            [5, 7, 3, 3, 7, 4, 1, 1, 1, 1, 1, 0.5, 0.5, 0.5, 0.5, 3])[0]
        if kind == "cascade":
            return self.cascade(scope)
        name = self.new(kind.split("_")[0][0])
        cells = {"type": kind, "name": name, "label": name.title()}
        if kind == "select_one":
            list_name = self.random.choice(["yes_no", "region", "symptom"])
            cells["type"] += " " + list_name
        elif kind in ("select_multiple", "rank"):
            list_name = "symptom"
            cells["type"] += " " + list_name
        else:
            list_name = None
        if kind == "select_multiple" and self.chance(0.2):
            cells["choice_filter"] = self.random.choice(["class != 'b'", "class = 'a' or class = 'c'"])
        if kind == "range":
            cells["parameters"] = "start=0 end=10 step=1"
        if kind == "note" and self.chance(0.5):
            field = self.pick(self.near(scope, "text", "integer", "select_one"))
            if field:
                cells["label"] += f" ${{{field.name}}}"
        if kind in ("note", "hidden"):
            cells["relevant"] = self.maybe(0.5, self.boolean, scope, 2)
            self.row(**cells)
            return None
        cells["relevant"] = self.maybe(0.35, self.boolean, scope, 2)
        if self.chance(0.3):
            cells["required"] = "yes" if self.chance(0.5) else self.boolean(scope, 1)
        if self.chance(0.35):
            cells["constraint"] = self.constraint(scope, kind)
        is_sure = not self.conditions and not cells["relevant"]
        if self.chance(0.15):
            self.wants_sure = True
            cells["default"] = self.default(scope, kind, list_name, is_sure)
            self.wants_sure = False
        if self.chance(0.06):
            cells["read_only"] = "yes" if self.chance(0.5) else self.boolean(scope, 1)
        field = Field(name, kind, scope, list_name, is_sure)
        self.fields.append(field)
        self.row(**cells)
        return field

    def cascade(self, scope):
        relevant = self.maybe(0.2, self.boolean, scope, 1)
        above = None
        for list_name, column in (("region", None), ("district", "parent"), ("site", "parent")):
            name = self.new(list_name[0])
            cells = {"type": f"select_one {list_name}", "name": name, "label": name.title(), "relevant": relevant}
            if above:
                cells["choice_filter"] = f"{column} = ${{{above}}}"
                if self.chance(0.15):
                    cells["choice_filter"] += " or ${%s} = ''" % above
            self.row(**cells)
            self.fields.append(Field(name, "select_one", scope, list_name))
            above = name
            if list_name == "district" and self.chance(0.5):
                return

    def calculation(self, scope):
        name = self.new("calc")
        make, stored, kind = self.random.choice(
            [(self.number, "calculate", "number"), (self.number, "integer", "integer"), (self.number, "decimal", "decimal"),
             (self.text, "calculate", "text"), (self.text, "calculate", "text"), (self.boolean, "calculate", "boolean"),
             (self.number, "calculate", "number"), (self.date, "date", "date"), (self.date, "calculate", "date")])
        relevant = self.maybe(0.2, self.boolean, scope, 2)
        # JavaRosa computes what is not relevant too, and before it counts: `once` keeps that.
        # What it keeps of `if(..., date, date)` is a text here at the next call.
        is_once = self.chance(0.08) and kind != "date" and not relevant and not self.conditions
        self.wants_sure = is_once
        expression = make(scope, 3)
        self.wants_sure = False
        if is_once:
            expression = f"once({expression})"
        cells = {"type": stored, "name": name, "label": name.title() if stored != "calculate" else "", "calculation": expression,
                 "relevant": relevant}
        self.row(**cells)
        self.fields.append(Field(name, {"number": "computed", "boolean": "flag"}.get(kind, kind), scope))

    # Expressions

    def name(self, field):
        return f"${{{field.name}}}"

    def one(self, scope, *kinds):
        field = self.pick(self.near(scope, *kinds))
        return self.name(field) if field else None

    def number(self, scope, depth):
        options = [lambda: str(self.random.choice([0, 1, 2, 3, 5, 10, 0.5, 100]))]
        for kinds in (("integer", "decimal", "range"), ("integer", "computed"), ("integer",)):
            if self.near(scope, *kinds):
                options.append(lambda kinds=kinds: self.one(scope, *kinds))
                options.append(lambda kinds=kinds: self.one(scope, *kinds))
        if self.near(scope, "select_multiple"):
            options.append(lambda: f"count-selected({self.one(scope, 'select_multiple')})")
        if self.near(scope, "text"):
            options.append(lambda: f"string-length({self.one(scope, 'text', 'barcode')})")
        if self.near(scope, "date"):
            options.append(lambda: f"decimal-date-time({self.one(scope, 'date')})")
        if scope.parent and not self.in_group():
            options.append(lambda: "position(..)")
        many = self.far(scope, "integer", "decimal", "computed")
        if many:
            for function in ("sum", "sum", "min"):
                options.append(lambda function=function: f"{function}(${{{self.pick(many).name}}})")
            # The largest of negative numbers is another in JavaRosa: only of what is answered.
            answered = [field for field in many if not field.name.startswith("calc")]
            if answered:
                options.append(lambda: f"max(${{{self.pick(answered).name}}})")
            options.append(lambda: self.indexed(scope, self.pick(many)))
        inner = [repeat for repeat in self.repeats if repeat.parent in scope.around]
        if inner and not self.wants_sure:
            options.append(lambda: f"count(${{{self.random.choice(inner).name}}})")
        if depth > 0:
            options += [
                lambda: f"{self.number(scope, depth - 1)} {self.random.choice(['+', '-', '*', 'div', 'mod'])} {self.number(scope, depth - 1)}",
                lambda: f"({self.number(scope, depth - 1)} + {self.number(scope, depth - 1)}) * 2",
                lambda: f"if({self.boolean(scope, depth - 1)}, {self.number(scope, depth - 1)}, {self.number(scope, depth - 1)})",
                lambda: f"round({self.number(scope, depth - 1)}, {self.random.choice([0, 1, 2])})",
                lambda: f"int({self.number(scope, depth - 1)})",
                lambda: f"coalesce({self.one(scope, 'integer', 'decimal') or 1}, {self.number(scope, depth - 1)})",
                lambda: f"number({self.one(scope, 'text', 'select_one', 'integer') or 7})",
                lambda: f"abs({self.number(scope, depth - 1)})",
                lambda: f"-{self.one(scope, 'integer', 'decimal') or 3}",
            ]
        return self.random.choice(options)()

    def in_group(self):
        """Whether the row to come lies in a group of its repeat: `..` would be that."""
        open_rows = []
        for row in self.rows:
            if row["type"].startswith("begin"):
                open_rows.append(row["type"])
            elif row["type"].startswith("end"):
                open_rows.pop()
        return bool(open_rows) and open_rows[-1] == "begin group"

    def indexed(self, scope, field):
        position = self.random.choice(["1", "2", self.one(scope, "integer") or "1"])
        return f"indexed-repeat({self.name(field)}, ${{{field.scope.name}}}, {position})"

    def text(self, scope, depth):
        options = [lambda: repr(self.random.choice(["a", "b", "yes", "", "x y", "Total: "]))]
        if self.near(scope, "text", "barcode"):
            options += [lambda: self.one(scope, "text", "barcode")] * 2
        if self.near(scope, "select_one"):
            options.append(lambda: self.one(scope, "select_one"))
            options.append(lambda: self.label(scope))
            options.append(lambda: self.column(scope))
        if self.near(scope, "select_multiple"):
            options.append(lambda: f"selected-at({self.one(scope, 'select_multiple')}, {self.random.choice([0, 1, 2])})")
            options.append(lambda: f"string({self.one(scope, 'select_multiple')})")
        if self.near(scope, "date"):
            options.append(lambda: f"format-date({self.one(scope, 'date')}, '{self.random.choice(['%Y-%m', '%d.%n.%y', '%b %e'])}')")
            options.append(lambda: f"string({self.one(scope, 'date')})")
        many = self.far(scope, "text", "integer", "select_one")
        if many:
            options.append(lambda: f"join(', ', {self.name(self.pick(many))})")
            options.append(lambda: self.indexed(scope, self.pick(many)))
        if depth > 0:
            options += [
                lambda: f"concat({self.text(scope, depth - 1)}, '-', {self.number(scope, depth - 1)})",
                lambda: f"concat({self.text(scope, depth - 1)}, {self.text(scope, depth - 1)})",
                lambda: f"if({self.boolean(scope, depth - 1)}, {self.text(scope, depth - 1)}, {self.text(scope, depth - 1)})",
                lambda: f"substr({self.text(scope, depth - 1)}, {self.random.choice([0, 1])}, {self.random.choice([1, 3])})",
                lambda: f"coalesce({self.text(scope, depth - 1)}, {self.text(scope, depth - 1)})",
                lambda: f"translate({self.text(scope, depth - 1)}, 'ae', 'AE')",
                lambda: f"string({self.number(scope, depth - 1)})",
            ]
        return self.random.choice(options)()

    def label(self, scope):
        field = self.pick(self.near(scope, "select_one"))
        return f"jr:choice-name({self.name(field)}, '{self.name(field)}')"

    def column(self, scope):
        field = self.pick([one for one in self.near(scope, "select_one")])
        return f"instance('{field.list}')/root/item[name = {self.name(field)}]/{self.random.choice(['label', 'parent', 'name'])}"

    def date(self, scope, depth):
        options = [lambda: "date('2024-02-29')"]
        if self.near(scope, "date"):
            options += [lambda: self.one(scope, "date")] * 2
            if depth > 0:
                options.append(lambda: f"date({self.one(scope, 'date')} + {self.random.choice([1, 7, 30])})")
        if depth > 0:
            options.append(lambda: f"if({self.boolean(scope, depth - 1)}, {self.date(scope, depth - 1)}, {self.date(scope, depth - 1)})")
        return self.random.choice(options)()

    def boolean(self, scope, depth):
        options = [lambda: f"{self.number(scope, max(0, depth - 1))} {self.random.choice(['=', '!=', '<', '<=', '>', '>='])} {self.number(scope, 0)}"]
        if self.near(scope, "select_one"):
            options += [lambda: self.chosen(scope)] * 4
        if self.near(scope, "select_multiple"):
            options += [lambda: f"selected({self.one(scope, 'select_multiple')}, '{self.random.choice(['fever', 'cough', 'rash', 'none'])}')"] * 2
        if self.near(scope, "text"):
            options.append(lambda: f"{self.one(scope, 'text')} {self.random.choice(['=', '!='])} {self.text(scope, 0)}")
            options.append(lambda: f"regex({self.one(scope, 'text')}, '{self.random.choice(['[a-z]+', '[0-9]{1,3}', '.*e.*'])}')")
            options.append(lambda: f"contains({self.one(scope, 'text')}, 'e')")
            options.append(lambda: f"{self.one(scope, 'text')} {self.random.choice(['=', '!='])} ''")
        if self.near(scope, "date"):
            options.append(lambda: f"{self.one(scope, 'date')} {self.random.choice(['<', '>='])} date('2020-06-01')")
        if self.near(scope, "integer", "decimal"):
            options += [lambda: f"{self.one(scope, 'integer', 'decimal')} {self.random.choice(['>', '<', '>=', '='])} {self.random.choice([0, 1, 2, 5, 18])}"] * 3
        if self.near(scope, "flag"):
            options.append(lambda: f"{self.one(scope, 'flag')} = 'true'")
        if depth > 0:
            options += [
                lambda: f"{self.boolean(scope, depth - 1)} {self.random.choice(['and', 'or'])} {self.boolean(scope, depth - 1)}",
                lambda: f"not({self.boolean(scope, depth - 1)})",
                lambda: f"({self.boolean(scope, depth - 1)} or {self.boolean(scope, depth - 1)}) and {self.boolean(scope, depth - 1)}",
            ]
        return self.random.choice(options)()

    def chosen(self, scope):
        field = self.pick(self.near(scope, "select_one"))
        name = self.random.choice(LISTS[field.list])[0]
        if self.chance(0.3):
            return f"selected({self.name(field)}, '{name}')"
        return f"{self.name(field)} {self.random.choice(['=', '=', '!='])} '{name}'"

    def constraint(self, scope, kind):
        if kind in ("integer", "decimal", "range"):
            return self.random.choice([
                lambda: ". > 0", lambda: ". >= 0 and . <= 120", lambda: f". <= {self.number(scope, 1)}", lambda: ". mod 2 = 0",
                lambda: f". != {self.number(scope, 0)} or {self.boolean(scope, 1)}"])()
        if kind in ("text", "barcode"):
            return self.random.choice([
                lambda: "string-length(.) <= 5", lambda: "regex(., '[A-Za-z ]+')", lambda: "not(contains(., ' '))",
                lambda: f". != {self.text(scope, 0)}"])()
        if kind == "date":
            return self.random.choice([lambda: ". >= date('2000-01-01')", lambda: f". <= {self.date(scope, 0)}"])()
        if kind in ("select_multiple", "rank"):
            return self.random.choice([lambda: "not(selected(., 'none') and count-selected(.) > 1)", lambda: "count-selected(.) <= 2"])()
        if kind == "select_one":
            return self.random.choice([lambda: f". != '{self.random.choice(['yes', 'north', 'fever'])}'", lambda: self.boolean(scope, 1)])()
        return self.boolean(scope, 1)

    def default(self, scope, kind, list_name, is_sure):
        """JavaRosa computes a default once, before all relevances and calculations."""
        computed = is_sure and self.chance(0.5)
        if kind in ("integer", "range", "decimal"):
            return self.number(scope, 1) if computed else "3"
        if kind == "text":
            return f"concat('d', {self.text(scope, 1)})" if computed else "none"
        if kind == "date":
            return self.random.choice(["2020-02-29", "date('2021-05-06')"])
        if kind == "select_one":
            return self.random.choice(LISTS[list_name])[0]
        if kind == "select_multiple":
            return self.random.choice(["fever", "fever cough"])
        return ""

    # Text

    def markdown(self, form_id):
        def line(cells):
            return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"

        lines = [line(["survey"] + [""] * len(COLUMNS)), line([""] + COLUMNS)]
        for row in self.rows:
            lines.append(line([""] + [row.get(column, "") for column in COLUMNS]))
        lines += [line(["choices", "", "", "", "", ""]), line(["", "list_name", "name", "label", "parent", "class"])]
        for name, choices in LISTS.items():
            for choice in choices:
                lines.append(line(["", name, *choice[:2], choice[2], choice[2]]))
        lines += [line(["settings", "", "", ""]), line(["", "form_id", "version", "instance_name"]),
                  line(["", form_id, "1", self.instance_name])]
        return "\n".join(lines) + "\n"
