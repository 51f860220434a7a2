"""What a room's batches come to, from the protocol's text alone (docs/protocol.md).

Shares no code with the product.
"""
import base64
import re

from authority import Authority
from protocol import ABSENT, KINDS, RECORD_KINDS, Malformed, blake, encode, fits

HEADS_TOLD = 64
REPEAT_FIELDS = [("_parent", 0), ("_index", 1)]
# The last character of a key has one bit of it, and four that are zero.
PARENT = re.compile(r"dev:[a-z2-7]{51}[aq]/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")

OWNERS_SETTINGS = ("open", "hidden", "autopush", "quota")
# Operations and bytes, in all and a day; each limit but the first after a space.
QUOTA = re.compile(
    r"(?:([1-9][0-9]*)(?: |$))?(?:([1-9][0-9]*)/day(?: |$))?"
    r"(?:([1-9][0-9]*)B(?: |$))?(?:([1-9][0-9]*)B/day)?(?<! )")


class Gap(Exception):
    """A batch that cannot be taken in."""


class Room:
    """What a set of batches comes to."""

    def __init__(self, batches):
        self.founding = batches[0]
        self.room = self.founding.id
        self.held = {}
        self.bodies = {}
        for batch in batches:
            if batch.room != self.room:
                raise Gap("a batch of another room")
            if batch.number > 1 and not self.before(batch):
                raise Gap(f"the batch before number {batch.number} of its log is missing")
            self.held[batch.id] = batch
            try:
                self.bodies[batch.id] = batch.body()
            except Malformed:
                self.bodies[batch.id] = None
        self.verdicts = {}
        self.standings = {}
        self.authority = Authority(self)
        self.judge_control()
        self.quota = self.find_quota()
        self.judge_records()

    def before(self, batch):
        found = self.held.get(batch.previous)
        return found if found and (found.author, found.kind, found.number) == (
            batch.author, batch.kind, batch.number - 1) else None

    def operations(self, kind):
        for batch in self.held.values():
            if batch.kind == kind:
                for block in self.bodies[batch.id] or []:
                    yield batch, block

    def control_operations(self, batch):
        """What `Authority` asks for: the operations of a control batch with their places."""
        for block in self.bodies[batch.id] or []:
            if block["reading"] == "control":
                for place, operation in enumerate(block["operations"]):
                    yield block["firstIndex"] + place, KINDS[block["kind"]], operation

    def standing(self, batch):
        """The role of a batch's author there, or why it has none."""
        if batch.id not in self.standings:
            found = self.authority.standing(batch.author, batch)
            if batch.kind == 1 and isinstance(found, int) and found < 6 and self.quota and any(
                    sum(amounts) > limit
                    for amounts, limit in zip(self.amounts(batch), self.quota) if limit):
                found = "quota"
            self.standings[batch.id] = found
        return self.standings[batch.id]

    def find_quota(self):
        """The limits in force on operations and bytes, in all and a day; none of them for none."""
        setters = {}
        for batch, block in self.operations(0):
            if block["reading"] == "control" and KINDS[block["kind"]] == "set":
                for place, operation in enumerate(block["operations"]):
                    name = (batch.id, block["firstIndex"] + place)
                    if operation["key"] == "quota" and self.verdicts[name] == "accepted":
                        setters[name] = dict(
                            operation, author=batch.author, writes={"value": operation["value"]})
        if not setters:
            return None
        winners, _ = self.resolve(setters)
        found = QUOTA.fullmatch(setters[winners["value"]]["value"])
        if not found or not any(found.groups()):
            return None
        limits = [int(text) if text else None for text in found.groups()]
        return limits if all(limit is None or limit <= 10 ** 15 for limit in limits) else None

    def amounts(self, batch):
        """Operations and bytes of a batch and of what comes before it, in all and on its day."""
        way = []
        while batch:
            way.append((sum(block["count"] for block in self.bodies[batch.id] or []), batch.size,
                        batch.wall // 86_400_000))
            batch = self.before(batch)
        day = []
        for step in way:
            if step[2] != way[0][2]:
                break
            day.append(step)
        for place in 0, 1:
            yield [step[place] for step in way]
            yield [step[place] for step in day]

    def judge(self, batch, block, word):
        for place in range(block["count"]):
            self.verdicts[batch.id, block["firstIndex"] + place] = word

    def passes(self, batch, block):
        """Whether a block's operations are to be judged one by one."""
        if block["reading"] == "misplaced":
            self.judge(batch, block, "refused: misplaced")
        elif block["reading"] == "unknown":
            self.judge(batch, block, "accepted" if block["kind"] % 2 else "waiting: kind")
        else:
            role = self.standing(batch)
            if isinstance(role, int):
                return role
            self.judge(batch, block, ("waiting: " if role == "author" else "refused: ") + role)
        return None

    def judge_control(self):
        self.definitions, self.lists, self.parts = {}, {}, {}
        self.readable = {}  # of editors, refused for their role there alone
        for batch in self.held.values():
            if self.bodies[batch.id] is None:
                self.verdicts[batch.id, 0] = "refused: malformed"
        for batch, block in self.operations(0):
            if block["reading"] != "control":
                self.passes(batch, block)
                continue
            what = KINDS[block["kind"]]
            for place, operation in enumerate(block["operations"]):
                name = (batch.id, block["firstIndex"] + place)
                word = self.control_word(name, batch, what, operation)
                if what == "form" and word == "accepted":
                    if not self.is_sound(operation):
                        word = "refused: definition"
                    else:
                        self.definitions[name] = (batch.author, operation)
                elif (what == "form" and word == "refused: role" and self.is_sound(operation)
                      and self.authority.is_or_was_editor(batch.author)):
                    self.readable[name] = (batch.author, operation)
                elif what == "list" and word == "accepted":
                    if not self.is_sound_list(operation):
                        word = "refused: definition"
                    else:
                        self.lists[name] = (batch.author, operation)
                elif what == "part" and word == "accepted":
                    self.parts[name] = operation
                self.verdicts[name] = word

    @staticmethod
    def is_sound(form):
        parts, fields = form["formID"].split("/"), [tuple(field) for field in form["fields"]]
        if len(parts) > 1:
            if fields[:2] != REPEAT_FIELDS:
                return False
            fields = fields[2:]
        names = [name for name, _ in fields]
        return (all(re.fullmatch(r"[\x21-\x7e]{1,63}", part) for part in parts)
                and len(set(names)) == len(names)
                and all(name and "\0" not in name and name[0] != "_" for name in names))

    @staticmethod
    def is_sound_list(of):
        names = [of["name"]] + of["columns"]
        return (all(name and "\0" not in name for name in names) and of["name"][0] != "@"
                and of["columns"] != [] and len(set(of["columns"])) == len(of["columns"])
                and len(set(of["parts"])) == len(of["parts"]))

    def is_whole(self, of):
        """Whether all parts of a list are here and count."""
        parts = [self.parts.get(name) for name in of["parts"]]
        return (all(part and part["width"] == len(of["columns"]) for part in parts)
                and sum(len(part["cells"]) // part["width"] for part in parts) <= 250000)

    @staticmethod
    def repeat_word(kind, block, row, author, role):
        """Why a row of a repeat is refused, beside its types."""
        values = dict(zip(block["fields"], row["values"]))
        if kind == "put" and not (type(values[0]) is str and PARENT.fullmatch(values[0])):
            return "refused: type"
        if 1 in values and not (type(values[1]) is int and values[1] >= 1):
            return "refused: type"
        if kind == "put" and role < 5:
            key = values[0][4:56].upper() + "===="
            if base64.b32decode(key) != author:
                return "refused: role"
        return None

    def control_word(self, name, batch, what, operation):
        about_device = what not in ("set", "form", "list", "part")
        if about_device and self.authority.is_in_force(name):
            return "accepted"
        role = self.standing(batch)
        if role == "author":
            return "waiting: author"
        if not isinstance(role, int):
            return "refused: " + role
        if not about_device:
            least = 6 if what == "set" and operation["key"] in OWNERS_SETTINGS else 5
            return "accepted" if role >= least else "refused: role"
        may = (role == 6 or role == 5 and what == "grant" and operation["role"] <= 3
               or what == "removal" and operation["subject"] == batch.author)
        return "refused" if may else "refused: role"

    def definition(self, block):
        """The form definition that a block names, where its operations count by it."""
        if block["form"] in self.definitions:
            return self.definitions[block["form"]][1]
        if block["form"] not in self.readable:
            return None
        form = self.readable[block["form"]][1]
        asked = {tuple(field) for _, other in self.definitions.values()
                 if other["formID"] == form["formID"] for field in other["fields"]}
        listed = {tuple(form["fields"][place]) for place in block["fields"]
                  if place < len(form["fields"])}
        known = any(other["formID"] == form["formID"] for _, other in self.definitions.values())
        return form if known and listed <= asked else None

    def judge_records(self):
        self.versions = {}
        for batch, block in self.operations(1):
            role = self.passes(batch, block)
            if role is None:
                continue
            scopes = self.authority.scopes(batch.author, batch)
            kind = RECORD_KINDS[block["kind"]]
            form = self.definition(block)
            if form is None:
                self.judge(batch, block, "waiting: form")
                continue
            if block["fields"] and block["fields"][-1] >= len(form["fields"]):
                self.judge(batch, block, "refused: type")
                continue
            repeats = "/" in form["formID"]
            if repeats and (kind == "put" and list(block["fields"][:2]) != [0, 1]
                            or kind == "edit" and 0 in block["fields"]):
                self.judge(batch, block, "refused: type")
                continue
            fields = [form["fields"][place] for place in block["fields"]]
            for place, row in enumerate(block["rows"]):
                name = (batch.id, block["firstIndex"] + place)
                own = row["creator"] == batch.author
                least = {"put": 2, "review": 4, "comment": 2 if own else 4}.get(
                    kind, 2 if own else 5)
                # A reviewer enters nothing, and changes nothing that was entered.
                least = 5 if role == 4 and kind not in ("review", "comment") else least
                types = [kind for _, kind in fields] or [0] * len(row["values"])
                if role < least:
                    self.verdicts[name] = "refused: role"
                elif not all(self.is_inside(scope, kind, form["formID"], dict(zip(fields, row["values"])))
                             for scope in scopes):
                    self.verdicts[name] = "refused: scope"
                elif not all(map(fits, row["values"], types)):
                    self.verdicts[name] = "refused: type"
                elif repeats and kind in ("put", "edit") and (
                        word := self.repeat_word(kind, block, row, batch.author, role)):
                    self.verdicts[name] = word
                else:
                    record = (form["formID"], row["creator"], row["id"])
                    self.versions.setdefault(record, {})[name] = dict(
                        row, kind=kind, name=name, author=batch.author,
                        writes=self.writes(kind, row, fields))
        for record, versions in list(self.versions.items()):
            made = any(version["kind"] == "put" for version in versions.values())
            for name in versions:
                self.verdicts[name] = "accepted" if made else "waiting: record"
            if not made:
                del self.versions[record]

    @staticmethod
    def is_inside(scope, kind, form, written):
        """Whether what an operation says lies in a scope."""
        conditions = scope.get(form.split("/")[0])
        if conditions is None:
            return False
        if kind not in ("put", "edit") or "/" in form:
            return True
        # Fields are compared with their type, which is text.
        return all(written[field, 0] in values if (field, 0) in written else kind == "edit"
                   for field, values in conditions.items())

    @staticmethod
    def writes(kind, row, fields):
        if kind in ("put", "edit"):
            return {field: value for field, value in zip(fields, row["values"])
                    if kind == "edit" or value is not ABSENT}
        if kind in ("delete", "restore"):
            return {("_deleted", 255): 1 if kind == "delete" else 0}
        return {"review": row["values"][0]} if kind == "review" else {}

    @staticmethod
    def resolve(versions):
        """The winner of each field, and the heads."""
        ancestors = {}

        def seen(name):
            if name not in ancestors:
                parents = [parent for parent in versions[name]["parents"] if parent in versions]
                ancestors[name] = set(parents).union(*map(seen, parents))
            return ancestors[name]

        heads = set(versions) - set().union(*map(seen, versions))
        winners = {}
        for field in {field for version in versions.values() for field in version["writes"]}:
            writers = [name for name in versions if field in versions[name]["writes"]]
            covered = set().union(*map(seen, writers))
            winners[field] = max(
                (name for name in writers if name not in covered),
                key=lambda name: (versions[name]["clock"], versions[name]["author"]) + name)
        return winners, sorted(heads)

    def records(self):
        for record, versions in sorted(
                self.versions.items(), key=lambda item: (item[0][0].encode(),) + item[0][1:]):
            versions = {name: version for name, version in versions.items()
                        if version["kind"] != "comment"}
            yield record, versions, *self.resolve(versions)

    def members(self):
        return self.authority.members()

    def forms(self):
        accepted = {}
        for name, (author, form) in self.definitions.items():
            accepted.setdefault(form["formID"], {})[name] = dict(
                form, author=author, writes={"definition": 0})
        return {form: self.resolve(versions)[0]["definition"]
                for form, versions in accepted.items()}

    def lists_in_force(self):
        accepted = {}
        for name, (author, of) in self.lists.items():
            if self.is_whole(of):
                accepted.setdefault(of["name"], {})[name] = dict(
                    of, author=author, writes={"definition": 0})
        return {of: self.resolve(versions)[0]["definition"] for of, versions in accepted.items()}

    def digest(self):
        items = [["member", key, role] for key, role in self.members().items()]
        items += [["form", form, list(name)] for form, name in self.forms().items()]
        items += [["list", of, list(name)] for of, name in self.lists_in_force().items()]
        for (form, creator, record), versions, winners, heads in self.records():
            review = winners.pop("review", None)
            named = sorted(set(winners.values()) | set(heads) | ({review} if review else set()))
            values = [[name, kind, versions[winner]["writes"][name, kind], named.index(winner)]
                      for (name, kind), winner in winners.items()]
            values.sort(key=lambda value: (value[0].encode(), value[1]))
            items.append([
                form, creator, record, [list(name) for name in named], values,
                [named.index(name) for name in heads],
                review and [versions[review]["writes"]["review"], named.index(review)]])
        total = sum(int.from_bytes(blake(encode(item)), "big") for item in items)
        return (total % (1 << 256)).to_bytes(32, "big")

    def vector(self):
        logs = {}
        for batch in self.held.values():
            # A file of the room holds nothing of the unknown: where it does, that has to show.
            if self.authority.is_passed_on(batch) or not self.authority.force.is_known(batch.author):
                logs.setdefault((batch.kind, batch.author), []).append(batch)
        entries = []
        for (kind, author), batches in sorted(logs.items(), key=lambda item: item[0]):
            heads = {(batch.number, batch.id) for batch in batches}
            for batch in batches:
                heads.discard((batch.number - 1, batch.previous))
            names = [name for _, name in sorted(heads)]
            entries.append([author, kind] + (
                names if len(names) <= HEADS_TOLD else [blake(b"".join(names))]))
        return blake(encode(entries))
