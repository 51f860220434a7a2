#!/usr/bin/python3
"""Checks a bundle, as `shared export --audit` and `shared bundle write` make it, offline.

Usage: verify_audit.py FILE [--json]

Written from docs/protocol/bundle.md, docs/protocol.md and docs/protocol/authority.md; shares no
code with the product. Checks every signature, chain and verdict, recomputes the state and its
digest, and prints who wrote what. Exit status 0 if everything holds, 1 if not.

Needs cbor2, PyNaCl and zstandard: python3-cbor2, python3-nacl, python3-zstandard.
"""
import base64
import collections
import datetime
import hashlib
import io
import json
import sys

import cbor2
import nacl.bindings
import nacl.exceptions

from protocol import KINDS, RECORD_KINDS, Batch, NotABatch, encode
from room import Gap, Room

MAGIC = b"shared bundle 1\n"
ITEM_LIMIT = 2 << 20
NAME_LIMIT = 63
ROLES = {1: "viewer", 2: "contributor", 3: "collector", 4: "reviewer", 5: "editor", 6: "owner"}
HEADER, DEVICE, REQUEST, BATCH, STATE, END = range(6)


class Broken(Exception):
    """The file is not what it should be."""


def need(condition, why):
    if not condition:
        raise Broken(why)


def is_bytes(item, count):
    return isinstance(item, bytes) and len(item) == count


def is_name(item, limit=NAME_LIMIT):
    return isinstance(item, str) and len(item.encode("utf-8")) <= limit


def is_number(item):
    return type(item) is int and 0 <= item < 1 << 64


def is_heads(item):
    def ascending(heads):
        return (isinstance(heads, list) and len(heads) <= 8
                and all(isinstance(one, list) and len(one) == 2 and is_number(one[0])
                        and 1 <= one[0] <= 1 << 53 and is_bytes(one[1], 32) for one in heads)
                and all(a < b for a, b in zip(heads, heads[1:])))
    return isinstance(item, list) and len(item) == 2 and all(map(ascending, item))


SHAPES = {
    HEADER: [lambda room: room is None or is_bytes(room, 32), is_name,
             lambda key: is_bytes(key, 32), is_number, lambda whole: isinstance(whole, bool)],
    DEVICE: [lambda key: is_bytes(key, 32), is_name],
    REQUEST: [lambda key: is_bytes(key, 32), is_name, is_number,
              lambda room: room is None or is_bytes(room, 32), is_heads,
              lambda signature: is_bytes(signature, 64)],
    BATCH: [lambda batch: isinstance(batch, bytes) and len(batch) <= 1114112],
    STATE: [lambda vector: is_bytes(vector, 32), lambda digest: is_bytes(digest, 32)],
    END: [is_number, lambda digest: is_bytes(digest, 32),
          lambda signature: is_bytes(signature, 64)],
}


def decode(body, where):
    """One item, which must be in the one encoding."""
    stream = io.BytesIO(body)
    try:
        item = cbor2.CBORDecoder(stream).decode()
    except Exception as error:
        raise Broken(f"{where}: no CBOR: {error}") from error
    need(isinstance(item, list) and item and type(item[0]) is int, f"{where}: no item")
    shape = SHAPES.get(item[0])
    need(shape is not None, f"{where}: an item of an unknown kind")
    need(len(item) == len(shape) + 1 and all(
        check(part) for check, part in zip(shape, item[1:])), f"{where}: another shape")
    need(encode(item) == body, f"{where}: not the one encoding")
    return item


def is_signed(signature, message, key):
    try:
        nacl.bindings.crypto_sign_open(signature + message, key)
        return True
    except nacl.exceptions.BadSignatureError:
        return False


def items(file):
    """The items of a bundle, checked as far as they can be one by one (§2)."""
    need(file.read(len(MAGIC)) == MAGIC, "not a bundle")
    digest = hashlib.blake2b(MAGIC, digest_size=32)
    at, batches, header = len(MAGIC), 0, None
    while True:
        length = file.read(4)
        need(len(length) == 4, f"byte {at}: the file breaks off")
        size = int.from_bytes(length, "big")
        need(1 <= size <= ITEM_LIMIT, f"byte {at}: no length")
        body = file.read(size)
        need(len(body) == size, f"byte {at}: the file breaks off")
        item = decode(body, f"byte {at}")
        need((header is None) == (item[0] == HEADER), f"byte {at}: a header is first, and alone")
        if item[0] == END:
            need(item[2] == digest.digest(), "the hash at the end is another")
            need(item[1] == batches, "the end counts other batches")
            need(is_signed(item[3], b"shared bundle end 1" + item[2], header[3]),
                 "the end is not signed by the device that the header names")
            need(file.read(1) == b"", "something follows the end")
            return
        if item[0] == HEADER:
            header = item
        elif item[0] == REQUEST:
            signed = encode(["shared join request 1"] + item[1:-1])
            need(is_signed(item[-1], signed, item[1]), f"byte {at}: a request that nobody signed")
        elif item[0] == BATCH:
            batches += 1
        digest.update(length + body)
        at += 4 + size
        yield item


def short(key):
    return "dev:" + base64.b32encode(key).decode().lower().rstrip("=")[:8]


class Audit:
    def __init__(self, path):
        self.names, self.requests, self.state, batches, seen = {}, [], None, [], set()
        with open(path, "rb") as file:
            for item in items(file):
                if item[0] == HEADER:
                    self.header = item
                elif item[0] == DEVICE:
                    self.names[item[1]] = item[2]
                elif item[0] == REQUEST:
                    self.requests.append(item)
                elif item[0] == STATE:
                    self.state = item[1:]
                elif item[0] == BATCH:
                    try:
                        batch = Batch(item[1])
                    except NotABatch as error:
                        raise Broken(f"batch {len(batches) + 1} is none: {error}") from error
                    need(batch.id not in seen, f"batch {len(batches) + 1} stands twice")
                    seen.add(batch.id)
                    batches.append(batch)
        self.room = None
        if batches:
            need(batches[0].is_founding, "the first batch does not found a room")
            need(batches[0].room == self.header[1], "the room is another than the header's")
            try:
                self.room = Room(batches)
            except Gap as gap:
                raise Broken(str(gap)) from gap
        self.check_state()

    def check_state(self):
        if self.state is None or self.room is None:
            return
        need(self.room.vector() == self.state[0],
             "the writer stated its state for other batches than those in the file")
        need(self.room.digest() == self.state[1],
             "these batches come to another state than the writer's")

    def name(self, key):
        is_recovery = self.room is not None and key == self.room.authority.force.recovery
        return self.names.get(key) or ("the recovery key" if is_recovery else short(key))

    def report(self):
        answer = {
            "room": self.header[1] and self.header[1].hex(), "name": self.header[2],
            "writer": short(self.header[3]), "written": self.header[4],
            "whole": self.header[5],
            "requests": [{"device": short(item[1]), "name": item[2]} for item in self.requests],
        }
        if self.room is None:
            return answer
        room, members = self.room, self.room.members()
        devices = {}
        for batch in room.held.values():
            entry = devices.setdefault(batch.author, {
                "device": short(batch.author), "name": self.name(batch.author),
                "role": ROLES.get(members.get(batch.author)),
                "batches": 0, "operations": collections.Counter(),
                "accepted": 0, "waiting": 0, "refused": 0})
            entry["batches"] += 1
            for block in room.bodies[batch.id] or []:
                kind = KINDS.get(block["kind"]) or RECORD_KINDS.get(block["kind"]) or "unknown"
                entry["operations"][kind] += block["count"]
        reasons = collections.Counter()
        for (batch, _), word in room.verdicts.items():
            devices[room.held[batch].author][word.split(":")[0]] += 1
            if word != "accepted":
                reasons[word] += 1
        records = collections.Counter(
            record[0] for record, versions, winners, _ in room.records()
            if not (("_deleted", 255) in winners
                    and versions[winners["_deleted", 255]]["writes"]["_deleted", 255] == 1))
        answer.update(
            founder=short(room.founding.author), batches=len(room.held),
            members={short(key): ROLES[role] for key, role in sorted(members.items())},
            devices=sorted(devices.values(), key=lambda entry: (entry["name"], entry["device"])),
            verdicts=dict(sorted(reasons.items())), records=dict(sorted(records.items())),
            vector=room.vector().hex(), digest=room.digest().hex(),
            stated=self.state is not None)
        return answer


def plural(count, one, many):
    return f"{count} {one if count == 1 else many}"


def show(report):
    written = datetime.datetime.fromtimestamp(
        min(report["written"], 1 << 42) / 1000, datetime.timezone.utc)
    print(f"written by {report['writer']}, its clock said {written:%Y-%m-%d %H:%M:%S} UTC")
    for request in report["requests"]:
        print(f"{request['name']} ({request['device']}) asks to be admitted")
    if "batches" not in report:
        return
    print(f"room {report['name']}, founded by {report['founder']}")
    for entry in report["devices"]:
        wrote = ", ".join(f"{count} {kind}" for kind, count in sorted(entry["operations"].items()))
        print(f"  {entry['name']} ({entry['device']}), {entry['role'] or 'no member'}: "
              f"{plural(entry['batches'], 'batch', 'batches')}: {wrote}; "
              f"{entry['accepted']} accepted, {entry['waiting']} waiting, "
              f"{entry['refused']} refused")
    for word, count in report["verdicts"].items():
        print(f"  {plural(count, 'operation', 'operations')} {word}")
    for form, count in report["records"].items():
        what = plural(count, "row", "rows") if "/" in form else plural(count, "entry", "entries")
        print(f"form {form}: {what}")
    stated = "as its writer states" if report["stated"] else "its writer states none"
    print(f"{plural(report['batches'], 'batch', 'batches')}, every signature and chain holds")
    print(f"state digest {report['digest']}, {stated}")


def main():
    arguments = [word for word in sys.argv[1:] if word != "--json"]
    if len(arguments) != 1:
        sys.exit(__doc__)
    try:
        report = Audit(arguments[0]).report()
    except (Broken, OSError) as error:
        print(f"{arguments[0]}: {error}", file=sys.stderr)
        sys.exit(1)
    if "--json" in sys.argv[1:]:
        print(json.dumps(report))
    else:
        show(report)


if __name__ == "__main__":
    main()
