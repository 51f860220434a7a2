#!/usr/bin/python3
"""Compares authority, written from docs/protocol/authority.md alone, with what the product says.

Usage: check_authority.py FILE

FILE holds one JSON document a line, as AuthorityInteropTests writes them: the control batches of
a history, and the members and verdicts that the product comes to. Exit status 0 if they agree.
"""
import json
import sys
import types

from authority import ABOUT_DEVICES, Authority


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
            if operation["what"] in ABOUT_DEVICES:
                content = {key: value for key, value in operation.items() if key != "what"}
                for log in ("control", "records"):
                    content[log] = [tuple(head) for head in content.get(log, [])]
                content["supersedes"] = [tuple(name) for name in content.get("supersedes", [])]
                yield index, operation["what"], content


def word(authority, batch, index, operation):
    """A verdict (authority.md, section 4)."""
    if authority.is_in_force((batch.id, index)):
        return "accepted"
    standing = authority.standing(batch.author, batch)
    # A setting stands for one that owners alone write.
    least = {"set": 6, "form": 5, "list": 5, "part": 5}.get(operation["what"])
    if isinstance(standing, int) and least and standing >= least:
        return "accepted"
    return "waiting: author" if standing == "author" else "refused"


def main():
    faults = lines = 0
    with open(sys.argv[1], encoding="utf-8") as file:
        for line in file:
            lines += 1
            document = json.loads(line)
            history = History(document)
            authority = Authority(history)
            verdicts = {}
            for batch in history.held.values():
                for index, operation in enumerate(batch.operations):
                    verdicts[f"{batch.id}.{index}"] = word(
                        authority, batch, index, operation)
            found = {"members": authority.members(), "verdicts": verdicts, "scopes": {
                device: sorted(name for scope in scopes for name in scope)
                for device, scopes in authority.members_scopes().items()}}
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
