#!/usr/bin/env python3
"""Checks batches, and what a room comes to, from the protocol's text alone (docs/protocol.md).

Usage: verify_batches.py [Tests/Vectors/batches.json]

Shares no code with the product. Needs PyNaCl and zstandard; where they are missing it says so and
does nothing. Reads state.json beside the file given. Exit status 0 if everything agrees.
"""
import hashlib
import json
import pathlib
import re
import struct
import sys

try:
    import nacl.bindings
    import nacl.exceptions
    import zstandard
except ImportError as missing:
    print(f"skipped: needs the Python packages PyNaCl and zstandard ({missing})")
    sys.exit(0)

ZERO = bytes(32)
LAST_MOMENT = 7258118400000 << 16
KINDS = {0: "found", 2: "set", 4: "form", 6: "list", 8: "grant", 10: "role change",
         12: "removal", 14: "accept"}
RECORD_KINDS = {32: "put", 34: "edit", 36: "delete", 38: "restore", 40: "review", 42: "comment"}
ABSENT = None


class NotABatch(Exception):
    pass


class Malformed(Exception):
    pass


class Bad(Exception):
    """CBOR that is not the one encoding, or not what the grammar asks for."""


def need(condition, why):
    if not condition:
        raise Bad(why)


def blake(data):
    return hashlib.blake2b(data, digest_size=32).digest()


# --- Notation: deterministic CBOR


def head(major, value):
    if value < 24:
        return bytes([major << 5 | value])
    for code, limit, form in ((24, 1 << 8, ">B"), (25, 1 << 16, ">H"), (26, 1 << 32, ">I")):
        if value < limit:
            return bytes([major << 5 | code]) + struct.pack(form, value)
    return bytes([major << 5 | 27]) + struct.pack(">Q", value)


def encode_float(value):
    if value != value:
        return b"\xf9\x7e\x00"
    for code, form in ((0xf9, ">e"), (0xfa, ">f")):
        try:
            packed = struct.pack(form, value)
        except OverflowError:
            continue
        if struct.unpack(form, packed)[0] == value:
            return bytes([code]) + packed
    return b"\xfb" + struct.pack(">d", value)


def encode(item):
    if item is None:
        return b"\xf6"
    if isinstance(item, bool):
        return b"\xf5" if item else b"\xf4"
    if isinstance(item, int):
        return head(0, item) if item >= 0 else head(1, -1 - item)
    if isinstance(item, float):
        return encode_float(item)
    if isinstance(item, bytes):
        return head(2, len(item)) + item
    if isinstance(item, str):
        data = item.encode("utf-8")
        return head(3, len(data)) + data
    return head(4, len(item)) + b"".join(encode(part) for part in item)


class Reader:
    def __init__(self, data):
        self.data = data
        self.at = 0

    def take(self, count):
        need(self.at + count <= len(self.data), "too short")
        self.at += count
        return self.data[self.at - count:self.at]

    def head(self):
        first = self.take(1)[0]
        major, info = first >> 5, first & 31
        if major == 7:
            return major, info
        if info < 24:
            return major, info
        need(info <= 27, "an indefinite or reserved length")
        value = int.from_bytes(self.take(1 << info - 24), "big")
        need(value >= (24, 1 << 8, 1 << 16, 1 << 32)[info - 24], "a head that is too long")
        return major, value

    def typed(self, major):
        found, value = self.head()
        need(found == major, "another kind of item")
        return value

    def uint(self, limit=(1 << 64) - 1, least=0):
        value = self.typed(0)
        need(least <= value <= limit, "out of range")
        return value

    def int64(self):
        major, value = self.head()
        need(major in (0, 1), "not an integer")
        need(value < 1 << 63, "beyond 64 bits with sign")
        return value if major == 0 else -1 - value

    def bytes(self, exactly=None):
        data = self.take(self.typed(2))
        need(exactly is None or len(data) == exactly, "another length")
        return data

    def utf8(self, length):
        try:
            return self.take(length).decode("utf-8")
        except UnicodeDecodeError as error:
            raise Bad("not UTF-8") from error

    def text(self, limit):
        length = self.typed(3)
        need(length <= limit, "too long a text")
        return self.utf8(length)

    def array(self, exactly=None, limit=1 << 20):
        count = self.typed(4)
        need(count <= limit and count <= len(self.data) - self.at, "too long an array")
        need(exactly is None or count == exactly, "another count of items")
        return count

    def bool(self):
        major, info = self.head()
        need(major == 7 and info in (20, 21), "not a boolean")
        return info == 21

    def float(self, info):
        form = {25: ">e", 26: ">f", 27: ">d"}[info]
        packed = self.take(struct.calcsize(form))
        value = struct.unpack(form, packed)[0]
        need(encode_float(value) == bytes([0xe0 | info]) + packed, "not the shortest float")
        return value

    def value(self):
        major, value = self.head()
        if major in (0, 1):
            need(value < 1 << 63, "beyond 64 bits with sign")
            return value if major == 0 else -1 - value
        if major == 3:
            return self.utf8(value)
        need(major == 7, "not a value")
        if value == 22:
            return ABSENT
        need(value in (25, 26, 27), "not a value")
        return self.float(value)

    def skip(self, depth=8):
        need(depth > 0, "nested too deep")
        major, value = self.head()
        if major == 2:
            self.take(value)
        elif major == 3:
            self.utf8(value)
        elif major == 4:
            for _ in range(value):
                self.skip(depth - 1)
        elif major == 5:
            last = None
            for _ in range(value):
                start = self.at
                self.skip(depth - 1)
                key = self.data[start:self.at]
                need(last is None or last < key, "keys out of order")
                last = key
                self.skip(depth - 1)
        elif major == 6:
            raise Bad("a tag")
        elif major == 7:
            need(value in (20, 21, 22, 25, 26, 27), "another simple value")
            if value >= 25:
                self.float(value)

    def end(self):
        need(self.at == len(self.data), "bytes are left over")


# --- Batch


class Batch:
    def __init__(self, data):
        try:
            self.parse(data)
        except Bad as error:
            raise NotABatch(str(error)) from error

    def parse(self, data):
        need(len(data) <= 1114112, "too long")
        need(data[:1] == b"\xd2", "no tag 18")
        reader = Reader(data)
        reader.at = 1
        reader.array(4)
        protected = reader.bytes(69)
        start = bytes.fromhex("a3012703781c") + b"application/vnd.shared.batch" + b"\x04\x58\x20"
        need(protected[:-32] == start, "another protected header")
        self.author = protected[-32:]
        need(reader.take(1) == b"\xa0", "an unprotected header")
        payload = reader.bytes()
        signature = reader.bytes(64)
        reader.end()
        signed = encode(["Signature1", protected, b"", payload])
        try:
            nacl.bindings.crypto_sign_open(signature + signed, self.author)
        except nacl.exceptions.BadSignatureError as error:
            raise Bad("the signature") from error

        reader = Reader(payload)
        need(reader.typed(5) == 8, "another count of fields")

        def key(number):
            need(reader.uint() == number, "another field")

        key(0)
        need(reader.uint() == 1, "another version")
        key(1)
        room = reader.bytes(32)
        key(2)
        self.kind = reader.uint(1)
        key(3)
        self.number = reader.uint(1 << 53, 1)
        key(4)
        self.previous = reader.bytes(32)
        key(5)
        self.clock = reader.uint(LAST_MOMENT)
        key(6)
        self.length = reader.uint()
        key(7)
        self.frame = reader.bytes()
        reader.end()
        self.id = blake(data)
        self.is_founding = room == ZERO
        if self.is_founding:
            need(self.kind == 0 and self.number == 1 and self.previous == ZERO, "the place")
            self.room = self.id
        else:
            need(self.previous != ZERO, "the previous batch")
            need(self.number > 1 or self.previous == room, "a first batch names the room")
            self.room = room

    def unpack(self):
        frame = self.frame
        need(frame[:4] == bytes.fromhex("28b52ffd") and len(frame) > 5, "no zstd frame")
        need(frame[4] & 31 == 0, "the frame's descriptor")
        need(self.length <= 1 << 20, "too long a body")
        if not frame[4] & 32:
            base = 1 << 10 + (frame[5] >> 3)
            need(base + base // 8 * (frame[5] & 7) <= 1 << 20, "the window")
        try:
            parameters = zstandard.get_frame_parameters(frame)
            need(parameters.content_size == self.length, "the content size")
            unpacker = zstandard.ZstdDecompressor().decompressobj()
            raw = unpacker.decompress(frame)
            need(unpacker.eof and not unpacker.unused_data, "not one frame")
        except zstandard.ZstdError as error:
            raise Bad("zstd") from error
        need(len(raw) == self.length, "another length")
        return raw

    def body(self):
        try:
            return Body(self).blocks
        except Bad as error:
            raise Malformed(str(error)) from error


# --- Body


class Body:
    def __init__(self, batch):
        self.batch = batch
        self.reader = Reader(batch.unpack())
        self.count = 0
        self.blocks = [self.block() for _ in range(self.reader.array(limit=4096))]
        self.reader.end()
        need(self.count > 0, "no operation")
        found = [block["firstIndex"] + place for block in self.blocks
                 if block["reading"] == "control" and block["kind"] == 0
                 for place in range(block["count"])]
        need(found == ([0] if batch.is_founding else []), "a founding")

    def block(self):
        reader = self.reader
        items = reader.array(limit=64)
        need(items >= 2, "a block without a count")
        kind = reader.uint()
        count = reader.uint(4096, 1)
        block = {"kind": kind, "firstIndex": self.count, "count": count}
        self.count += count
        need(self.count <= 4096, "too many operations")
        if kind in KINDS and self.batch.kind == 0:
            need(items == 5, "another count of items")
            self.tables()
            return dict(block, reading="control", operations=self.operations(block))
        if kind in RECORD_KINDS and self.batch.kind == 1:
            need(items == 7, "another count of items")
            self.tables()
            return dict(block, reading="records", **self.records(block))
        for _ in range(items - 2):
            reader.skip()
        known = kind in KINDS or kind in RECORD_KINDS
        return dict(block, reading="misplaced" if known else "unknown")

    def tables(self):
        reader = self.reader
        self.references = [self.batch.id]
        self.keys = [self.batch.author]
        for table in (self.references, self.keys):
            for _ in range(reader.array(limit=8192)):
                table.append(reader.bytes(32))
            need(len(set(table)) == len(table), "an entry twice")

    def name(self, before):
        reference = self.reader.uint(len(self.references) - 1)
        index = self.reader.uint(4095)
        need(reference > 0 or index < before, "a name of what comes later")
        return self.references[reference], index

    def names(self, before):
        items = self.reader.array(limit=128)
        need(items % 2 == 0, "half a name")
        return [self.name(before) for _ in range(items // 2)]

    def moment(self, last):
        clock = last + self.reader.int64()
        need(0 <= clock <= LAST_MOMENT, "the clock")
        return clock

    def key(self):
        return self.keys[self.reader.uint(len(self.keys) - 1)]

    def heads(self):
        heads = []
        for _ in range(self.reader.array(limit=64)):
            self.reader.array(2)
            heads.append((self.reader.uint(1 << 53, 1), self.reader.bytes(32)))
        need(all(a < b for a, b in zip(heads, heads[1:])), "heads out of order")
        return heads

    def operations(self, block):
        reader, kind = self.reader, KINDS[block["kind"]]
        width = {"found": 4, "set": 4, "form": 6, "list": 4, "grant": 6, "role change": 5,
                 "removal": 5, "accept": 3}[kind]
        reader.array(block["count"])
        clock, operations = self.batch.clock, []
        for place in range(block["count"]):
            index = block["firstIndex"] + place
            reader.array(width)
            clock = self.moment(clock)
            operation = {"clock": clock}
            if kind == "found":
                operation.update(name=reader.text(63), nonce=reader.bytes(16), open=reader.bool())
            elif kind == "set":
                operation.update(key=reader.text(1024), value=reader.text(1024),
                                 bases=self.names(index))
            elif kind == "form":
                operation.update(formID=reader.text(63), version=reader.text(1024),
                                 bases=self.names(index), fields=self.form_fields(),
                                 json=reader.text(524288))
            elif kind == "list":
                operation.update(name=reader.text(63), bases=self.names(index),
                                 csv=reader.text(524288))
            else:
                operation.update(subject=self.key())
                if kind in ("grant", "role change"):
                    operation.update(role=reader.uint(6, 1))
                if kind == "grant":
                    operation.update(firstControl=reader.uint(1 << 53, 1),
                                     firstRecords=reader.uint(1 << 53, 1))
                else:
                    reader.array(2)
                    operation.update(control=self.heads(), records=self.heads())
                if kind != "accept":
                    operation.update(after=self.names(index))
                if kind == "removal":
                    operation.update(reason=reader.text(1024))
            operations.append(operation)
        return operations

    def form_fields(self):
        fields = []
        for _ in range(self.reader.array(limit=500)):
            self.reader.array(2)
            fields.append((self.reader.text(63), self.reader.uint(5)))
        return fields

    def records(self, block):
        reader, kind = self.reader, RECORD_KINDS[block["kind"]]
        reader.array(2)
        form = self.name(0)
        fields = []
        for _ in range(reader.array(limit=500 if kind in ("put", "edit") else 0)):
            fields.append(reader.uint(499))
        need(all(a < b for a, b in zip(fields, fields[1:])), "fields out of order")
        width = {"review": 2, "comment": 1}.get(kind, len(fields))
        reader.array(block["count"])
        clock, record, rows = self.batch.clock, None, []
        for place in range(block["count"]):
            row = {"creator": self.batch.author, "bases": []}
            if kind == "put":
                reader.array(2 + width)
            else:
                reader.array(4 + width)
                row["creator"] = self.key()
            record = row["id"] = self.record_id(record)
            if kind != "put":
                row["bases"] = self.names(block["firstIndex"] + place)
            clock = row["clock"] = self.moment(clock)
            row["values"] = [reader.value() for _ in range(width)]
            rows.append(row)
        return {"form": form, "fields": fields, "rows": rows}

    def record_id(self, last):
        if last is not None and self.reader.data[self.reader.at:][:1] < b"\x20":
            low = int.from_bytes(last[8:], "big")
            following = low + self.reader.uint()
            need(following < 1 << 64 and following >> 62 == low >> 62, "the step of an id")
            return last[:8] + struct.pack(">Q", following)
        return self.reader.bytes(16)


# --- Values


def is_date(text):
    match = re.fullmatch(r"([0-9]{4})-([0-9]{2})-([0-9]{2})", text)
    if not match:
        return False
    year, month, day = map(int, match.groups())
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    days = [31, 29 if leap else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    return 1 <= month <= 12 and 1 <= day <= days[month - 1]


def is_time(text):
    return bool(re.fullmatch(
        r"([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\.[0-9]{1,9})?)?"
        r"(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])?", text))


def fits(value, kind):
    if value is ABSENT:
        return True
    if kind == 1:
        return isinstance(value, int)
    if kind == 2:
        return (isinstance(value, float) and abs(value) < float("inf")
                and struct.pack(">d", value) != struct.pack(">d", -0.0))
    if not isinstance(value, str):
        return False
    return (kind == 0 or kind == 3 and is_date(value) or kind == 4 and is_time(value)
            or kind == 5 and value[10:11] == "T" and is_date(value[:10]) and is_time(value[11:]))


# --- Verdicts, State, Digest


class Room:
    """What a set of batches comes to. Of authority, all that one owner alone can do."""

    def __init__(self, batches):
        self.founding = batches[0]
        self.room = self.founding.id
        self.held = {}
        self.bodies = {}
        for batch in batches:
            assert batch.room == self.room
            assert batch.number == 1 or self.before(batch), "a gap"
            self.held[batch.id] = batch
            try:
                self.bodies[batch.id] = batch.body()
            except Malformed:
                self.bodies[batch.id] = None
        self.verdicts = {}
        self.changes = {}
        self.judge_authority()
        self.judge_control()
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

    def covers(self, heads, batch):
        """Whether a batch is among the heads or before one of them."""
        for number, name in heads:
            if name not in self.held:
                if batch.number < number:
                    return True
                continue
            at = self.held[name]
            while at and at.number == number:
                if at.id == batch.id:
                    return True
                at, number = self.before(at), number - 1
        return False

    def judge_authority(self):
        founder = self.founding.author
        self.changes = {founder: {(self.room, 0): {"what": "found", "role": 6, "after": []}}}
        for batch, block in self.operations(0):
            if batch.author != founder or block["reading"] != "control":
                continue
            what = KINDS[block["kind"]]
            if what in ("grant", "role change", "removal"):
                for place, operation in enumerate(block["operations"]):
                    about = self.changes.setdefault(operation["subject"], {})
                    about[batch.id, block["firstIndex"] + place] = dict(operation, what=what)

    def standing(self, author, kind, batch=None):
        """A role, or a word; without a batch, at the end of what is held."""
        about = self.changes.get(author)
        if not about:
            return "author"
        log = ("control", "records")[kind]
        first = ("firstControl", "firstRecords")[kind]

        def acts(change):
            if change["what"] == "found":
                return True
            if change["what"] == "grant":
                return batch is None or batch.number >= change[first]
            return batch is None or not self.covers(change[log], batch)

        acting = {name: change for name, change in about.items() if acts(change)}
        dropped, left = set(), [name for change in acting.values() for name in change["after"]]
        while left:
            name = left.pop()
            if name in about and name not in dropped:
                dropped.add(name)
                left += about[name]["after"]
        acting = [change for name, change in acting.items() if name not in dropped]
        if any(change["what"] == "removal" for change in acting):
            return "removed"
        return min((change["role"] for change in acting), default="before grant")

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
            role = self.standing(batch.author, batch.kind, batch)
            if isinstance(role, int):
                return role
            self.judge(batch, block, ("waiting: " if role == "author" else "refused: ") + role)
        return None

    def judge_control(self):
        self.definitions = {}
        for batch in self.held.values():
            if self.bodies[batch.id] is None:
                self.verdicts[batch.id, 0] = "refused: malformed"
        for batch, block in self.operations(0):
            role = self.passes(batch, block)
            if role is None:
                continue
            what = KINDS[block["kind"]]
            for place, operation in enumerate(block["operations"]):
                name = (batch.id, block["firstIndex"] + place)
                least = {"found": 0, "set": 5, "form": 5, "list": 5, "grant": 6}.get(what, 6)
                if what == "set" and operation["key"] == "open":
                    least = 6
                if what == "grant" and operation["role"] <= 3:
                    least = 5
                if what == "removal" and operation["subject"] == batch.author:
                    least = 1
                word = "accepted" if role >= least else "refused: role"
                if what == "form" and word == "accepted":
                    names = [field for field, _ in operation["fields"]]
                    sound = (re.fullmatch(r"[\x21-\x7e]+", operation["formID"])
                             and len(set(names)) == len(names)
                             and all(name and "\0" not in name for name in names))
                    if not sound:
                        word = "refused: definition"
                    else:
                        self.definitions[name] = (batch.author, operation)
                self.verdicts[name] = word

    def judge_records(self):
        self.versions = {}
        for batch, block in self.operations(1):
            role = self.passes(batch, block)
            if role is None:
                continue
            kind = RECORD_KINDS[block["kind"]]
            if block["form"] not in self.definitions:
                self.judge(batch, block, "waiting: form")
                continue
            form = self.definitions[block["form"]][1]
            if block["fields"] and block["fields"][-1] >= len(form["fields"]):
                self.judge(batch, block, "refused: type")
                continue
            fields = [form["fields"][place] for place in block["fields"]]
            for place, row in enumerate(block["rows"]):
                name = (batch.id, block["firstIndex"] + place)
                own = row["creator"] == batch.author
                least = {"put": 2, "review": 4, "comment": 2 if own else 4}.get(
                    kind, 2 if own else 5)
                types = [kind for _, kind in fields] or [0] * len(row["values"])
                if role < least:
                    self.verdicts[name] = "refused: role"
                elif not all(map(fits, row["values"], types)):
                    self.verdicts[name] = "refused: type"
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
                bases = [base for base in versions[name]["bases"] if base in versions]
                ancestors[name] = set(bases).union(*map(seen, bases))
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
        roles = {author: self.standing(author, 0) for author in self.changes}
        return {author: role for author, role in roles.items() if isinstance(role, int)}

    def forms(self):
        accepted = {}
        for name, (author, form) in self.definitions.items():
            accepted.setdefault(form["formID"], {})[name] = dict(
                form, author=author, writes={"definition": 0})
        return {form: self.resolve(versions)[0]["definition"]
                for form, versions in accepted.items()}

    def digest(self):
        items = [["member", key, role] for key, role in self.members().items()]
        items += [["form", form, list(name)] for form, name in self.forms().items()]
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
            logs.setdefault((batch.kind, batch.author), set()).add((batch.number, batch.id))
        for batch in self.held.values():
            logs[batch.kind, batch.author].discard((batch.number - 1, batch.previous))
        return blake(encode([
            [author, kind] + [name for _, name in sorted(heads)]
            for (kind, author), heads in sorted(logs.items())]))


# --- Comparison with the vectors


def words(block):
    """A decoded block as the vectors write it."""
    def word(item, key=None):
        if key == "values":
            return [value_words(value) for value in item]
        if key == "clock":
            return str(item)
        if isinstance(item, bytes):
            return item.hex()
        if isinstance(item, dict):
            return {key: word(value, key) for key, value in item.items()}
        if key == "form" or isinstance(item, tuple) and isinstance(item[0], bytes):
            return {"batch": item[0].hex(), "index": item[1]}
        if isinstance(item, tuple) and isinstance(item[0], int):
            return {"number": item[0], "batch": item[1].hex()}
        if isinstance(item, tuple):
            return {"name": item[0], "type": item[1]}
        return [word(part) for part in item] if isinstance(item, list) else item
    return word(block)


def value_words(value):
    if value is ABSENT:
        return None
    if isinstance(value, int):
        return {"integer": str(value)}
    if isinstance(value, float):
        return {"decimal": struct.pack(">d", value).hex()}
    return {"text": value}


def name_words(name):
    return {"batch": name[0].hex(), "index": name[1]}


def main():
    here = pathlib.Path(__file__).resolve().parent.parent / "Vectors/batches.json"
    path = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else here
    file = json.loads(path.read_text(encoding="utf-8"))
    state = json.loads((path.parent / "state.json").read_text(encoding="utf-8"))
    faults, checks = [], 0

    def check(what, found, expected):
        nonlocal checks
        checks += 1
        if found != expected:
            faults.append(f"{what}: {found!r} is not {expected!r}")

    batches = {}
    for entry in file["batches"]:
        name = entry["name"]
        batch = batches[name] = Batch(bytes.fromhex(entry["bytes"]))
        for key in ("id", "room", "author", "previous"):
            check(f"{name}: {key}", getattr(batch, key).hex(), entry[key])
        check(f"{name}: log", ("control", "records")[batch.kind], entry["log"])
        check(f"{name}: number", batch.number, entry["number"])
        check(f"{name}: clock", str(batch.clock), entry["clock"])
        check(f"{name}: body", batch.unpack().hex(), entry["body"])
        try:
            blocks = [words(block) for block in batch.body()]
        except Malformed:
            blocks = None
        check(f"{name}: content", blocks, entry.get("blocks"))
    for bad in file["malformedBodies"]:
        try:
            Batch(bytes.fromhex(bad["bytes"])).body()
            check(f"a malformed body: {bad['why']}", "sound", "malformed")
        except Malformed:
            checks += 1
    for bad in file["notBatches"]:
        try:
            Batch(bytes.fromhex(bad["bytes"]))
            check(f"not a batch: {bad['why']}", "a batch", "not a batch")
        except NotABatch:
            checks += 1

    fates = {entry["name"]: entry["fate"] for entry in state["batches"]}
    room = Room([batch for name, batch in batches.items() if fates[name] == "stored"])
    for entry in state["batches"]:
        batch = batches[entry["name"]]
        found = [room.verdicts[name] for name in sorted(room.verdicts) if name[0] == batch.id]
        check(f"{entry['name']}: verdicts", found, entry["operations"])
        # What is not stored is so for a reason that its author's standing gives.
        expected = {"apart": "author", "dropped": "removed"}.get(entry["fate"])
        if expected:
            check(f"{entry['name']}: fate", room.standing(batch.author, 1, batch), expected)
    check("members", [{"key": key.hex(), "role": role}
                      for key, role in sorted(room.members().items())], state["members"])
    check("forms", [{"formID": form, "inForce": name_words(name)}
                    for form, name in sorted(room.forms().items())], state["forms"])
    found = []
    for (form, creator, record), versions, winners, heads in room.records():
        entry = {"form": form, "creator": creator.hex(), "id": record.hex(),
                 "heads": [name_words(name) for name in heads], "isDeleted": False, "values": []}
        for field in sorted(winners, key=lambda field: (field[0].encode(), field[1])):
            name = winners[field]
            value = versions[name]["writes"][field]
            if field == "review":
                entry["review"] = {"version": name_words(name)}
                if value is not ABSENT:
                    entry["review"]["state"] = value
            elif field == ("_deleted", 255):
                entry["isDeleted"] = value == 1
            else:
                entry["values"].append(dict(
                    value_words(value) or {}, name=field[0], type=field[1],
                    version=name_words(name)))
        found.append(entry)
    check("records", len(found), len(state["records"]))
    for one, other in zip(found, state["records"]):
        check(f"record {one['id']}", one, other)
    check("vector hash", room.vector().hex(), state["vector"])
    check("state digest", room.digest().hex(), state["digest"])

    for fault in faults:
        print(fault)
    print(f"{len(batches)} batches, {checks} checks, {len(faults)} differences")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
