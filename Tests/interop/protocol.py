"""Batches and their bodies, read from the protocol's text alone (docs/protocol.md).

Shares no code with the product. Needs PyNaCl and zstandard (python3-nacl, python3-zstandard).
"""
import hashlib
import re
import struct
from collections import Counter

import nacl.bindings
import nacl.exceptions
import zstandard

ZERO = bytes(32)
LAST_MOMENT = 7258118400000 << 16
KINDS = {0: "found", 2: "set", 4: "form", 6: "list", 8: "grant", 10: "role change",
         12: "removal", 14: "accept", 16: "part"}
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


# --- Clocks


def wall(reader, clock):
    """A wall clock in milliseconds, as its difference from a clock says."""
    time = (clock >> 16) + reader.int64()
    need(0 <= time <= LAST_MOMENT >> 16, "the wall clock")
    return time


def entered(record, clock):
    """When a put was entered, in milliseconds: what its id says, or else its clock."""
    time = int.from_bytes(record[:6], "big")
    has_time = record[6] >> 4 == 7 and record[8] >> 6 == 2 and time <= LAST_MOMENT >> 16
    return time if has_time else clock >> 16


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
        need(reader.typed(5) == 9, "another count of fields")

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
        self.wall = wall(reader, self.clock)
        key(7)
        self.length = reader.uint()
        key(8)
        self.frame = reader.bytes()
        reader.end()
        self.id = blake(data)
        self.size = len(data)
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
        need(batch.kind or batch.length <= 16 * batch.size, "too much for its size")
        self.reader = Reader(batch.unpack())
        self.count = self.names_in_all = 0
        self.blocks = [self.block() for _ in range(self.reader.array(limit=4096))]
        self.reader.end()
        need(self.count > 0, "no operation")
        need(batch.kind or self.count <= 64, "too many operations")
        need(batch.kind or self.names_in_all <= 256, "too many names")
        found = [block["firstIndex"] + place for block in self.blocks
                 if block["reading"] == "control" and block["kind"] == 0
                 for place in range(block["count"])]
        need(found == ([0] if batch.is_founding else []), "a founding")
        records = [(row["creator"], row["id"]) for block in self.blocks
                   if block["reading"] == "records" for row in block["rows"]]
        need(all(count <= 16 for count in Counter(records).values()), "too much on one record")

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
        self.names_in_all += items // 2
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
        width = {"found": 6, "set": 5, "form": 7, "list": 6, "part": 4, "grant": 8, "role change": 7,
                 "removal": 6, "accept": 4}[kind]
        reader.array(block["count"])
        clock, operations = self.batch.clock, []
        for place in range(block["count"]):
            index = block["firstIndex"] + place
            reader.array(width)
            clock = self.moment(clock)
            operation = {"clock": clock, "wall": wall(reader, clock)}
            if kind == "found":
                operation.update(name=reader.text(63), nonce=reader.bytes(16), open=reader.bool(),
                                 recovery=reader.bytes(32))
                need(operation["recovery"] != self.batch.author, "the author's recovery key")
            elif kind == "set":
                operation.update(key=reader.text(1024), value=reader.text(32768),
                                 parents=self.names(index))
            elif kind == "form":
                operation.update(formID=reader.text(255), version=reader.text(1024),
                                 parents=self.names(index), fields=self.form_fields(),
                                 json=reader.text(524288))
            elif kind == "list":
                operation.update(name=reader.text(63), parents=self.names(index),
                                 columns=[reader.text(63) for _ in range(reader.array(limit=64))],
                                 parts=self.names(index))
            elif kind == "part":
                across = reader.uint(64, 1)
                count = reader.array(limit=65536)
                need(count > 0 and count % across == 0, "the cells of a part")
                start = reader.at
                operation.update(width=across, cells=[reader.text(4096) for _ in range(count)])
                need(reader.at - start <= 262144, "a long part")
            else:
                operation.update(subject=self.key())
                if kind in ("grant", "role change"):
                    operation.update(role=reader.uint(6, 1), scope=self.scope())
                    need(operation["scope"] is None or operation["role"] in (2, 3), "a scope")
                if kind == "grant":
                    operation.update(firstControl=reader.uint(1 << 53, 1),
                                     firstRecords=reader.uint(1 << 53, 1))
                else:
                    reader.array(2)
                    operation.update(control=self.heads(), records=self.heads())
                if kind != "accept":
                    operation.update(supersedes=self.names(index))
                if kind == "removal":
                    operation.update(reason=reader.text(1024))
            operations.append(operation)
        return operations

    def scope(self):
        """The forms of a scope with their conditions, or none."""
        reader = self.reader
        if reader.data[reader.at:reader.at + 1] == b"\xf6":
            reader.at += 1
            return None

        def ascending(keys):
            keys = [key.encode() for key in keys]
            need(all(a < b for a, b in zip(keys, keys[1:])), "out of order")

        forms = {}
        for _ in range(self.some(64)):
            reader.array(2)
            form, conditions = reader.text(63), {}
            need(form not in forms, "a form twice")
            for _ in range(reader.array(limit=16)):
                reader.array(2)
                field = reader.text(63)
                need(field not in conditions, "a field twice")
                conditions[field] = [reader.text(255) for _ in range(self.some(256))]
                ascending(conditions[field])
            ascending(conditions)
            forms[form] = conditions
        ascending(forms)
        return forms

    def some(self, limit):
        count = self.reader.array(limit=limit)
        need(count > 0, "none")
        return count

    def form_fields(self):
        fields = []
        for _ in range(self.reader.array(limit=600)):
            self.reader.array(2)
            fields.append((self.reader.text(63), self.reader.uint(5)))
        return fields

    def records(self, block):
        reader, kind = self.reader, RECORD_KINDS[block["kind"]]
        reader.array(2)
        form = self.name(0)
        fields = []
        for _ in range(reader.array(limit=600 if kind in ("put", "edit") else 0)):
            fields.append(reader.uint(599))
        need(all(a < b for a, b in zip(fields, fields[1:])), "fields out of order")
        width = {"review": 2, "comment": 1}.get(kind, len(fields))
        reader.array(block["count"])
        clock, record, rows = self.batch.clock, None, []
        for place in range(block["count"]):
            row = {"creator": self.batch.author, "parents": []}
            if kind == "put":
                reader.array(2 + width)
            else:
                reader.array(5 + width)
                row["creator"] = self.key()
            record = row["id"] = self.record_id(record)
            if kind != "put":
                row["parents"] = self.names(block["firstIndex"] + place)
            clock = row["clock"] = self.moment(clock)
            row["wall"] = entered(record, clock) if kind == "put" else wall(reader, clock)
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
