"""Plays a script of answers on one form in both engines, and compares them after each step."""

import collections
import datetime
import itertools
import re
import xml.etree.ElementTree as xml

from engines import EngineError

XF = "{http://www.w3.org/2002/xforms}"
JR = "{http://openrosa.org/javarosa}"
# What the device, the clock or chance decides.
OUTSIDE = re.compile(
    r"\b(now|random|uuid|property|pulldata|parse-timestamp-to-date|add-date|z-score|to-bikram-sambat|difference-in-\w+|randomize)\s*\(|cht:")
META = {"start", "end", "today", "deviceid", "username", "phonenumber", "email", "audit", "simserial",
        "subscriberid", "start-geopoint", "background-audio"}


class XForm:
    """What the driver has to know of an XForm."""

    def __init__(self, text, definition, unchecked):
        root = xml.fromstring(text)
        model = root.find(f".//{XF}model")
        self.root = "/" + re.sub("{.*}", "", model.find(f"{XF}instance")[0].tag)
        self.repeats = {node.get("nodeset"): (node.get(f"{JR}count") or "").strip() for node in root.iter(f"{XF}repeat")}
        # Input whose choices lie in a file of Collect's (select_one_external).
        self.queries = {node.get("ref") for node in root.iter() if node.get("query")}
        # Of what is not checked here, and told so when the form was added.
        self.unchecked = unchecked
        # The names of columns, where they are others than those in paths.
        self.columns = {}
        self.name_columns(definition["fields"], self.root)
        self.binds = {bind.get("nodeset"): bind.attrib for bind in model.iter(f"{XF}bind")}
        body = next(node for node in root if node.tag.endswith("body"))
        self.controls = {node.get("ref"): re.sub("{.*}", "", node.tag) for node in body.iter() if node.get("ref")}
        self.filters = collections.defaultdict(list)
        for node in body.iter():
            for inner in node.findall(f"{XF}itemset"):
                self.filters[node.get("ref")].append(inner.get("nodeset"))
        self.values = [(node.get("ref"), node.get("value") or "") for node in root.iter() if node.tag.endswith("setvalue")]
        self.has_max = re.search(r"\bmax\s*\(", text) is not None
        self.counts = set(self.repeats.values())
        self.uncertain = self.find_uncertain()
        self.literals = sorted(set(re.findall(r"'([^'/\[\]()]{1,20})'", text.replace("&quot;", "'"))))

    def find_uncertain(self):
        """Paths whose values nobody can foresee."""
        expressions = [(path, text) for path, bind in self.binds.items() for name, text in bind.items()
                       if name in ("calculate", "relevant")]
        expressions += self.values + [(path, text) for path, texts in self.filters.items() for text in texts]
        expressions += [(path, count) for path, count in self.repeats.items() if count]
        found = {path for path, text in expressions if OUTSIDE.search(text)}
        found |= {path for path in self.binds if self.columns.get(path, path.rsplit("/", 1)[1]) in self.unchecked
                  or path.rsplit("/", 1)[1] in self.unchecked}
        found |= {path for path, bind in self.binds.items() if bind.get(f"{JR}preload") not in (None, "uid")}
        while True:
            names = {path.rsplit("/", 1)[1] for path in found}
            more = {path for path, text in expressions
                    if any(re.search(rf"/\s*{re.escape(name)}(?![\w.-])", text) for name in names)}
            more |= {path for path in self.binds if any(path.startswith(above + "/") for above in found)}
            if more <= found:
                return found
            found |= more

    def name_columns(self, fields, above):
        for field in fields:
            node = field.get("x", {}).get("node", field["name"])
            if node != field["name"]:
                self.columns[f"{above}/{node}"] = field["name"]
            self.name_columns(field.get("fields", []), f"{above}/{node}")

    def plain(self, path):
        return re.sub(r"\[\d+\]", "", path)

    def is_uncertain(self, path):
        return self.plain(path) in self.uncertain

    def steps(self, path):
        """A path as ours: of the steps above a field only the repeats are named."""
        steps, above = [], self.root
        parts = path[len(self.root) + 1:].split("/")
        for index, part in enumerate(parts):
            above += "/" + re.sub(r"\[\d+\]", "", part)
            if above in self.repeats or index == len(parts) - 1:
                steps.append(self.columns.get(above, part))
        return steps

    def ours(self, path):
        return "/".join(self.steps(path))


Difference = collections.namedtuple("Difference", "path what javarosa ours")


def canonical(value, kind):
    """A value in a form in which both engines' can be compared."""
    if value is None:
        return ""
    if isinstance(value, list):
        return " ".join(value)
    text = str(value) if not isinstance(value, float) else repr(value)
    # A day that was computed into a text has a time in JavaRosa.
    text = text.removesuffix("T00:00:00.000+05:30")
    try:
        if kind in ("integer", "decimal", "range"):
            return repr(float(text))
        if kind in ("geopoint", "geotrace", "geoshape"):
            points = [[float(part) for part in point.split()] for point in text.split(";") if point.strip()]
            return repr([(point + [0.0, 0.0])[:4] for point in points])
        if kind == "time":
            found = re.fullmatch(r"(\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(Z|[+-]\d\d(?::?\d\d)?)?", text)
            return f"{found[1]}:{found[2]}:{found[3] or '00'}"
        if kind == "dateTime":
            moment = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
            if moment.tzinfo is None:
                moment = moment.replace(tzinfo=datetime.timezone(datetime.timedelta(hours=5, minutes=30)))
            return moment.astimezone(datetime.timezone.utc).isoformat(timespec="seconds")
    except (ValueError, TypeError):
        pass
    return text


class Play:
    """One form, one entry, one script."""

    def __init__(self, javarosa, daemon, form, xform, path, chance):
        self.javarosa, self.daemon, self.form, self.xform, self.chance = javarosa, daemon, form, xform, chance
        self.answers = {}  # what we know of ours, by our path, also of what is not relevant
        # The largest of negative numbers is another in JavaRosa.
        self.negative = [] if xform.has_max else [-1, -7]
        self.script, self.stale, self.steps, self.compared = [], [], 0, 0
        javarosa.tell("load", str(path))
        self.theirs = javarosa.state()
        self.ask()

    # Ours

    def values(self):
        """All answers as one object, with as many repetitions as JavaRosa has."""
        values = {}
        for path in self.theirs.repetitions:
            if not self.xform.repeats.get(self.xform.plain(path)):
                self.container(values, self.xform.steps(path) + [""])
        for path, value in self.answers.items():
            *above, name = path.split("/")
            inner = self.container(values, above + [name])
            if inner is not None:
                inner[name] = value
        return values

    def container(self, values, steps):
        for step in steps[:-1]:
            name, number = re.fullmatch(r"(.*)\[(\d+)\]", step).groups()
            rows = values.setdefault(name, [])
            while len(rows) < int(number):
                rows.append({})
            values = rows[int(number) - 1]
        return values

    def ask(self):
        self.ours = self.daemon.state(self.form, self.values())
        self.fields = {field["path"]: field for field in self.ours["fields"]}
        self.problems = collections.defaultdict(set)
        for problem in self.ours["problems"]:
            self.problems[problem["path"]].add(problem["kind"])
        # `values` is what to send next. What is not relevant is kept as it was, as JavaRosa does.
        named = dict(self.flat(self.ours["values"], ""))
        self.answers = {path: value for path, value in self.answers.items() if path in self.fields}
        for path, field in self.fields.items():
            if field["relevant"]:
                self.answers.pop(path, None)
                if path in named:
                    self.answers[path] = named[path]

    def flat(self, values, above):
        for name, value in values.items():
            if isinstance(value, list) and value and isinstance(value[0], dict):
                for index, row in enumerate(value):
                    yield from self.flat(row, f"{above}{name}[{index + 1}]/")
            else:
                yield above + name, value

    # Steps

    def questions(self):
        found = []
        for path, field in self.theirs.fields.items():
            plain = self.xform.plain(path)
            ours = self.fields.get(self.xform.ours(path))
            if (field.relevant and field.enabled and plain in self.xform.controls and ours is not None
                    and ours["relevant"] and not ours["read_only"]
                    and self.xform.binds.get(plain, {}).get("calculate") is None):
                found.append(path)
        return found

    def step(self):
        """Does one thing in both engines."""
        self.steps += 1
        chance = self.chance
        questions = self.questions()
        places = [path for path in self.theirs.open if int(path.rsplit("[", 1)[1][:-1]) <= 4]
        repetitions = [path for path in self.theirs.repetitions
                       if not self.xform.repeats.get(self.xform.plain(path)) and self.theirs.repetitions[path]]
        kind = chance.random()
        if places and kind < 0.08:
            path = chance.choice(places)
            self.script.append(f"add {path}")
            self.javarosa.tell("add", path)
        elif repetitions and kind < 0.12:
            path = chance.choice(repetitions)
            self.script.append(f"delete {path}")
            self.javarosa.tell("delete", path)
            self.delete(self.xform.ours(path))
        elif questions:
            path = chance.choice(questions)
            answer = "" if kind > 0.92 else self.answer(path)
            self.script.append(f"answer {path} {answer!r}")
            self.javarosa.tell("answer", path, answer)
            self.answers[self.xform.ours(path)] = answer or None
        self.theirs = self.javarosa.state()
        self.ask()
        self.clear()

    def clear(self):
        """Takes away in JavaRosa what is not among external choices any more, which is Collect's to do."""
        while True:
            gone = [path for path, field in self.theirs.fields.items()
                    if field.value and self.xform.plain(path) in self.xform.queries
                    and self.fields.get(self.xform.ours(path), {}).get("relevant")
                    and self.fields[self.xform.ours(path)]["value"] is None]
            if not gone:
                return
            self.javarosa.tell("answer", gone[0], "")
            self.theirs = self.javarosa.state()
            self.ask()

    def delete(self, path):
        start, number = path[:path.rindex("[") + 1], int(path[path.rindex("[") + 1:-1])
        moved = {}
        for key, value in self.answers.items():
            if key.startswith(start):
                position, rest = key[len(start):].split("]", 1)
                position = int(position)
                if position == number:
                    continue
                if position > number:
                    key = f"{start}{position - 1}]{rest}"
            moved[key] = value
        self.answers = moved

    def answer(self, path):
        """An answer that its question takes, as text."""
        chance, plain = self.chance, self.xform.plain(path)
        control, kind = self.xform.controls[plain], self.fields[self.xform.ours(path)]["type"]
        if path in self.theirs.choices or plain in self.xform.queries:
            offered = self.fields[self.xform.ours(path)]["choices"]
            names = self.theirs.choices.get(path) or [choice["name"] for choice in offered or []]
            if not names:
                return ""
            if control in ("select1", "input"):
                return chance.choice(names)
            if control == "rank":
                return " ".join(chance.sample(names, len(names)))
            return " ".join(name for name in names if name in chance.sample(names, chance.randint(1, min(3, len(names)))))
        if kind == "integer" and self.xform.plain(path) in self.xform.counts:
            return str(chance.choice([0, 1, 1, 2, 2, 3, 4]))
        if kind == "integer":
            return str(chance.choice([0, 1, 1, 2, 2, 3, 4, 5, 7, 10, 12, 18, 30, 60, 100, 250, 2020] + self.negative))
        if kind == "range":
            return str(chance.choice([0, 1, 2, 3, 5, 7, 10]))
        if kind == "decimal":
            return str(chance.choice([0, 0.5, 1, 1.25, 2.5, 3, 7.75, 18, 36.6, 99.9, 150, 0.001] + self.negative))
        if kind == "date":
            return f"{chance.choice([1999, 2019, 2020, 2024, 2026])}-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}"
        if kind == "time":
            return f"{chance.randint(0, 23):02}:{chance.choice([0, 5, 30, 59]):02}:00.000+05:30"
        if kind == "dateTime":
            return f"{chance.choice([1999, 2020, 2026])}-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}T{chance.randint(0, 23):02}:30:00.000+05:30"
        if kind in ("geopoint", "geotrace", "geoshape"):
            points = [f"{chance.randint(-80, 80) / 2} {chance.randint(-170, 170) / 2} {chance.choice([0, 12.5])} {chance.choice([0, 4])}"
                      for _ in range(1 if kind == "geopoint" else chance.randint(3, 4))]
            return "; ".join(points + points[:1] * (kind == "geoshape"))
        if kind in ("image", "audio", "video", "file"):
            return chance.choice(["a.jpg", "b.jpg"])
        if kind == "acknowledge":
            return "OK"
        return chance.choice(["a", "b", "yes", "no", "Vanessa", "12", "0", "3.5", "hello world", "x-1", "Ümit", "-4",
                              "1234567890"] + self.chance.sample(self.xform.literals, min(4, len(self.xform.literals))))

    # Comparing

    def differences(self):
        found = []

        def compare(path, what, javarosa, ours):
            self.compared += 1
            if javarosa != ours:
                found.append(Difference(path, what, javarosa, ours))

        seen = set()
        for path, theirs in self.theirs.fields.items():
            plain = self.xform.plain(path)
            if path == self.xform.root + "/meta/instanceName":
                if not self.xform.is_uncertain(path):
                    compare("instance_name", "value", theirs.value.strip() and theirs.value or "", self.ours["instance_name"] or "")
                continue
            name = self.xform.ours(path)
            ours = self.fields.get(name)
            seen.add(name)
            if path.startswith(self.xform.root + "/meta/") or plain.endswith("_count") and ours is None:
                continue
            if ours is None:
                if theirs.relevant and not self.is_counted_by_hidden(path):
                    found.append(Difference(path, "is there", "yes", "no"))
                continue
            if self.xform.is_uncertain(path):
                continue
            compare(path, "relevant", theirs.relevant, ours["relevant"])
            if not theirs.relevant or not ours["relevant"]:
                continue
            if ours["type"] in META:
                continue
            kind = ours["type"]
            if not theirs.value and "choice" in self.problems[name]:
                continue  # a default that cannot be chosen: JavaRosa takes it away, here it is told
            compare(path, "value", canonical(theirs.value or None, kind), canonical(ours["value"], kind))
            is_question = plain in self.xform.controls and self.xform.binds.get(plain, {}).get("calculate") is None
            if is_question and kind != "note":
                compare(path, "required", theirs.required, ours["required"])
                compare(path, "read only", not theirs.enabled, ours["read_only"])
                compare(path, "required and missing", theirs.required and not theirs.value, "required" in self.problems[name])
            # JavaRosa leaves the bounds of a range to Collect's slider.
            is_beyond = kind == "range" and "is not between" in (ours["message"] or "")
            if theirs.value and theirs.constraint is not None and not is_beyond:
                compare(path, "constraint", theirs.constraint, not self.problems[name] & {"constraint", "choice", "type"})
            if path in self.theirs.choices and ours["choices"] is not None:
                total = ours["choices_total"]
                names = [choice["name"] for choice in ours["choices"]]
                if total <= len(names):
                    compare(path, "choices", self.theirs.choices[path], names)
                else:
                    compare(path, "choices", (len(self.theirs.choices[path]), self.theirs.choices[path][:len(names)]), (total, names))
        for name, ours in self.fields.items():
            if ours["type"] != "repeat" and name not in seen and ours["relevant"]:
                found.append(Difference(name, "is there", "no", "yes"))
        return found

    def is_counted_by_hidden(self, path):
        """Whether an answer that is not relevant counts a repeat around: JavaRosa reads it still."""
        above = ""
        for step in path[1:].split("/"):
            above += "/" + step
            count = self.xform.repeats.get(self.xform.plain(above))
            if count and above in self.theirs.repetitions:
                names, places = count[1:].split("/"), above[1:].split("/")
                same = itertools.takewhile(lambda pair: pair[0] == re.sub(r"\[\d+\]", "", pair[1]), zip(names, places))
                found = [place for _, place in same]
                field = self.theirs.fields.get("/" + "/".join(found + names[len(found):]))
                if field is not None and not field.relevant:
                    return True
        return False

    def check(self):
        """The differences now that stay when JavaRosa computes all anew."""
        found = self.differences()
        if not found:
            return []
        self.javarosa.tell("refresh")
        self.theirs = self.javarosa.state()
        self.ask()
        again = self.differences()
        if not again:
            self.stale.append((len(self.script), found))
        return again
