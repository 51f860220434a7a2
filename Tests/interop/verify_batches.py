#!/usr/bin/python3
"""Checks batches, and what a room comes to, from the protocol's text alone (docs/protocol.md).

Usage: verify_batches.py [Tests/Vectors/batches.json]

Shares no code with the product. Reads state.json beside the file given. Exit status 0 if
everything agrees.
"""
import json
import pathlib
import struct
import sys

from protocol import ABSENT, Batch, Malformed, NotABatch, entered
from room import Room


# --- Comparison with the vectors


def words(block):
    """A decoded block as the vectors write it."""
    def word(item, key=None):
        if key == "scope":
            return item and [{"form": form, "conditions": [
                {"field": field, "values": values} for field, values in conditions.items()]}
                for form, conditions in item.items()]
        if key == "values":
            return [value_words(value) for value in item]
        if key == "clock":
            return str(item)
        if isinstance(item, bytes):
            return item.hex()
        if isinstance(item, dict):
            return {key: word(value, key) for key, value in item.items()
                    if (key, value) != ("scope", None)}
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


def times(record, versions):
    """When a record was made and changed last, as people see it."""
    first = min(version["clock"] for version in versions.values() if version["kind"] == "put")
    last = max(versions, key=lambda name: (versions[name]["clock"], versions[name]["author"]) + name)
    return entered(record, first), versions[last]["wall"]


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
        check(f"{name}: wall", batch.wall, entry["wall"])
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
        check(f"{entry['name']}: verdicts", len(found), len(entry["operations"]))
        for place, (word, expected) in enumerate(zip(found, entry["operations"])):
            # Not every refusal has a reason that the text gives: of these the word is compared.
            if word == "refused":
                expected = expected.split(":")[0]
            check(f"{entry['name']}: verdict of operation {place}", word, expected)
        # What is not stored is so for a reason that its author's standing gives.
        expected = {"apart": "author", "pastCutoff": "removed"}.get(entry["fate"])
        if expected:
            check(f"{entry['name']}: fate", room.standing(batch), expected)
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
        entry["created"], entry["updated"] = times(record, versions)
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
