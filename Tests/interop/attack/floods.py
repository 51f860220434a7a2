"""What a member may send too much of."""
import concurrent.futures
import json
import secrets
import struct
import time

from .cbor import encode
from .devices import blake, body_of, control, CONTROL, make_batch, RECORDS, records, ZERO
from .links import Link, name, Session, wait
from .scene import attack, need, RESIDENT_LIMIT


@attack
def have_that_lies(s):
    def lies(count):
        return [[secrets.token_bytes(32), k % 2, [[1 << 53, bytes(32)]], None, 1 << 62]
                for k in range(count)]
    session = s.member()
    logs = sorted(lies(16384), key=lambda entry: (entry[1], entry[0]))
    session.send([1, s.room, logs, 0])
    session.send([1, s.room, [[s.owner, 0, [[1 << 53, b"\4" * 32]], None, (1 << 63)]], 0])
    # More branches than can be told, each time others.
    for _ in range(6):
        heads = [[number, secrets.token_bytes(32)] for number in range(1, 65)]
        session.send([1, s.room, [[s.owner, 1, heads, secrets.token_bytes(32), 1]], 0])
        session.send([1, s.room, [[s.owner, 0, [[1, s.room]], secrets.token_bytes(32), 1]], 0])
    session.send([2, s.room, s.owner, 1, 1 << 53, b"\3" * 32, 5])
    session.pump(lambda: False, 1)
    session.close()
    for what, bad in {
            "16,385 logs": sorted(lies(16385), key=lambda e: (e[1], e[0])),
            "number 2^53 + 1": [[s.owner, 0, [[(1 << 53) + 1, ZERO]], None, 1]],
            "number 0": [[s.owner, 0, [[0, ZERO]], None, 1]], 
            "kind 2": [[s.owner, 2, [[1, ZERO]], None, 1]],
            "number 2^64 - 1": [[s.owner, 1, [[(1 << 64) - 1, ZERO]], None, 1]],
            "65 heads": [[s.owner, 0, [[n, ZERO] for n in range(1, 66)], None, 1]],
            "no digest": [[s.owner, 0, [[1, ZERO]], 1]],
            "digest of 31 bytes": [[s.owner, 0, [[1, ZERO]], bytes(31), 1]]}.items():
        session = s.member()
        session.send([1, s.room, bad, 0])
        need(session.ends(), f"a have with {what} does not end the session")
    far = (1 << 64) - 1
    for what, message in {
            "want": [3, s.room, s.owner, RECORDS, [[far, ZERO]]],
            "want of 65 places": [3, s.room, s.owner, RECORDS, [[1, ZERO]] * 65],
            "want above its first batch": [3, s.room, s.owner, RECORDS, [[0, ZERO]]],
            "announce": [2, s.room, s.owner, RECORDS, far, ZERO, 1],
            "acknowledge": [6, s.room, [[s.owner, 1, far, ZERO, 1, 0, 0, 0]]]}.items():
        session = s.member()
        session.send(message)
        need(session.ends(), f"{what} with a number out of bounds does not end the session")


@attack
def counts_as_large_as_they_get(s):
    """Sums over what peers say must not overflow: `ahead`, `behind`, clocks."""
    device = s.mallory
    session = Session(device, s.a.port, s.room, wall=(1 << 64) - 1)
    most = (1 << 64) - 1
    logs = sorted(([key, kind, [[1 << 53, secrets.token_bytes(32)]], None, most]
                   for key in (s.owner, s.forker.key, s.mallory.key) for kind in (0, 1)),
                  key=lambda entry: (entry[1], entry[0]))
    session.send([1, s.room, logs, 0])
    for kind in (0, 1):
        session.send([2, s.room, s.owner, kind, 1 << 53, b"\3" * 32, most])
    session.pump(lambda: False, 1)
    for command in (("peers", "--json"), ("peers",), ("status",), ("members", "--json"), ("doctor",)):
        s.a.run(*command)
        need(s.a.process.poll() is None, f"{command[0]} ends the daemon")
    session.send([3, s.room, s.owner, 1, []])
    session.pump(lambda: session.got(5))
    session.send([6, s.room, [[s.owner, 1, 1, blake(s.records_log[0]), 1, most, most, most]]])
    session.pump(lambda: False, 1)
    s.a.run("peers", "--json")
    session.close()


@attack
def names_that_steer_a_terminal(s):
    session = Session(s.mallory, s.a.port, s.room, title="\x1b[31mred\x07\r\nann\u202e")
    session.tell() if not session.closed else None
    for command in ("peers", "members", "status", "doctor"):
        shown = s.a.run(command).stdout
        need("\x1b" not in shown and "\x07" not in shown and "\u202e" not in shown,
             f"{command} prints what steers a terminal: {shown!r}")
    need("\x1b" not in s.a.log.read_text(), "the log has it")
    session.close()


@attack
def wants_of_everything(s):
    session = s.member()
    want = encode([3, s.room, s.owner, RECORDS, []])
    many = (struct.pack(">I", len(want)) + want) * 500
    for _ in range(20):
        session.write(many)
    need(s.a.resident() < RESIDENT_LIMIT, "memory")
    need(session.ends(), "10,000 requests do not end the session")


@attack
def decisions_of_who_has_none_to_make(s):
    """Control batches of a collector, of which nothing can count: none of it is kept in memory."""
    before, kept, session = s.a.resident(), 0, s.member()
    for number in range(60):
        of = [secrets.token_hex(500) + "x" * 9_000 for _ in range(64)]
        last = session.push(CONTROL, [control(2, [[0, 0, "name", name, []] for name in of])])
        need(last not in ("ended", None), f"batch {number} has no answer: {last}")
        kept += last[4]
    need(kept == 60, f"{kept} of 60 control batches of a collector are kept")
    # Some 38 MB as they lie in memory.
    grown = s.a.resident() - before
    need(grown < 16 << 20, f"they cost {grown >> 20} MiB")
    # The two honest devices go on.
    s.a.ask("add", "visits", "who=Beside", "--json")
    push = s.a.ask("push", "--timeout", "6s", "--json")
    need("ben" in [d["name"] for d in push["delivered"]], f"ben does not get it: {push}")
    s.calm()
    session.close()


@attack
def acknowledgements_of_nothing(s):
    entry = [s.owner, 1, 1 << 53, b"\2" * 32, True, (1 << 64) - 1, (1 << 64) - 1, (1 << 64) - 1]
    for count in (1, 4096, 4097):
        session = s.member()
        session.send([6, s.room, [entry] * count])
        need(session.ends(), f"{count} acknowledgements of what was not sent do not end the session")
    session = s.member()
    sent = session.fetch(s.owner, RECORDS)[0]
    number = body_of(sent)[1][3]
    answer = [6, s.room, [[s.owner, RECORDS, number, blake(sent), 1, 1, 0, 0]]]
    session.send(answer)
    session.pump(lambda: False, 0.3)
    need(not session.closed, "a batch may not be acknowledged")
    session.send(answer)
    need(session.ends(), "the same acknowledgement twice does not end the session")


@attack
def heads_and_proofs_without_end(s):
    for what, message in (("heads", [1, s.room, [], 0]),
                          ("proofs", [11, [secrets.token_bytes(32) for _ in range(16)]])):
        session = s.member()
        for _ in range(200):
            session.send(message)
        need(session.ends(), f"200 messages with {what} do not end the session")


@attack
def ends_of_nothing(s):
    session = s.member()
    for _ in range(3000):
        session.send([5, s.room, s.owner, 1, True])
    session.pump(lambda: False, 0.5)
    need(not session.closed, "ends that nobody waits for end the session")
    session.close()


@attack
def batches_announced_and_never_sent(s):
    """Of others and of nobody; the two honest devices go on sharing."""
    session = s.member()
    for author in (s.forker.key, secrets.token_bytes(32)):
        for kind in (CONTROL, RECORDS):
            session.send([2, s.room, author, kind, 1 << 40, secrets.token_bytes(32), 1 << 50])
    s.a.ask("add", "visits", "who=Announced", "--json")
    push = s.a.ask("push", "--timeout", "6s", "--json")
    need("ben" in [d["name"] for d in push["delivered"]], f"ben does not get it: {push}")
    s.calm()
    result = s.a.run("sync", "--wait", "4s", "--json")
    answer = json.loads(result.stdout)
    need(result.returncode == 1 and answer["outcome"] == "interrupted" and answer["missing"] > 0,
         f"sync does not tell that something is missing: {answer}")
    states = {p["name"]: p["state"] for p in answer["peers"]}
    need(states["ben"] == "identical", f"a liar makes an honest device look unlike: {states}")
    session.close()


@attack
def a_member_that_says_nothing(s):
    """Is its own state, is called up to date by nobody, and is not waited for without end."""
    session = Session(s.mallory, s.a.port, s.room)
    need(wait(lambda: any(p["name"] == "attacker" and p["progress"] for p in s.a.ask("peers", "--json")), 20),
         "the member is not shown")
    peer = [p for p in s.a.ask("peers", "--json") if p["name"] == "attacker"][0]
    need(peer["progress"][0]["state"] == "unheard" and peer["behind"] is None, f"{peer}")
    answer = s.a.ask("sync", "--wait", "30s", "--json")
    need(answer["identical"] and "attacker" not in [p["name"] for p in answer["peers"]]
         and "silent" in [m["state"] for m in answer["absent"]], f"{answer}")
    session.close()


@attack
def another_state_claimed(s):
    """Is told loudly, everywhere, and as often as it has to be: a liar does not fill the log."""
    session = s.member()
    need(session.pump(lambda: session.got(7)), "a member is not told what the room comes to")
    _, _, level, vector, digest = session.got(7)[-1]
    for _ in range(300):
        session.send([7, s.room, level, vector, digest])
        session.send([7, s.room, level, vector, bytes(32)])
    text = "equal logs but unequal state"
    need(wait(lambda: text in s.a.log.read_text(), 20), "the log does not say it")
    session.pump(lambda: False, 0.5)
    need(s.a.log.read_text().count(text) <= 2, "a liar fills the log")
    need("verify" in s.a.run("status").stdout, "status does not say it")
    doctor = s.a.run("doctor", "--json")
    failed = [c for c in json.loads(doctor.stdout)["checks"] if c["state"] == "failed"]
    need(doctor.returncode == 1 and any("verify" in (c["hint"] or "") for c in failed), f"{failed}")
    need(any(t["state"] == "digest_differs" for p in s.a.ask("peers", "--json") for t in p["progress"]),
         "peers does not say it")
    with concurrent.futures.ThreadPoolExecutor() as beside:
        sync = beside.submit(s.a.run, "sync", "--wait", "1s", "--json")
        session.pump(sync.done, 20)
    result = sync.result()
    need(result.returncode == 1 and json.loads(result.stdout)["outcome"] == "digest_differs",
         f"sync does not say it: {result.stdout}")
    session.send([7, s.room, level + 1, vector, bytes(32)])
    need(wait(lambda: all(t["state"] != "digest_differs" for p in s.a.ask("peers", "--json")
                          for t in p["progress"]), 20), "digests of another level are compared")
    session.close()


@attack
def half_a_frame_of_a_member(s):
    session = s.member()
    session.write(struct.pack(">I", 1 << 20) + b"\x82\x04")
    yield
    need(session.ends(40), "half a frame of a member is waited for without end")


@attack
def another_version_of_the_protocol(s):
    link = Link(s.forker, s.a.port)
    link.send([0, 7, "what version 7 has here"])
    need(link.ends(), "a hello of version 7 does not end the session")
    def notes():
        return [p["note"] or "" for p in s.a.ask("peers", "--json")]
    need(wait(lambda: any("version 7" in note for note in notes()), 20), f"peers does not say it: {notes()}")
    session = s.member(s.forker)
    session.close()
    need(not any("version 7" in note for note in notes()), "it is still said when it is over")


@attack
def the_same_device_twice(s):
    """The newer connection of one process takes the place of the older one."""
    sessions, instance = [], secrets.randbits(60)
    for _ in range(3):
        session = Session(s.mallory, s.a.port, s.room, instance=instance)
        session.pump(lambda: session.got(1))
        sessions.append(session)
    need(all(session.ends() for session in sessions[:2]), "older ones stay")
    need(not sessions[2].ends(0.3), "the newest is ended")
    sessions[2].close()


@attack
def addresses_outside(s):
    session = s.member()
    targets = ["203.0.113.7:47117", "example.invalid:80", "[2001:db8::1]:80", ":::"]
    for start in range(0, 64, 4):
        session.send([8, s.room, [[s.forker.key, targets]]])
    session.send([8, s.room, [[secrets.token_bytes(32), targets] for _ in range(64)]])
    seen = set()
    deadline = time.monotonic() + 2
    while time.monotonic() < deadline:
        seen |= s.a.dialled()
        session.pump(lambda: False, 0.1)
    need("203.0.113.7" not in seen, "a public address that a peer named is dialled")
    shown = s.a.run("peers", "--json").stdout
    need("203.0.113" not in shown and "2001:db8" not in shown and "invalid" not in shown,
         f"a public address is remembered: {shown}")
    session.close()
    session = s.member()
    session.send([8, s.room, [[s.forker.key, ["10.0.0.1:1"] * 5]]])
    need(session.ends(), "five addresses of one member do not end the session")


@attack
def a_reader_that_reads_nothing(s):
    session = s.member()
    session.socket.settimeout(2)
    ping = struct.pack(">I", 2) + encode([9])
    start = time.monotonic()
    while time.monotonic() - start < 2 and not session.closed:
        session.write(ping * 4000)
    session.close()


@attack
def forks_with_twelve_heads(s):
    sessions = [s.member(s.forker), s.member(s.forker, s.b)]
    made = []
    for index in range(12):
        number, batch, data = make_batch(s.forker, s.room, RECORDS, [records(
            32, s.form, [0], [[secrets.token_bytes(16), 0, f"branch {index}"]])])
        made.append(batch)
        sessions[index % 2].send([4, data])
    for session in sessions:
        session.pump(lambda: False, 2)
        session.close()
    s.same()
    shown = [row for row in s.facts(s.a)["records"] if row[1] == name(s.forker.key)]
    need(not shown, f"a log with 12 heads is applied: {shown}")
    s.calm()
