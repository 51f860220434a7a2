"""What one may try who knows a room's id and is no member."""
import secrets

from .devices import blake, CONTROL, control, Device, make_batch, OWNER, RECORDS, records
from .scene import attack, need


@attack
def knower_asks_for_everything(s):
    session = s.knower()
    for kind in (CONTROL, RECORDS):
        session.send([3, s.room, s.owner, kind, []])
    session.send([1, s.room, [[s.owner, 1, [[1, bytes(32)]], None, 1]], 0])
    session.send([8, s.room, [[s.owner, ["10.1.2.3:1"]]]])
    session.pump(lambda: False, 1)
    need(not {m[0] for m in session.seen} & {1, 2, 7, 8}, f"one who is no member got {session.seen}")
    path = [m[1] for m in session.got(4)]
    need(all(blake(data) == s.room for data in path), "more than the founder's own path is sent")
    session.close()


@attack
def knower_grants_itself(s):
    device = Device()
    session = s.knower(device)
    for data in s.control_log:
        session.send([4, data])
    grant = control(8, [[0, 0, 0, OWNER, None, 1, 1, []]])
    for _ in range(3):
        number, batch, data = make_batch(device, s.room, CONTROL, [grant])
        device.chain[CONTROL].append((number, batch, data))
        session.send([4, data])
    session.send([3, s.room, s.owner, RECORDS, []])
    session.pump(lambda: session.got(4), 2)
    need(len(session.got(4)) <= 1 and not session.got(1), "a grant to oneself opens the room")
    session.close()


@attack
def knower_sends_records(s):
    session = s.knower()
    session.send([4, make_batch(session.device, s.room, RECORDS, [records(
        32, s.form, [0], [[secrets.token_bytes(16), 0, "forged"]])])[2]])
    need(session.ends(), "a records batch of one who is no member does not end the session")


@attack
def knower_floods_control_batches(s):
    device = Device()
    session = s.knower(device)
    for index in range(22):
        filling = [1, 1, secrets.token_bytes(1000000)]
        number, batch, data = make_batch(device, s.room, CONTROL, [filling])
        device.chain[CONTROL].append((number, batch, data))
        session.send([4, data])
        if session.closed:
            break
    need(session.ends(30), "22 MiB of one who is no member do not end the session")


@attack
def many_authors_unknown(s):
    session = s.member()
    for _ in range(300):
        device = Device()
        session.send([4, make_batch(device, s.room, CONTROL, [control(
            2, [[0, 0, "name", "forged", []]])])[2]])
    session.pump(lambda: False, 1)
    need(not session.closed, "batches of unknown authors end a member's session")
    session.close()
