"""Contributors, viewers, and members who are no more."""
import json
import secrets

from . import scene
from .cbor import decode
from .devices import body_of, CONTROL, control, Device, OWNER, RECORDS, records, VIEWER
from .links import joined, key_of, name, Session, wait
from .scene import attack, Finding, need, refused, taken


@attack
def contributor_reads_others(s):
    """A contributor is sent control logs and its own records, and told of nothing else."""
    device = Device()
    joined(device, s.a, "contributor", "127.0.5.1")
    s.calm()
    session = Session(device, s.a.port, s.room)
    session.tell()
    for author in (s.owner, s.mallory.key, key_of(s.b.ask("status", "--json")["device"]["id"])):
        session.send([3, s.room, author, RECORDS, []])
    s.a.ask("add", "visits", "who=Private", "--json")
    s.a.ask("push")
    session.pump(lambda: False, 2)
    s.calm()
    sent = {(decode(decode(m[1][1:])[0])[4], body_of(m[1])[1][2]) for m in session.got(4)}
    told = {(entry[0], entry[1]) for m in session.got(1) for entry in m[2]}
    told |= {(m[2], m[3]) for m in session.got(2)}
    for what, logs in (("sent", sent), ("told of", told)):
        need(not any(kind == RECORDS and author != device.key for author, kind in logs),
             f"a contributor is {what} the records of others")
    need(all(m[4] is None for m in session.got(7)), "a contributor is sent the digest of all")
    session.close()


@attack
def viewer_writes(s):
    device = Device()
    joined(device, s.a, "viewer", "127.0.5.2")
    s.calm()
    session = s.member(device)
    refused(session.push(RECORDS, [records(32, s.form, [0], [[secrets.token_bytes(16), 0, "viewer"]])]))
    refused(session.push(CONTROL, [control(8, [[0, 0, 0, OWNER, None, 1, 1, []]])]))
    session.close()


@attack
def assigned_writes_outside(s):
    """One whose assignment allows some values of a field, then one of another form alone."""
    device, own = Device(), secrets.token_bytes(16)
    joined(device, s.a, "collector", "127.0.5.4", ("--forms", "visits", "--where", "who=north,east"))
    s.calm()
    session = s.member(device)

    def put(fields, *values, record=None):
        return records(32, s.form, fields, [[record or secrets.token_bytes(16), 0, *values]])
    taken(session.push(RECORDS, [put([0, 1], "north", 4, record=own)]), 1)
    wait(lambda: len(s.facts(s.a)["records"]) > len(s.before["records"]), 20)
    s.calm()
    cases = {
        "another value": put([0], "south"), "case of letters": put([0], "North"),
        "an empty value": put([0], ""), "without the field": put([1], 5), "without any": put([]),
        "own record moved out": records(34, s.form, [0], [[0, own, [], 0, 0, "south"]]),
        "own record's field cleared": records(34, s.form, [0], [[0, own, [], 0, 0, None]]),
    }
    for what, block in cases.items():
        try:
            refused(session.push(RECORDS, [block]))
        except Finding as finding:
            raise Finding(f"{what}: {finding}")
    session.close()
    form = scene.work / "other.json"
    form.write_text(json.dumps({"form_id": "other", "fields": [{"name": "x", "type": "text"}]}))
    s.a.ask("form", "add", form)
    device = Device()
    joined(device, s.a, "collector", "127.0.5.5", ("--forms", "other"))
    s.calm()
    session = s.member(device)
    refused(session.push(RECORDS, [put([0], "north")]))
    session.close()


@attack
def one_who_left_goes_on(s):
    """Leaves by its own removal, then writes on and grants itself a new role."""
    device = Device()
    joined(device, s.a, "collector", "127.0.5.3")
    s.calm()
    session = s.member(device)
    answer = session.push(CONTROL, [control(12, [[0, 0, 0, [[], []], [], "bye"]])])
    need(isinstance(answer, list) and answer[5] == 1, f"a leave is not accepted: {answer}")
    wait(lambda: all(m["id"] != name(device.key) for m in s.a.ask("members", "--json")), 20)
    s.calm()
    need(name(device.key) not in dict(s.before["members"]), "one who left is still a member")
    session.close()
    session = Session(device, s.a.port, s.room)
    for kind in (CONTROL, RECORDS):
        session.send([3, s.room, s.owner, kind, []])
    late = records(32, s.form, [0], [[secrets.token_bytes(16), 0, "late"]])
    answer = session.push(RECORDS, [late], timeout=2, keep=False)
    need(not isinstance(answer, list) or answer[5] == 0, f"one who left is heard: {answer}")
    answer = session.push(CONTROL, [control(8, [[0, 0, 0, OWNER, None, 1, 1, []]])], timeout=2, keep=False)
    need(not isinstance(answer, list) or answer[5] == 0, f"one who left grants: {answer}")
    need(not any(body_of(m[1])[1][2] == RECORDS for m in session.got(4)), "one who left is sent records")
    session.close()


class Removal:
    """An owner in this program, and a member who is removed or lowered by it while connected."""

    def __init__(self, s, source):
        self.s, self.owner, self.target = s, Device(), Device()
        joined(self.owner, s.a, "owner", f"127.0.6.{source}")
        joined(self.target, s.a, "collector", f"127.0.6.{source + 1}")
        self.session = s.member(self.target)
        row = [secrets.token_bytes(16), 0, "before"]
        taken(self.session.push(RECORDS, [records(32, s.form, [0], [row])]), 1)
        s.calm()
        self.heads = [[], [list(self.target.head(RECORDS, s.room))]]

    def act(self, block):
        session = self.s.member(self.owner)
        answer = session.push(CONTROL, [block])
        need(isinstance(answer, list) and answer[5] == 1, f"an owner is not heard: {answer}")
        session.close()

    def role(self):
        found = [m["role"] for m in self.s.a.ask("members", "--json") if m["id"] == name(self.target.key)]
        return found[0] if found else None

    def late(self):
        row = [secrets.token_bytes(16), 0, "late"]
        return self.session.push(
            RECORDS, [records(32, self.s.form, [0], [row])], timeout=2, keep=False)


@attack
def removed_in_a_session(s):
    """What comes later counts nowhere, and nothing more is sent; the record from before stays."""
    cast = Removal(s, 1)
    cast.act(control(12, [[0, 0, 1, cast.heads, [], "lost"]], keys=[cast.target.key]))
    need(wait(lambda: cast.role() is None, 20), "one who was removed is still a member")
    s.calm()
    start = len(cast.session.seen)
    answer = cast.late()
    need(not isinstance(answer, list) or answer[5] == 0, f"one who was removed is heard: {answer}")
    s.a.ask("add", "visits", "who=Hidden", "--json")
    s.a.ask("push")
    s.calm()
    if not cast.session.closed:
        cast.session.send([3, s.room, s.owner, RECORDS, []])
        cast.session.pump(lambda: False, 1)
    sent = [body_of(m[1])[1] for m in cast.session.seen[start:] if m[0] == 4]
    need(not any(payload[2] == RECORDS for payload in sent), "one who was removed is sent records")
    cast.session.close()


@attack
def lowered_in_a_session(s):
    """A collector who becomes a viewer while connected writes no more, and reads on."""
    cast = Removal(s, 3)
    cast.act(control(10, [[0, 0, 1, VIEWER, None, cast.heads, []]], keys=[cast.target.key]))
    need(wait(lambda: cast.role() == "viewer", 20), f"the role is {cast.role()}")
    refused(cast.late())
    cast.session.close()
    s.calm()
