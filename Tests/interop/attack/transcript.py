"""What a stranger can tell from what a device sends it."""
import secrets
import struct
import time

from .cbor import encode
from .devices import Device
from .links import Link
from .scene import attack, Daemon, need


@attack
def a_stranger_learns_nothing(s):
    """All that a stranger receives is alike from a device in no room and from one in three."""
    bare = Daemon("cara")
    full = Daemon("dana")
    try:
        for room in ("clinic", "ward", "people"):
            full.ask("create", room, "--json")
            taken.add(full.ask("invite", "--room", room, "--role", "collector", "--json")["code"][:2])
        for what, provoke in PROVOCATIONS.items():
            transcripts = []
            for daemon in (bare, full):
                wire = Transcript(daemon.port)
                if not wire.link.closed:
                    provoke(wire)
                transcripts.append(wire.seen())
            one, two = transcripts
            need(one == two, f"{what}: a device in no room sends {one}, one in three rooms {two}")
            need(one[0], f"{what}: nothing came")
        # The longest wait is the same too: what ends it, and after what.
        waits = [Transcript(daemon.port) for daemon in (bare, full)]
        yield
        for wire in waits:
            need(wire.link.ends(20), "a stranger that says nothing is not ended")
        need(waits[0].seen() == waits[1].seen(), "the end of a silent stranger differs")
    finally:
        bare.stop()
        full.stop()


class Transcript:
    """A stranger's connection that keeps the lengths of all TLS records and all frames, and of
    each message its shape: what stands in it but for random bytes, the clock and the key."""

    def __init__(self, port):
        self.records, self.raw, self.frames = [], b"", []
        self.link = Link(Device(), port, record=self.take)

    def take(self, data):
        self.raw += data
        while len(self.raw) >= 5:
            size = struct.unpack_from(">H", self.raw, 3)[0] + 5
            if len(self.raw) < size:
                break
            self.records.append((self.raw[0], size))
            self.raw = self.raw[size:]

    def hear(self, count, timeout=3):
        """Takes messages until so many have come, or nothing more comes."""
        deadline = time.monotonic() + timeout
        while len(self.frames) < count and not self.link.closed and time.monotonic() < deadline:
            message = self.link.receive(max(0.01, deadline - time.monotonic()))
            if message:
                self.frames.append(shape(message))

    def seen(self):
        return self.records, self.frames, self.link.closed


def shape(item):
    if isinstance(item, list):
        return [shape(part) for part in item]
    if isinstance(item, bytes):
        return f"{len(item)} bytes"
    if isinstance(item, str):
        return f"{len(item.encode())} bytes of text"
    return len(encode(item)) if isinstance(item, int) and item > 255 else item


def hello(wire, version=1):
    wire.hear(1)
    wire.link.send([0, version, "stranger", int(time.time() * 1000), 1 << 62,
                    [secrets.token_bytes(32) for _ in range(16)]])


def says_hello(wire):
    hello(wire)
    wire.hear(2, 0.5)


def says_nothing(wire):
    wire.hear(2, 0.5)


def sends_garbage(wire):
    wire.hear(1)
    wire.link.frame(b"\xff" * 300)
    need(wire.link.ends(), "garbage does not end it")


def sends_too_much(wire):
    wire.hear(1)
    wire.link.write(struct.pack(">I", 5000))
    need(wire.link.ends(), "a frame that is too long does not end it")


def speaks_another_version(wire):
    hello(wire, 2)
    need(wire.link.ends(), "another version does not end it")


def says_hello_twice(wire):
    hello(wire)
    hello(wire)
    need(wire.link.ends(), "a second hello does not end it")


def mirrors_proofs(wire):
    first = wire.link.receive(3)
    wire.frames.append(shape(first))
    wire.link.send([0, 1, "stranger", first[3], 1 << 62, first[5]])
    wire.hear(2, 0.5)


def guesses_rooms(wire):
    hello(wire)
    for _ in range(5):
        wire.link.send([11, [secrets.token_bytes(32) for _ in range(16)]])
    wire.hear(2, 0.5)


def asks_for_everything(wire):
    hello(wire)
    room, author = secrets.token_bytes(32), secrets.token_bytes(32)
    for message in ([1, room, [], 0], [3, room, author, 0, []], [2, room, author, 1, 5, bytes(32), 1],
                    [7, room, 1, bytes(32), None], [8, room, []], [6, room, []]):
        wire.link.send(message)
    wire.link.send([9])
    wire.hear(2)


def joins_by_chance(wire):
    hello(wire)
    wire.link.send([16, unused(), secrets.token_bytes(32)])
    wire.hear(2)


def joins_out_of_turn(wire):
    hello(wire)
    wire.link.send([18, bytes(64)])
    wire.hear(2)


# The public selectors of the invites that there are: whoever names one of them is answered.
taken = set()


def unused():
    return next(two for two in ("00", "11", "22", "33") if two not in taken)


PROVOCATIONS = {
    "a hello": says_hello, "silence": says_nothing, "garbage": sends_garbage,
    "a frame too long": sends_too_much, "another version": speaks_another_version,
    "a second hello": says_hello_twice, "mirrored proofs": mirrors_proofs,
    "guessed rooms": guesses_rooms, "messages of members": asks_for_everything,
    "a join by chance": joins_by_chance, "a join out of turn": joins_out_of_turn,
}
