"""What anybody on the network may try, and joining with wrong codes."""
import secrets
import socket
import struct
import time

from OpenSSL import SSL

from .cbor import encode, Raw
from .devices import CONTROL, Device, RECORDS
from .links import Exchange, Link, Session
from .scene import attack, Finding, need


@attack
def garbage_instead_of_tls(s):
    for data in (b"\0" * 5000, secrets.token_bytes(5000), b"GET / HTTP/1.1\r\n\r\n", b"\x16\x03\x01\xff\xff"):
        raw = socket.create_connection(("127.0.0.1", s.a.port), 5)
        raw.sendall(data)
        raw.settimeout(12)
        try:
            while raw.recv(4096):
                pass
        except ConnectionError:
            pass
        except TimeoutError:
            raise Finding(f"{data[:8]} keeps a connection open for more than 12 s")


@attack
def frames_too_long(s):
    for size in (4097, 1 << 20, 1 << 31, (1 << 32) - 1):
        link = Link(s.stranger, s.a.port)
        link.write(struct.pack(">I", size) + b"\x80")
        need(link.ends(), f"a frame of {size} bytes does not end the session")


@attack
def bytes_that_are_no_message(s):
    deep = b"\x81" * 4000 + b"\x80"
    bombs = {
        "empty": b"", "garbage": secrets.token_bytes(300), "deep": deep,
        "array of 2^64": b"\x9b" + b"\xff" * 8, "array of 2^32": b"\x9a" + b"\xff" * 4,
        "bytes of 2^63": b"\x82\x04\x5b\x7f" + b"\xff" * 7, "indefinite": b"\x9f\x09\xff",
        "text of 2^62": b"\x86\x00\x01\x7b\x3f" + b"\xff" * 7, "map": b"\xbb" + b"\xff" * 8,
        "tag": b"\xd2\x84" + b"\x40" * 4, "long head": b"\x98\x01\x09",
        **{f"unknown {n}": encode([n]) for n in range(12, 16)},
        "unknown 2^64": encode([(1 << 64) - 1]), "negative": encode([-1]), "left over": encode([9]) + b"\0",
        "hello with 15 proofs": encode([0, 1, "x", 1, 1, [bytes(32)] * 15]),
        "hello with short proof": encode([0, 1, "x", 1, 1, [bytes(31)] * 16]),
        "hello of version 2": encode([0, 2, "x", 1, 1, [bytes(32)] * 16]),
        "hello of version 9, unlike ours": encode([0, 9, [1, 2], "x"]),
        "hello with long name": encode([0, 1, "x" * 64, 1, 1, [bytes(32)] * 16]),
        "hello without UTF-8": encode([0, 1, Raw(b"\x62\xff\xfe"), 1, 1, [bytes(32)] * 16]),
        "have before hello": encode([1, bytes(32), [], 0]),
        "batch before hello": encode([4, b"x"]),
    }
    for what, body in bombs.items():
        link = Link(s.stranger, s.a.port)
        link.frame(body)
        need(link.ends(), f"{what} does not end the session")


@attack
def hello_twice(s):
    session = Session(s.stranger, s.a.port)
    session.send(session.hello)
    need(session.ends(), "a second hello does not end the session")


@attack
def proofs_mirrored(s):
    first = Link(s.stranger, s.a.port)
    hello = first.receive(5)
    need(hello and hello[0] == 0, "no hello")
    first.send([0, 1, "mirror", 1, 7, hello[5]])
    first.send([3, s.room, s.owner, CONTROL, []])
    seen = []
    while message := first.receive(0.5):
        seen.append(message[0])
    need(not set(seen) - {9, 10}, f"mirrored proofs are answered with messages {seen}")
    second = Session(s.mallory, s.a.port, proofs=list(hello[5]))
    second.pump(lambda: False, 0.5)
    need(not second.got(1), "proofs of another connection are taken")
    wrong = Session.__new__(Session)
    Link.__init__(wrong, s.mallory, s.a.port)
    wrong.send([0, 1, "side", 1, 9, [wrong.proof(s.room, b"S")] * 16])
    seen = []
    while message := wrong.receive(0.5):
        seen.append(message[0])
    need(not set(seen) - {0, 9, 10}, "a proof made for the other side is taken")


@attack
def stranger_asks_for_everything(s):
    session = Session(s.stranger, s.a.port)
    for kind in (CONTROL, RECORDS):
        session.send([3, s.room, s.owner, kind, []])
    session.send([1, s.room, [[s.owner, 0, [[1, bytes(32)]], None, 1]], 0])
    session.send([8, s.room, [[s.owner, ["10.1.2.3:1"]]]])
    session.pump(lambda: False, 0.7)
    need(not {m[0] for m in session.seen} - {9, 10}, f"a stranger got {session.seen}")


@attack
def silence_and_half_frames(s):
    links = [Link(Device(), s.a.port) for _ in range(2)]
    links[0].write(struct.pack(">I", 4000) + b"\x86\0")
    quiet = Session(Device(), s.a.port)
    yield
    need(all(link.ends(20) for link in links), "half a frame, or none, is not ended")
    need(quiet.ends(20), "a peer without a room is not ended")


@attack
def pings_from_a_stranger(s):
    session = Session(s.stranger, s.a.port)
    ping = struct.pack(">I", 2) + encode([9])
    start = time.monotonic()
    session.socket.settimeout(2)
    while time.monotonic() - start < 1 and not session.closed:
        session.write(ping * 2000)
    session.close()

@attack
def no_certificate(s):
    bare = Device()
    bare.context = SSL.Context(SSL.TLS_CLIENT_METHOD)
    bare.context.set_verify(SSL.VERIFY_NONE, lambda *_: True)
    link = Link(bare, s.a.port)
    need(link.receive(3) is None and link.closed, "a peer without a certificate is heard")

@attack
def join_messages_out_of_order(s):
    for index, message in enumerate((
            [18, bytes(64)], [17, bytes(32)], [19, bytes(64), b"x" * 40], [20, b"x" * 80], [21, 300, 0],
            [16, "ZZZ", bytes(32)], [16, "00", bytes(31)], [16, "00", bytes(32)], [16, "00", b"\xff" * 32])):
        session = Session(Device(), s.a.port, source=f"127.0.1.{index + 1}")
        session.send(message)
        session.send([20, b"x" * 80])
        session.pump(lambda: session.got(21))
        need(session.closed or session.got(21), f"{message[0]} is not refused")
        need(not session.got(19) and not session.got(4), "a welcome out of nothing")
        session.close()


@attack
def neutral_and_bad_elements(s):
    code = s.a.ask("invite", "--role", "collector", "--json")["code"]
    for index, element in enumerate((bytes(32), b"\xff" * 32, b"\x01" + bytes(31))):
        session = Session(Device(), s.a.port, source=f"127.0.2.{index + 1}")
        session.send([16, code[:2], element])
        session.send([18, bytes(64)])
        session.pump(lambda: session.got(19) or session.got(21))
        need(not session.got(19), "a neutral element is taken")
        session.close()


@attack
def six_wrong_codes(s):
    code = s.a.ask("invite", "--role", "collector", "--json")["code"]
    wrong = code[:-1] + ("0" if code[-1] != "0" else "1")
    reasons = []
    for index in range(6):
        session = Session(Device(), s.a.port, source=f"127.0.3.{index + 1}")
        answer = Exchange(session, wrong).prove()
        reasons.append(tuple(answer[1:]) if answer else None)
        session.close()
    need(reasons == [(2, 4), (2, 3), (2, 2), (2, 1), (2, 0), (1, 0)], f"answers {reasons}")
    session = Session(Device(), s.a.port, source="127.0.3.9")
    need(Exchange(session, code).prove()[:2] == [21, 1], "an ended invite still answers")
    session.close()


@attack
def many_attempts_from_one_address(s):
    live = {invite["selector"] for invite in s.a.ask("invites", "--json")}
    foreign = next(text for text in ("00", "11", "22", "33", "44", "55") if text not in live)
    reasons = []
    for _ in range(13):  # codes that another device has made
        session = Session(Device(), s.a.port, source="127.0.4.1")
        session.send([16, foreign, secrets.token_bytes(32)])
        session.pump(lambda: session.got(21))
        reasons += [m[1] for m in session.got(21)]
        session.close()
    need(set(reasons) == {1}, f"what was no attempt is counted: {reasons}")
    reasons = []
    for _ in range(3):  # wrong ones, of several invites: each ends at its fifth
        code = s.a.ask("invite", "--role", "collector", "--json")["code"]
        wrong = code[:-1] + ("0" if code[-1] != "0" else "1")
        for _ in range(4):
            session = Session(Device(), s.a.port, source="127.0.4.1")
            answer = Exchange(session, wrong).prove()
            reasons.append(answer[1] if answer else None)
            session.close()
    need(reasons == [2] * 10 + [4] * 2, f"more than 10 a minute are not refused: {reasons}")
