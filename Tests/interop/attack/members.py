"""What a member with the role collector may try."""
import json
import secrets
import struct

from .cbor import decode, encode, Raw
from .devices import (
    blake, CONTROL, control, frame, LAST_MOMENT, make_batch, OWNER, RECORDS, records, VIEWER, ZERO, zstd)
from .links import key_of, name, wait
from .scene import attack, ended, Finding, need, refused


@attack
def honest_put_is_taken(s):
    session = s.member()
    s.own = secrets.token_bytes(16)
    answer = session.push(RECORDS, [records(32, s.form, [0, 1], [[s.own, 0, "mine", 1]])])
    need(isinstance(answer, list) and answer[5] == 1, f"an honest put is not accepted: {answer}")
    session.close()
    need(wait(lambda: len(s.facts(s.a)["records"]) == 2, 20), "an honest put is not shown")
    s.calm()


@attack
def damaged_on_the_way(s):
    """Bits flipped and bytes cut off, some of them; Tests/ShareCoreTests does all, offline."""
    data = bytearray(make_batch(s.mallory, s.room, RECORDS, [records(
        32, s.form, [0], [[secrets.token_bytes(16), 0, "damaged"]])])[2])
    cases = []
    for _ in range(12):
        bent, at = bytearray(data), secrets.randbelow(len(data))
        bent[at] ^= 1 << secrets.randbelow(8)
        cases.append((f"a flipped bit in byte {at}", bytes(bent)))
    for size in [0, 1, len(data) - 1] + [secrets.randbelow(len(data)) for _ in range(9)]:
        cases.append((f"a batch cut after {size} bytes", bytes(data[:size])))
    for what, bytes_sent in cases:
        session = s.member()
        session.send([4, bytes_sent])
        need(session.ends(), f"{what} does not end the session")


@attack
def replayed_batches(s):
    """What is held already changes nothing, whoever sends it and however often."""
    session = s.member()
    for _ in range(3):
        for _, batch, data in s.mallory.chain[RECORDS]:
            session.send([4, data])
        for data in s.control_log + s.records_log:
            session.send([4, data])
    last = blake(s.records_log[-1])
    need(session.pump(lambda: last in session.acknowledged), "a known batch is not acknowledged")
    session.close()


@attack
def envelopes_that_are_none(s):
    good = [records(32, s.form, [0], [[secrets.token_bytes(16), 0, "x"]])]
    other = make_batch(s.mallory, s.room, RECORDS, good)[2]
    cases = {
        "kid of the owner": {"author": s.owner}, "number 0": {"number": 0},
        "number 2^53 + 1": {"number": (1 << 53) + 1}, "previous of zeros": {"previous": ZERO},
        "wall before 1970": {"wall": -(1 << 60)}, "wall beyond 64 bits": {"wall": 1 << 63},
        "clock after 2200": {"clock": LAST_MOMENT + 1}, "kind 2": {"log": 2}, "version 2": {"version": 2},
        "length negative": {"length": -1}, "number 1, other previous": {"number": 1, "previous": b"\1" * 32},
        "body swapped": {"payload": decode(other[1:])[2]},
    }
    for what, bend in cases.items():
        if what == "body swapped":
            number, _, data = make_batch(s.mallory, s.room, RECORDS, good)
            payload = decode(decode(data[1:])[2])
            payload[8] = zstd(encode([records(32, s.form, [0], [[secrets.token_bytes(16), 0, "y"]])]))
            bend = {"payload": encode(payload)}
        session = s.member()
        try:
            ended(session.push(RECORDS, good, **bend))
        except Finding as finding:
            raise Finding(f"{what}: {finding}")
    session = s.member()
    session.send([4, other + b"\0"])
    need(session.ends(), "a byte after a batch does not end the session")
    session = s.member()
    session.send([4, secrets.token_bytes(1114113)])
    need(session.ends(), "a batch too large does not end the session")


@attack
def batches_that_do_not_fit(s):
    good = [records(32, s.form, [0], [[secrets.token_bytes(16), 0, "gap"]])]
    session = s.member()
    number, _ = s.mallory.head(RECORDS, s.room)
    cases = ({"number": number + 7}, {"previous": b"\5" * 32}, {"number": 1 << 53})
    for bend in cases:
        answer = session.push(RECORDS, good, timeout=1, **bend)
        need(answer is None or answer[4:] == [False, 0, 0, 0], f"{bend}: {answer}")
    _, _, data = make_batch(s.mallory, b"\7" * 32, RECORDS, good, number=2, previous=b"\5" * 32)
    session.send([4, data])
    _, _, data = make_batch(s.mallory, ZERO, CONTROL, number=1, previous=ZERO, blocks=[
        control(0, [[0, 0, "clinic", bytes(16), True, bytes(32)]])])
    session.send([4, data])
    session.pump(lambda: False, 1)
    session.close()

@attack
def bodies_that_are_malformed(s):
    rle = (1 << 1) | ((128 << 10) << 3)
    run = struct.pack("<I", rle)[:3] + b"\0"
    last = struct.pack("<I", rle | 1)[:3] + b"\0"
    row = [secrets.token_bytes(16), 0, "x"]
    cases = {
        "bomb of 1 GiB": {"body": frame(1 << 20, run * 8192 + last), "length": 1 << 20},
        "bomb that says so": {"body": frame(1 << 30, run * 8191 + last), "length": 1 << 30},
        "size of 4 GiB": {"body": frame((1 << 32) - 1, last), "length": (1 << 32) - 1},
        "length of 2^64": {"body": frame(10, last), "length": (1 << 64) - 1},
        "no frame": {"body": b"\0", "length": 0},
        "cut frame": {"body": zstd(b"abcdef" * 50)[:-3], "length": 300},
        "two frames": {"body": zstd(b"\x80") * 2, "length": 1},
        "skippable": {"body": b"\x50\x2a\x4d\x18\0\0\0\0" + zstd(b"\x80"), "length": 1},
        "no block": {"raw": b"\x80"}, "deep": {"raw": b"\x81" * 200000},
        "array of 2^63": {"raw": b"\x9b\x7f" + b"\xff" * 7}, "left over": {"raw": encode([]) + b"\0"},
        "too many operations": {"blocks": [records(32, s.form, [], [[secrets.token_bytes(16), 0]] * 4097)]},
        "seventeen on one record": {"blocks": [records(34, s.form, [0], [[0, row[0], [], 0, 0, "x"]] * 17)]},
        "count lies": {"blocks": [records(32, s.form, [0], [row], count=2)]},
        "count of 2^63": {"blocks": [records(32, s.form, [0], [row], count=1 << 63)]},
        "count 0 unknown": {"blocks": [[51, 0]]}, "unknown count 2^64": {"blocks": [[51, (1 << 64) - 1]]},
        "unknown nested 9": {"blocks": [[51, 1, Raw(b"\x81" * 9 + b"\0")]]},
        "unknown nested 300000": {"blocks": [[51, 1, Raw(b"\x81" * 300000 + b"\0")]]},
        "delta beyond": {"blocks": [records(32, s.form, [0], [[row[0], (1 << 63) - 1, "x"]])]},
        "delta before": {"blocks": [records(32, s.form, [0], [[row[0], -(1 << 63), "x"]])]},
        "wall beyond": {"blocks": [records(36, s.form, [], [[0, row[0], [], 0, (1 << 63) - 1]])]},
        "wall before": {"blocks": [records(36, s.form, [], [[0, row[0], [], 0, -(1 << 62)]])]},
        "clock after 2200": {"blocks": [records(32, s.form, [0], [[row[0], 1, "x"]])], "clock": LAST_MOMENT},
        "form 0": {"blocks": [[32, 1, [], [], [0, 0], [0], [row]]]},
        "reference missing": {"blocks": [[32, 1, [], [], [5, 0], [0], [row]]]},
        "key missing": {"blocks": [records(34, s.form, [0], [[9, row[0], [], 0, 0, "x"]])]},
        "fields not ascending": {"blocks": [records(32, s.form, [1, 0], [[row[0], 0, 1, "x"]])]},
        "field 600": {"blocks": [records(32, s.form, [600], [row])]},
        "integer 2^63": {"blocks": [records(32, s.form, [1], [[row[0], 0, 1 << 63]])]},
        "integer -2^64": {"blocks": [records(32, s.form, [1], [[row[0], 0, -(1 << 64)]])]},
        "other NaN": {"blocks": [records(32, s.form, [2], [[row[0], 0, Raw(b"\xf9\x7e\x01")]])]},
        "long float": {"blocks": [records(32, s.form, [2], [[row[0], 0, Raw(b"\xfb" + bytes(8))]])]},
        "bytes as a value": {"blocks": [records(32, s.form, [0], [[row[0], 0, b"x"]])]},
        "text without UTF-8": {"blocks": [records(32, s.form, [0], [[row[0], 0, Raw(b"\x62\xed\xa0")]])]},
        "id step first": {"blocks": [records(32, s.form, [0], [[1, 0, "x"]])]},
        "id overflows": {"blocks": [records(32, s.form, [0], [[b"\xff" * 16, 0, "x"], [1, 0, "x"]])]},
    }
    session = s.member()
    for what, bend in cases.items():
        answer = session.push(RECORDS, **bend)
        if answer == "ended" or answer is None:
            raise Finding(f"{what}: {answer}")
        need(answer[4] == 1 and answer[5] == 0 and answer[6] == 0, f"{what}: {answer}")
    session.close()


@attack
def values_of_a_wrong_type(s):
    cases = [(1, "text"), (1, 1.5), (1, 5.0), (2, float("nan")), (2, -0.0), (2, float("inf")), (2, 3), (0, 5),
             (3, "2026-02-30"), (3, "2026-11-21T10:00"), (3, "0000-00-00"), (3, 5), (99, "beyond")]
    session = s.member()
    for field, value in cases:
        try:
            refused(session.push(RECORDS, [records(
                32, s.form, [field], [[secrets.token_bytes(16), 0, value]])]))
        except Finding as finding:
            raise Finding(f"field {field} = {value!r}: {finding}")
    session.close()


@attack
def control_operations_of_a_collector(s):
    me, after = 0, [1, s.grant[1]]
    seen = [s.grant[0]]
    victim = s.forker.key
    ben = key_of(s.b.ask("status", "--json")["device"]["id"])
    fake = json.dumps({"form_id": "visits", "fields": [{"name": "who", "type": "integer"}]})
    end = [[], []]
    cases = {
        "owner by grant": control(8, [[0, 0, me, OWNER, None, 1, 1, []]]),
        "owner by grant that has seen": control(8, [[0, 0, me, OWNER, None, 1, 1, after]], seen),
        "owner by role change": control(10, [[0, 0, me, OWNER, None, end, after]], seen),
        "viewer granted": control(8, [[0, 0, 1, VIEWER, None, 1, 1, []]], keys=[secrets.token_bytes(32)]),
        "role of another": control(10, [[0, 0, 1, VIEWER, None, end, []]], keys=[ben]),
        "removal of the owner": control(12, [[0, 0, 1, end, [], "out"]], keys=[s.owner]),
        "removal of a collector": control(12, [[0, 0, 1, end, [], "out"]], keys=[victim]),
        "acceptance of itself": control(14, [[0, 0, me, end]]),
        "second found": control(0, [[0, 0, "mine", bytes(16), True, bytes(32)]]),
        "room open": control(2, [[0, 0, "open", "true", []]]),
        "room's name": control(2, [[0, 0, "name", "taken", []]]),
        "form": control(4, [[0, 0, "visits", "9", [1, s.form[1]], [["who", 1]], fake]], [s.form[0]]),
        "new form": control(4, [[0, 0, "evil", "1", [], [["x", 0]], fake]]),
        "unsound form": control(4, [[0, 0, "", "1", [], [["", 0], ["", 0]], "{"]]),
        "list": control(6, [[0, 0, "l", [], "name\nx\n"]]),
    }
    session = s.member()
    for what, block in cases.items():
        try:
            refused(session.push(CONTROL, [block]))
        except Finding as finding:
            raise Finding(f"{what}: {finding}")
    session.close()


@attack
def records_of_others(s):
    identity = bytes.fromhex(s.record.replace("-", ""))
    session = s.member()
    for kind, fields, row in (
            (34, [0], [1, identity, [], 0, 0, "forged"]), (36, [], [1, identity, [], 0, 0]),
            (38, [], [1, identity, [], 0, 0]), (40, [], [0, s.own, [], 0, 0, "approved", None]),
            (40, [], [1, identity, [], 0, 0, "approved", None]),
            (42, [], [1, identity, [], 0, 0, "spam"])):
        keys = [s.owner] if row[0] else []
        try:
            refused(session.push(RECORDS, [records(kind, s.form, fields, [row], keys=keys)]))
        except Finding as finding:
            raise Finding(f"kind {kind} by {'another' if row[0] else 'itself'}: {finding}")
    session.close()


@attack
def put_with_the_id_of_another(s):
    """Is another record, of its own author; the owner's stays as it is."""
    session = s.member()
    identity = bytes.fromhex(s.record.replace("-", ""))
    answer = session.push(RECORDS, [records(32, s.form, [0], [[identity, 0, "twin"]])])
    need(isinstance(answer, list) and answer[5] == 1, f"not accepted: {answer}")
    session.close()
    def rows():
        return {(r[1], r[2]) for r in s.facts(s.a)["records"]}
    need(wait(lambda: len(rows()) == 3, 20), "the twin is not shown")
    need((name(s.owner), "Ada") in rows(), f"the owner's record changed: {rows()}")
    s.calm()


@attack
def forms_and_records_that_are_not_there(s):
    session = s.member()
    row = [secrets.token_bytes(16), 0, "x"]
    for form in ((b"\6" * 32, 0), (s.form[0], 4000), s.grant):
        answer = session.push(RECORDS, [records(32, form, [0], [row])])
        need(isinstance(answer, list) and answer[5] == 0, f"form {form}: {answer}")
    answer = session.push(RECORDS, [records(34, s.form, [0], [[0, row[0], [], 0, 0, "x"]])])
    need(isinstance(answer, list) and answer[5] == 0 and answer[6] == 1, f"an edit of nothing: {answer}")
    session.close()


@attack
def unknown_and_misplaced_kinds(s):
    session = s.member()
    for kind in (CONTROL, RECORDS):
        for number in (51, 1 << 40 | 1):
            answer = session.push(kind, [[number, 3, "x", [1, [2]]]])
            need(isinstance(answer, list) and answer[4] == 1, f"odd kind {number} in log {kind}: {answer}")
    answer = session.push(RECORDS, [[52, 2, "x"]])
    need(isinstance(answer, list) and answer[5] == 0 and answer[6] == 2, f"an even kind: {answer}")
    refused(session.push(RECORDS, [control(8, [[0, 0, 0, OWNER, None, 1, 1, []]])]))
    refused(session.push(CONTROL, [records(32, s.form, [0], [[secrets.token_bytes(16), 0, "x"]])]))
    session.close()


@attack
def even_kind_in_a_collectors_control_log(s):
    """Must not stop the room for everybody: honest entries are still judged."""
    session = s.member()
    answer = session.push(CONTROL, [[52, 1, "x"]])
    need(isinstance(answer, list) and answer[4] == 1 and answer[5] == 0, f"{answer}")
    session.close()
    s.a.ask("add", "visits", "who=Grace", "--json")
    s.a.ask("push")
    shown = wait(lambda: len(s.facts(s.b)["records"]) == len(s.facts(s.a)["records"]), 20)
    s.calm()
    need(shown, "a collector's unknown even kind keeps honest records from being shown: "
         f"{s.b.room()}")
