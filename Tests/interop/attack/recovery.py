"""Owners against those who outrank them, and control batches that are too much."""
from .devices import CONTROL, COLLECTOR, OWNER, VIEWER, body_of, control, Device, make_batch
from .links import joined, name, wait
from .scene import attack, need, refused


def recovery_key(s):
    """The public key that the founding names: everybody in the room knows it."""
    for data in s.control_log:
        blocks, _ = body_of(data)
        if blocks[0][0] == 0:
            return blocks[0][4][0][4]
    raise AssertionError("the founder's log holds no founding")


def roles(s):
    return {m["id"]: m["role"] for m in s.a.ask("members", "--json")}


@attack
def owner_against_founder(s):
    """A later owner neither removes nor lowers the founder, nor does anybody the recovery key."""
    device = Device()
    joined(device, s.a, "owner", "127.0.7.1")
    s.calm()
    session = s.member(device)
    none = [[], []]
    for block in (control(12, [[0, 0, 1, none, [], "mine now"]], keys=[s.owner]),
                  control(10, [[0, 0, 1, VIEWER, None, none, []]], keys=[s.owner]),
                  control(8, [[0, 0, 1, COLLECTOR, None, 1, 1, []]], keys=[s.owner])):
        refused(session.push(CONTROL, [block]))
    key = recovery_key(s)
    for block in (control(12, [[0, 0, 1, none, [], "no way back"]], keys=[key]),
                  control(8, [[0, 0, 1, OWNER, None, 1, 1, []]], keys=[key]),
                  control(14, [[0, 0, 1, none]], keys=[key])):
        refused(session.push(CONTROL, [block]))
    # Nor does it give itself anything.
    refused(session.push(CONTROL, [control(8, [[0, 0, 0, OWNER, None, 1, 1, []]])]))
    refused(session.push(CONTROL, [control(14, [[0, 0, 0, none]])]))
    session.close()


@attack
def recovery_key_forged(s):
    """Nobody writes in the recovery key's name without the code on paper."""
    device = Device()
    joined(device, s.a, "owner", "127.0.7.3")
    s.calm()
    session = s.member(device)
    block = control(12, [[0, 0, 1, [[], []], [], "forged"]], keys=[s.owner])
    _, _, data = make_batch(device, s.room, CONTROL, [block], author=recovery_key(s), number=1,
                            previous=s.room)
    session.send([4, data])
    session.pump(lambda: session.closed)
    need(session.closed, "a batch that its author has not signed does not end the session")


@attack
def removed_owner_comes_back(s):
    """An owner that was removed unseats nobody, and names no heads that keep its log open."""
    device = Device()
    joined(device, s.a, "owner", "127.0.7.5")
    s.calm()
    session = s.member(device)
    far = [[1 << 52, bytes(31) + b"\x01"]]
    answer = session.push(CONTROL, [control(12, [[0, 0, 0, [far, far], [], "leaving"]])])
    need(isinstance(answer, list) and answer[5] == 1, f"a leave is not accepted: {answer}")
    session.close()
    s.a.run("remove", name(device.key)[4:12], "--drop-grants")
    wait(lambda: name(device.key) not in roles(s), 20)
    s.calm()
    session = s.knower(device)
    session.send([3, s.room, s.owner, CONTROL, []])
    friend = Device()
    block = control(8, [[0, 0, 1, OWNER, None, 1, 1, []]], keys=[friend.key])
    answer = session.push(CONTROL, [block], timeout=2, keep=False)
    need(not isinstance(answer, list) or answer[5] == 0, f"one who was removed grants: {answer}")
    need(name(friend.key) not in roles(s), "a removed owner made an owner")
    session.close()


@attack
def control_batch_too_much(s):
    """More than 64 operations, or sixteen times the batch when unpacked, are a malformed body."""
    device = Device()
    joined(device, s.a, "editor", "127.0.7.7")
    s.calm()
    session = s.member(device)
    before = len(s.a.ask("forms", "--json"))
    for blocks in ([control(2, [[0, 0, f"key{place}", "x", []] for place in range(65)])],
                   [control(2, [[0, 0, "key", " " * 1_000, []]] * 40)],
                   [control(4, [[0, 0, "wide", "1", [], [["a", 0]], " " * 400_000]])]):
        answer = session.push(CONTROL, blocks)
        need(isinstance(answer, list) and answer[4] == 1 and answer[5] == 0,
             f"what is too much is not refused: {answer}")
    need(len(s.a.ask("forms", "--json")) == before, "a form that is too much counts")
    session.close()
