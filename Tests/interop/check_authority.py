#!/usr/bin/python3
"""Compares authority, written from docs/protocol/authority.md alone, with what the product says.

Usage: check_authority.py FILE

FILE holds one JSON document a line, as AuthorityInteropTests writes them: the control batches of
a history, and the members and verdicts that the product comes to. Exit status 0 if they agree.
"""
import json
import sys
import types

from authority import ACCEPT, CHANGE, FOUND, GRANT, REMOVAL, Authority


class History:
    """What `Authority` asks for, from one line."""

    def __init__(self, document):
        self.room = document["room"]
        known, self.held = {}, {}
        for entry in document["batches"]:
            known[entry["id"]] = types.SimpleNamespace(
                id=entry["id"], author=entry["author"], kind=0, number=entry["number"],
                previous=entry["previous"], operations=entry["operations"])
        for batch in sorted(known.values(), key=lambda batch: batch.number):
            before = self.held.get(batch.previous)
            if batch.number == 1 or before and (before.author, before.number) == (
                    batch.author, batch.number - 1):
                self.held[batch.id] = batch

    def control_operations(self, batch):
        for index, operation in enumerate(batch.operations):
            if operation["what"] in (FOUND, GRANT, CHANGE, REMOVAL, ACCEPT):
                content = {key: value for key, value in operation.items() if key != "what"}
                for log in ("control", "records"):
                    content[log] = [tuple(head) for head in content.get(log, [])]
                content["after"] = [tuple(name) for name in content.get("after", [])]
                yield index, operation["what"], content


def word(authority, history, batch, index, operation):
    name = (batch.id, index)
    if authority.is_in_force(name):
        return "accepted"
    if operation["what"] == FOUND:
        return "refused: founding"
    if authority.is_outranked(name):
        return "refused: outranked"
    standing = authority.standing(batch.author, 0, batch)
    if standing == "author":
        return "waiting: author"
    if not isinstance(standing, int):
        return "refused: " + standing
    if operation["what"] == "set":
        return "accepted" if standing == 6 else "refused: role"
    if operation["what"] == "list":
        return "accepted" if standing >= 5 else "refused: role"
    if authority.is_staying == batch.author == operation.get("subject"):
        return "refused: last owner"
    # It may be written, and is not in force: there are too many like it (authority.md, section 3).
    may = standing == 6 or (
        standing == 5 and operation["what"] == "grant" and operation["role"] <= 3)
    return "refused: too many" if may else "refused: role"


def main():
    faults = lines = 0
    with open(sys.argv[1], encoding="utf-8") as file:
        for line in file:
            lines += 1
            document = json.loads(line)
            history = History(document)
            authority = Authority(history)
            members = {device: authority.standing(device, 0) for device in authority.devices()}
            members = {device: role for device, role in members.items() if isinstance(role, int)}
            verdicts = {}
            for batch in history.held.values():
                for index, operation in enumerate(batch.operations):
                    verdicts[f"{batch.id}.{index}"] = word(
                        authority, history, batch, index, operation)
            found = {"members": members, "verdicts": verdicts}
            for key in found:
                if found[key] != document[key]:
                    faults += 1
                    both = set(found[key]) | set(document[key])
                    print("\n".join(document["lines"]))
                    print(f"-> {key}:", {one: (found[key].get(one), document[key].get(one))
                                         for one in sorted(both)
                                         if found[key].get(one) != document[key].get(one)})
                    break
    print(f"{lines} histories, {faults} differences")
    sys.exit(1 if faults or not lines else 0)


if __name__ == "__main__":
    main()
