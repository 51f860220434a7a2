#!/usr/bin/env python3
"""Attacks a running sharedd over the network, from the protocol's text alone (docs/protocol.md).

Usage: attacker.py [FOLDER WITH sharedd AND shared [ATTACK…]]        default: .build/debug, all

Shares no code with the product. Starts its own daemons on loopback, in a new folder, and attacks
them as a stranger, as one who knows the room's id, and as members with the role collector. After
each attack the daemons must answer, their memory be bounded, and nothing forged be applied; at the
end two honest devices must be identical. One line for each attack; exit status 1 on any finding.
Needs pyOpenSSL and zstandard from pip and libsodium; where they are missing it says so and does
nothing. Takes about two minutes; is no part of `make test`.
"""
import base64
import ctypes
import ctypes.util
import datetime
import hashlib
import hmac
import json
import os
import pathlib
import re
import secrets
import select
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time
import traceback

try:
    import zstandard
    from cryptography import x509
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
    from OpenSSL import SSL, crypto
    sodium = ctypes.CDLL(ctypes.util.find_library("sodium") or "libsodium.so.23")
    sodium.sodium_init()
except (ImportError, OSError) as missing:
    print(f"skipped: needs the Python packages pyOpenSSL and zstandard, and libsodium ({missing})")
    sys.exit(0)

ZERO = bytes(32)
LAST_MOMENT = 7258118400000 << 16
RESIDENT_LIMIT = 200 << 20
CONTROL, RECORDS = 0, 1
VIEWER, COLLECTOR, OWNER = 1, 3, 6


def blake(data):
    return hashlib.blake2b(data, digest_size=32).digest()


# --- CBOR


class Raw(bytes):
    """Bytes that stand in the encoding as they are."""


def head(major, value):
    if value < 24:
        return bytes([major << 5 | value])
    for code, limit, form in ((24, 1 << 8, ">B"), (25, 1 << 16, ">H"), (26, 1 << 32, ">I")):
        if value < limit:
            return bytes([major << 5 | code]) + struct.pack(form, value)
    return bytes([major << 5 | 27]) + struct.pack(">Q", value)


def encode(item):
    if isinstance(item, Raw):
        return bytes(item)
    if item is None:
        return b"\xf6"
    if isinstance(item, bool):
        return b"\xf5" if item else b"\xf4"
    if isinstance(item, int):
        return head(0, item) if item >= 0 else head(1, -1 - item)
    if isinstance(item, float):
        for form, code in ((">e", 0xf9), (">f", 0xfa)):
            try:
                packed = struct.pack(form, item)
            except OverflowError:
                continue
            if struct.unpack(form, packed)[0] == item:
                return bytes([code]) + packed
        return b"\xfb" + struct.pack(">d", item)
    if isinstance(item, bytes):
        return head(2, len(item)) + item
    if isinstance(item, str):
        return head(3, len(item.encode())) + item.encode()
    if isinstance(item, dict):
        return head(5, len(item)) + b"".join(encode(k) + encode(v) for k, v in item.items())
    return head(4, len(item)) + b"".join(encode(part) for part in item)


def decode(data):
    def one(at):
        major, info = data[at] >> 5, data[at] & 31
        at += 1
        if major == 7:
            width = {25: 2, 26: 4, 27: 8}.get(info, 0)
            raw = data[at:at + width]
            simple = {20: False, 21: True}.get(info)
            return (struct.unpack({2: ">e", 4: ">f", 8: ">d"}[width], raw)[0] if width else simple,
                    at + width)
        value = info
        if info >= 24:
            width = 1 << info - 24
            value, at = int.from_bytes(data[at:at + width], "big"), at + width
        if major < 2:
            return (value if major == 0 else -1 - value), at
        if major < 4:
            part = data[at:at + value]
            return (bytes(part) if major == 2 else part.decode()), at + value
        items = []
        for _ in range(value * (2 if major == 5 else 1)):
            item, at = one(at)
            items.append(item)
        return (dict(zip(items[::2], items[1::2])) if major == 5 else items), at
    return one(0)[0]


# --- Devices and batches


class Device:
    def __init__(self):
        self.secret = Ed25519PrivateKey.generate()
        self.key = self.secret.public_key().public_bytes(
            serialization.Encoding.Raw, serialization.PublicFormat.Raw)
        name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "attacker")])
        now = datetime.datetime(2026, 1, 1)
        certificate = (x509.CertificateBuilder().subject_name(name).issuer_name(name)
                       .public_key(self.secret.public_key()).serial_number(1)
                       .not_valid_before(now).not_valid_after(now.replace(year=2036))
                       .sign(self.secret, None))
        self.context = SSL.Context(SSL.TLS_CLIENT_METHOD)
        self.context.set_min_proto_version(SSL.TLS1_3_VERSION)
        self.context.set_verify(SSL.VERIFY_PEER, lambda *_: True)
        self.context.use_certificate(crypto.X509.from_cryptography(certificate))
        self.context.use_privatekey(crypto.PKey.from_cryptography_key(self.secret))
        self.chain = {CONTROL: [], RECORDS: []}

    def head(self, kind, room):
        number, batch = self.chain[kind][-1][:2] if self.chain[kind] else (0, room)
        return number, batch


def zstd(raw):
    return zstandard.ZstdCompressor(level=3, write_checksum=False).compress(raw)


def make_batch(device, room, kind, blocks=None, **other):
    """The device's next batch; `other` bends any part of it. Gives (number, id, bytes)."""
    raw = other.get("raw", encode(blocks) if blocks is not None else b"")
    number, previous = device.head(kind, room)
    number = other.get("number", number + 1)
    payload = encode({
        0: other.get("version", 1), 1: room, 2: other.get("log", kind), 3: number,
        4: other.get("previous", previous), 5: other.get("clock", int(time.time() * 1000) << 16),
        6: other.get("length", len(raw)), 7: other.get("body", None) or zstd(raw)})
    protected = encode({1: -8, 3: "application/vnd.shared.batch", 4: other.get("author", device.key)})
    signature = device.secret.sign(encode(["Signature1", protected, b"", payload]))
    data = b"\xd2" + encode([protected, Raw(b"\xa0"), other.get("payload", payload), signature])
    return number, blake(data), data


def control(kind, operations, references=(), keys=(), count=None):
    return [kind, count or len(operations), list(references), list(keys), operations]


def records(kind, form, fields, rows, references=(), keys=(), count=None):
    """`form` is (batch id, index); it is reference 1."""
    return [kind, count or len(rows), [form[0], *references], list(keys), [1, form[1]], fields, rows]


def body_of(batch):
    payload = decode(decode(batch[1:])[2])
    return decode(zstandard.ZstdDecompressor().decompress(payload[7])), payload


# --- Connections


class Link:
    """TLS and frames, nothing more. `closed` once the other side has ended it."""

    def __init__(self, device, port, source="127.0.0.1", shake=True):
        self.device, self.closed, self.buffer = device, False, bytearray()
        self.socket = socket.create_connection(("127.0.0.1", port), 10, (source, 0))
        self.socket.settimeout(10)
        self.tls = SSL.Connection(device.context, None)
        self.tls.set_connect_state()
        if not shake:
            return
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline and not self.closed:
            try:
                self.tls.do_handshake()
                break
            except SSL.WantReadError:
                self.flush()
                self.take(1)
            except SSL.Error:
                self.closed = True
        self.flush()
        if not self.closed:
            peer = self.tls.get_peer_certificate().to_cryptography().public_key()
            self.peer = peer.public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)

    def flush(self):
        while True:
            try:
                data = self.tls.bio_read(1 << 16)
            except SSL.WantReadError:
                return
            try:
                self.socket.sendall(data)
            except OSError:
                self.closed = True
                return

    def take(self, timeout):
        if self.closed or not select.select([self.socket], [], [], timeout)[0]:
            return False
        try:
            data = self.socket.recv(1 << 16)
        except OSError:
            data = b""
        if not data:
            self.closed = True
            return False
        self.tls.bio_write(data)
        return True

    def write(self, data):
        for at in range(0, len(data), 1 << 14):
            if self.closed:
                return
            try:
                self.tls.send(data[at:at + (1 << 14)])
            except SSL.Error:
                self.closed = True
                return
            self.flush()

    def frame(self, body):
        self.write(struct.pack(">I", len(body)) + body)

    def send(self, message):
        self.frame(encode(message))

    def receive(self, timeout):
        """The next message, or None."""
        deadline = time.monotonic() + timeout
        while True:
            if len(self.buffer) >= 4:
                size = struct.unpack_from(">I", self.buffer)[0]
                if len(self.buffer) >= 4 + size:
                    message = decode(bytes(self.buffer[4:4 + size]))
                    del self.buffer[:4 + size]
                    return message
            try:
                self.buffer += self.tls.recv(1 << 16)
                continue
            except SSL.WantReadError:
                pass
            except SSL.Error:
                self.closed = True
            left = deadline - time.monotonic()
            if self.closed or left <= 0:
                return None
            self.take(left)

    def ends(self, timeout=5):
        """Whether the other side ends it within the time."""
        deadline = time.monotonic() + timeout
        while not self.closed and time.monotonic() < deadline:
            message = self.receive(max(0.01, deadline - time.monotonic()))
            if message and message[0] == 9:
                self.send([10])
        return self.closed

    def close(self):
        self.socket.close()

    def exporter(self, label):
        return self.tls.export_keying_material(label, 32)

    def proof(self, room, side=b"C"):
        return hashlib.blake2b(
            b"shared room proof 1" + self.exporter(b"EXPORTER-shared-session") + side
            + self.device.key + self.peer, key=room, digest_size=32).digest()


class Session(Link):
    """A link that has said hello, knowing `room` or nothing."""

    def __init__(self, device, port, room=None, proofs=None, title="attacker", wall=0, **other):
        super().__init__(device, port, **other)
        self.room, self.seen, self.acknowledged, self.peer_hello = room, [], {}, None
        values = proofs or [secrets.token_bytes(32) for _ in range(16)]
        if self.closed:
            return
        if room:
            values[7] = self.proof(room)
        self.hello = [0, 1, title, wall or int(time.time() * 1000), secrets.randbits(63), values]
        self.send(self.hello)
        first = self.receive(5)
        self.peer_hello = first if first and first[0] == 0 else None

    def pump(self, until, timeout=5):
        """Answers what comes until the condition holds."""
        deadline = time.monotonic() + timeout
        while not until() and not self.closed and time.monotonic() < deadline:
            message = self.receive(min(0.25, max(0.01, deadline - time.monotonic())))
            if not message:
                continue
            self.seen.append(message)
            if message[0] == 9:
                self.send([10])
            elif message[0] == 3 and message[2] == self.device.key:
                for _, _, data in self.device.chain[message[3]]:
                    self.send([4, data])
                self.send([5, self.room, message[2], message[3], False])
            elif message[0] == 6:
                for entry in message[2]:
                    self.acknowledged[entry[3]] = entry
        return bool(until())

    def got(self, number):
        return [m for m in self.seen if m[0] == number]

    def tell(self):
        """What we have, and that we have it."""
        logs = [[self.device.key, kind, [list(chain[-1][:2])], 1]
                for kind, chain in self.device.chain.items() if chain]
        self.send([1, self.room, logs])
        self.pump(lambda: self.got(1), 5)

    def fetch(self, author, kind):
        start = len(self.seen)
        self.send([3, self.room, author, kind, []])
        self.pump(lambda: any(m[0] == 5 for m in self.seen[start:]), 10)
        return [m[1] for m in self.seen[start:] if m[0] == 4]

    def push(self, kind, blocks=None, timeout=5, keep=True, **other):
        """Sends the next batch. Gives its acknowledgement, "ended" or None."""
        number, batch, data = make_batch(self.device, self.room, kind, blocks, **other)
        self.send([4, data])
        self.pump(lambda: batch in self.acknowledged, timeout)
        entry = self.acknowledged.get(batch)
        if entry and entry[4] and keep:
            self.device.chain[kind].append((number, batch, data))
        return entry or ("ended" if self.closed else None)


# --- Joining (docs/protocol/joining.md)


def lv(*parts):
    out = b""
    for part in parts:
        size = len(part)
        while size > 0x7f:
            out += bytes([size & 0x7f | 0x80])
            size >>= 7
        out += bytes([size]) + part
    return out


class Exchange:
    def __init__(self, link, code):
        self.link, code = link, code.replace("-", "")
        self.selector, secret = code[:2], code[2:].encode()
        self.sid = link.exporter(b"EXPORTER-shared-cpace")
        dsi = b"CPaceRistretto255"
        padding = bytes(max(0, 127 - len(lv(secret)) - len(lv(dsi))))
        text = lv(dsi, secret, padding, lv(b"shared join 1", link.device.key, link.peer), self.sid)
        generator, self.scalar, self.ya = (ctypes.create_string_buffer(32) for _ in range(3))
        sodium.crypto_core_ristretto255_from_hash(generator, hashlib.sha512(text).digest())
        sodium.crypto_core_ristretto255_scalar_random(self.scalar)
        sodium.crypto_scalarmult_ristretto255(self.ya, self.scalar, generator)

    def answer(self):
        while True:
            message = self.link.receive(10)
            if message is None or 16 <= message[0] <= 21:
                return message

    def prove(self):
        """Up to the inviter's answer to our proof."""
        self.link.send([16, self.selector, self.ya.raw])
        reply = self.answer()
        if not reply or reply[0] != 17:
            return reply
        shared = ctypes.create_string_buffer(32)
        sodium.crypto_scalarmult_ristretto255(shared, self.scalar, reply[1])
        ours, theirs = lv(self.ya.raw, lv(b"J", self.selector.encode())), lv(reply[1], lv(b"I"))
        self.isk = hashlib.sha512(
            lv(b"CPaceRistretto255_ISK", self.sid, shared.raw) + ours + theirs).digest()
        mac = hashlib.sha512(b"CPaceMac" + self.sid + self.isk).digest()
        self.link.send([18, hmac.new(mac, ours, hashlib.sha512).digest()])
        return self.answer()

    def key(self, label):
        return ChaCha20Poly1305(hashlib.blake2b(label, key=self.isk, digest_size=32).digest())

    def join(self):
        """The room and its founding batch."""
        welcome = self.prove()
        if not welcome or welcome[0] != 19:
            raise RuntimeError(f"the inviter says {welcome}")
        room, founding, _ = decode(self.key(b"shared join 1 welcome").decrypt(bytes(12), welcome[2], None))
        signature = self.link.device.secret.sign(lv(b"shared accept 1", room, self.link.peer))
        accept = encode([[], [], signature])
        self.link.send([20, self.key(b"shared join 1 accept").encrypt(bytes(12), accept, None)])
        return room, founding


def joined(device, daemon, role="collector", source="127.0.0.1"):
    """Makes the device a member by a code; gives the room."""
    code = daemon.ask("invite", "--role", role, "--json")["code"]
    session = Session(device, daemon.port, source=source)
    room, _ = Exchange(session, code).join()
    wait(lambda: any(m["id"] == name(device.key) for m in daemon.ask("members", "--json")), 10)
    session.close()
    return room


def name(key):
    return "dev:" + base64.b32encode(key).decode().lower().rstrip("=")


def key_of(text):
    return base64.b32decode(text[text.index(":") + 1:].upper() + "====")


def wait(condition, timeout):
    deadline = time.monotonic() + timeout
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.05)
    return bool(condition())


# --- Daemons


class Daemon:
    def __init__(self, title, *more):
        self.title, self.folder = title, work / title
        self.socket = work / f"{title}.sock"
        self.log = work / f"{title}.log"
        self.process = subprocess.Popen(
            [binaries / "sharedd", "--data", self.folder, "--socket", self.socket, "--listen",
             "127.0.0.1:0", "--no-discovery", "--name", title, *more],
            stdout=open(self.log, "w"), stderr=subprocess.STDOUT)
        self.port = None

        def listening():
            found = re.search(r"listen=127\.0\.0\.1:(\d+)", self.log.read_text())
            self.port = int(found[1]) if found else None
            return found
        if not wait(listening, 20):
            raise RuntimeError(f"{title} does not start")

    def run(self, *arguments, timeout=15):
        return subprocess.run([binaries / "shared", "--socket", self.socket, *arguments],
                              capture_output=True, text=True, timeout=timeout)

    def ask(self, *arguments):
        result = self.run(*arguments)
        if result.returncode != 0:
            raise RuntimeError(f"{self.title}: {' '.join(map(str, arguments))}: {result.stderr.strip()}")
        return json.loads(result.stdout) if "--json" in arguments else result.stdout

    def room(self):
        return self.ask("status", "--json")["rooms"][0]

    def resident(self):
        text = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", text)[1]) << 10

    def dialled(self):
        """Addresses outside loopback that this machine has TCP sockets to."""
        found = set()
        for line in pathlib.Path(f"/proc/{self.process.pid}/net/tcp").read_text().splitlines()[1:]:
            address = line.split()[2].split(":")[0]
            found.add(socket.inet_ntoa(bytes.fromhex(address)[::-1]))
        return found

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()


# --- The run


class Finding(Exception):
    pass


def need(condition, why):
    if not condition:
        raise Finding(why)


attacks = []


def attack(function):
    attacks.append(function)
    return function


class Scene:
    """Two honest devices with a room, and two members who are not."""

    def __init__(self):
        self.a = Daemon("ann")
        self.a.ask("create", "clinic", "--json")
        form = work / "form.json"
        form.write_text(json.dumps({"form_id": "visits", "fields": [
            {"name": "who", "type": "text"}, {"name": "age", "type": "integer"},
            {"name": "temp", "type": "decimal"}, {"name": "day", "type": "date"}]}))
        self.a.ask("form", "add", form)
        self.record = self.a.ask("add", "visits", "who=Ada", "age=36", "--json")["id"]
        self.a.ask("push")
        code = self.a.ask("invite", "--role", "editor", "--json")["code"]
        self.b = Daemon("ben", "--peer", f"127.0.0.1:{self.a.port}")
        self.b.ask("join", "clinic", "--code", code, "--json")
        self.mallory, self.forker, self.stranger = Device(), Device(), Device()
        self.room = joined(self.mallory, self.a)
        joined(self.forker, self.a)
        session = self.member()
        self.owner = session.peer
        self.control_log = session.fetch(self.owner, CONTROL)
        self.records_log = session.fetch(self.owner, RECORDS)
        need(self.control_log and self.records_log, "a collector is not served what it may read")
        for data in self.control_log:
            for block in body_of(data)[0]:
                if block[0] == 4:
                    self.form = (blake(data), 0)
                    self.fields = [field[0] for field in block[4][0][4]]
                if block[0] == 8 and self.mallory.key in block[3]:
                    self.grant = (blake(data), 0)
        session.close()
        self.allowed = 1  # Records that are honestly there.
        self.calm()

    def member(self, device=None, daemon=None):
        session = Session(device or self.mallory, (daemon or self.a).port, self.room)
        session.tell()
        need(session.got(1), "a member is not told what the other has")
        return session

    def knower(self, device=None):
        return Session(device or Device(), self.a.port, self.room)

    def facts(self, daemon):
        return {"members": sorted((m["id"], m["role"]) for m in daemon.ask("members", "--json")),
                "forms": sorted((f["form_id"], f["version"]) for f in daemon.ask("forms", "--json")),
                "records": sorted((r["_id"], r["_author"], str(r.get("who")), str(r.get("age")),
                                   str(r["_state"])) for r in daemon.ask("list", "visits", "--json"))}

    def calm(self):
        self.before = self.facts(self.a)

    def check(self):
        for daemon in (self.a, self.b):
            need(daemon.process.poll() is None,
                 f"{daemon.title} has ended with {daemon.process.returncode}")
            daemon.ask("status", "--json")
            size = daemon.resident()
            need(size < RESIDENT_LIMIT, f"{daemon.title} has {size >> 20} MiB resident")
        after = self.facts(self.a)
        for part, value in after.items():
            need(value == self.before[part], f"{part} changed: {self.before[part]} -> {value}")

    def same(self):
        def equal():
            one, two = self.a.ask("status", "--json"), self.b.ask("status", "--json")
            return (one["rooms"][0]["digest"] == two["rooms"][0]["digest"]
                    and one["peers"]["identical"] >= 1 and two["peers"]["identical"] >= 1)
        need(wait(equal, 30), "the two honest devices are not identical: "
             f"{self.a.room()} / {self.b.room()} / {self.a.ask('peers', '--json')}")
        need(self.facts(self.a) == self.facts(self.b), "equal digests, other content")


def refused(answer, count=1):
    """The batch is stored and all its operations are refused."""
    need(isinstance(answer, list), f"no acknowledgement: {answer}")
    need(answer[4], "acknowledged as not stored")
    need(answer[5] == 0, f"accepted {answer[5]} operations")
    need(answer[7] == count, f"refused {answer[7]} of {count} operations, waiting {answer[6]}")


def ended(answer):
    need(answer == "ended", f"expected the end of the session, got {answer}")


# --- (a) Strangers


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
        "tag": b"\xd2\x84" + b"\x40" * 4, "long head": b"\x98\x01\x09", "unknown 12": encode([12]),
        "unknown 2^64": encode([(1 << 64) - 1]), "negative": encode([-1]), "left over": encode([9]) + b"\0",
        "hello with 15 proofs": encode([0, 1, "x", 1, 1, [bytes(32)] * 15]),
        "hello with short proof": encode([0, 1, "x", 1, 1, [bytes(31)] * 16]),
        "hello of version 2": encode([0, 2, "x", 1, 1, [bytes(32)] * 16]),
        "hello with long name": encode([0, 1, "x" * 64, 1, 1, [bytes(32)] * 16]),
        "hello without UTF-8": encode([0, 1, Raw(b"\x62\xff\xfe"), 1, 1, [bytes(32)] * 16]),
        "have before hello": encode([1, bytes(32), []]),
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
    while message := first.receive(1.5):
        seen.append(message[0])
    need(not set(seen) - {9, 10}, f"mirrored proofs are answered with messages {seen}")
    second = Session(s.mallory, s.a.port, proofs=list(hello[5]))
    second.pump(lambda: False, 1)
    need(not second.got(1), "proofs of another connection are taken")
    wrong = Session.__new__(Session)
    Link.__init__(wrong, s.mallory, s.a.port)
    wrong.send([0, 1, "side", 1, 9, [wrong.proof(s.room, b"S")] * 16])
    seen = []
    while message := wrong.receive(1):
        seen.append(message[0])
    need(not set(seen) - {0, 9, 10}, "a proof made for the other side is taken")


@attack
def stranger_asks_for_everything(s):
    session = Session(s.stranger, s.a.port)
    for kind in (CONTROL, RECORDS):
        session.send([3, s.room, s.owner, kind, []])
    session.send([1, s.room, [[s.owner, 0, [[1, bytes(32)]], 1]]])
    session.send([8, s.room, [[s.owner, ["10.1.2.3:1"]]]])
    session.pump(lambda: False, 1.5)
    need(not {m[0] for m in session.seen} - {9, 10}, f"a stranger got {session.seen}")


@attack
def silence_and_half_frames(s):
    links = [Link(s.stranger, s.a.port) for _ in range(2)]
    links[0].write(struct.pack(">I", 4000) + b"\x86\0")
    quiet = Session(s.stranger, s.a.port)
    start = time.monotonic()
    need(all(link.ends(14) for link in links), "half a frame, or none, is not ended after 10 s")
    need(quiet.ends(max(1, 14 - (time.monotonic() - start))), "a peer without a room is not ended after 10 s")


@attack
def pings_from_a_stranger(s):
    session = Session(s.stranger, s.a.port)
    ping = struct.pack(">I", 2) + encode([9])
    start = time.monotonic()
    session.socket.settimeout(2)
    while time.monotonic() - start < 3 and not session.closed:
        session.write(ping * 2000)
    session.close()


# --- Joining


@attack
def join_messages_out_of_order(s):
    for index, message in enumerate((
            [18, bytes(64)], [17, bytes(32)], [19, bytes(64), b"x" * 40], [20, b"x" * 80], [21, 300, 0],
            [16, "ZZZ", bytes(32)], [16, "00", bytes(31)], [16, "00", bytes(32)], [16, "00", b"\xff" * 32])):
        session = Session(Device(), s.a.port, source=f"127.0.1.{index + 1}")
        session.send(message)
        session.send([20, b"x" * 80])
        session.pump(lambda: session.got(21), 3)
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
        session.pump(lambda: session.got(19) or session.got(21), 3)
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
def many_starts_from_one_address(s):
    reasons = []
    for _ in range(13):
        session = Session(Device(), s.a.port, source="127.0.4.1")
        session.send([16, "00", secrets.token_bytes(32)])
        session.pump(lambda: session.got(21), 3)
        reasons += [m[1] for m in session.got(21)]
        session.close()
    need(reasons[-1:] == [4], f"more than 10 a minute are not refused: {reasons}")


# --- (b) Who knows the room's id


@attack
def knower_asks_for_everything(s):
    session = s.knower()
    for kind in (CONTROL, RECORDS):
        session.send([3, s.room, s.owner, kind, []])
    session.send([1, s.room, [[s.owner, 1, [[1, bytes(32)]], 1]]])
    session.send([8, s.room, [[s.owner, ["10.1.2.3:1"]]]])
    session.pump(lambda: False, 2)
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
    grant = control(8, [[0, 0, OWNER, 1, 1, []]])
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
    need(session.ends(5), "22 MiB of one who is no member do not end the session")


@attack
def many_authors_unknown(s):
    session = s.member()
    for _ in range(700):
        device = Device()
        session.send([4, make_batch(device, s.room, CONTROL, [control(
            2, [[0, "name", "forged", []]])])[2]])
    session.pump(lambda: False, 2)
    need(not session.closed, "batches of unknown authors end a member's session")
    session.close()


# --- (c) A member with the role collector


@attack
def honest_put_is_taken(s):
    session = s.member()
    s.own = secrets.token_bytes(16)
    answer = session.push(RECORDS, [records(32, s.form, [0, 1], [[s.own, 0, "mine", 1]])])
    need(isinstance(answer, list) and answer[5] == 1, f"an honest put is not accepted: {answer}")
    session.close()
    need(wait(lambda: len(s.facts(s.a)["records"]) == 2, 5), "an honest put is not shown")
    s.calm()


@attack
def bit_flips(s):
    data = bytearray(make_batch(s.mallory, s.room, RECORDS, [records(
        32, s.form, [0], [[secrets.token_bytes(16), 0, "flipped"]])])[2])
    for _ in range(16):
        bent, at = bytearray(data), secrets.randbelow(len(data))
        bent[at] ^= 1 << secrets.randbelow(8)
        session = s.member()
        session.send([4, bytes(bent)])
        need(session.ends(), f"a flipped bit in byte {at} does not end the session")


@attack
def envelopes_that_are_none(s):
    good = [records(32, s.form, [0], [[secrets.token_bytes(16), 0, "x"]])]
    other = make_batch(s.mallory, s.room, RECORDS, good)[2]
    cases = {
        "kid of the owner": {"author": s.owner}, "number 0": {"number": 0},
        "number 2^53 + 1": {"number": (1 << 53) + 1}, "previous of zeros": {"previous": ZERO},
        "clock after 2200": {"clock": LAST_MOMENT + 1}, "kind 2": {"log": 2}, "version 2": {"version": 2},
        "length negative": {"length": -1}, "number 1, other previous": {"number": 1, "previous": b"\1" * 32},
        "body swapped": {"payload": decode(other[1:])[2]},
    }
    for what, bend in cases.items():
        if what == "body swapped":
            number, _, data = make_batch(s.mallory, s.room, RECORDS, good)
            payload = decode(decode(data[1:])[2])
            payload[7] = zstd(encode([records(32, s.form, [0], [[secrets.token_bytes(16), 0, "y"]])]))
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
        control(0, [[0, "clinic", bytes(16), True]])])
    session.send([4, data])
    session.pump(lambda: False, 1)
    session.close()


def frame(size, blocks, descriptor=0xa0):
    return b"\x28\xb5\x2f\xfd" + bytes([descriptor]) + struct.pack("<I", size) + blocks


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
        "count lies": {"blocks": [records(32, s.form, [0], [row], count=2)]},
        "count of 2^63": {"blocks": [records(32, s.form, [0], [row], count=1 << 63)]},
        "count 0 unknown": {"blocks": [[51, 0]]}, "unknown count 2^64": {"blocks": [[51, (1 << 64) - 1]]},
        "unknown nested 9": {"blocks": [[51, 1, Raw(b"\x81" * 9 + b"\0")]]},
        "unknown nested 300000": {"blocks": [[51, 1, Raw(b"\x81" * 300000 + b"\0")]]},
        "delta beyond": {"blocks": [records(32, s.form, [0], [[row[0], (1 << 63) - 1, "x"]])]},
        "delta before": {"blocks": [records(32, s.form, [0], [[row[0], -(1 << 63), "x"]])]},
        "clock after 2200": {"blocks": [records(32, s.form, [0], [[row[0], 1, "x"]])], "clock": LAST_MOMENT},
        "form 0": {"blocks": [[32, 1, [], [], [0, 0], [0], [row]]]},
        "reference missing": {"blocks": [[32, 1, [], [], [5, 0], [0], [row]]]},
        "key missing": {"blocks": [records(34, s.form, [0], [[9, row[0], [], 0, "x"]])]},
        "fields not ascending": {"blocks": [records(32, s.form, [1, 0], [[row[0], 0, 1, "x"]])]},
        "field 500": {"blocks": [records(32, s.form, [500], [row])]},
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
        need(answer[4] and answer[5] == 0 and answer[6] == 0, f"{what}: {answer}")
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
        "owner by grant": control(8, [[0, me, OWNER, 1, 1, []]]),
        "owner by grant that has seen": control(8, [[0, me, OWNER, 1, 1, after]], seen),
        "owner by role change": control(10, [[0, me, OWNER, end, after]], seen),
        "viewer granted": control(8, [[0, 1, VIEWER, 1, 1, []]], keys=[secrets.token_bytes(32)]),
        "role of another": control(10, [[0, 1, VIEWER, end, []]], keys=[ben]),
        "removal of the owner": control(12, [[0, 1, end, [], "out"]], keys=[s.owner]),
        "removal of a collector": control(12, [[0, 1, end, [], "out"]], keys=[victim]),
        "acceptance of itself": control(14, [[0, me, end]]),
        "second found": control(0, [[0, "mine", bytes(16), True]]),
        "room open": control(2, [[0, "open", "true", []]]),
        "room's name": control(2, [[0, "name", "taken", []]]),
        "form": control(4, [[0, "visits", "9", [1, s.form[1]], [["who", 1]], fake]], [s.form[0]]),
        "new form": control(4, [[0, "evil", "1", [], [["x", 0]], fake]]),
        "unsound form": control(4, [[0, "", "1", [], [["", 0], ["", 0]], "{"]]),
        "list": control(6, [[0, "l", [], "name\nx\n"]]),
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
            (34, [0], [1, identity, [], 0, "forged"]), (36, [], [1, identity, [], 0]),
            (38, [], [1, identity, [], 0]), (40, [], [0, s.own, [], 0, "approved", None]),
            (40, [], [1, identity, [], 0, "approved", None]), (42, [], [1, identity, [], 0, "spam"])):
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
    need(wait(lambda: len(rows()) == 3, 5), "the twin is not shown")
    need((name(s.owner), "Ada") in rows(), f"the owner's record changed: {rows()}")
    s.calm()


@attack
def forms_and_records_that_are_not_there(s):
    session = s.member()
    row = [secrets.token_bytes(16), 0, "x"]
    for form in ((b"\6" * 32, 0), (s.form[0], 4000), s.grant):
        answer = session.push(RECORDS, [records(32, form, [0], [row])])
        need(isinstance(answer, list) and answer[5] == 0, f"form {form}: {answer}")
    answer = session.push(RECORDS, [records(34, s.form, [0], [[0, row[0], [], 0, "x"]])])
    need(isinstance(answer, list) and answer[5] == 0 and answer[6] == 1, f"an edit of nothing: {answer}")
    session.close()


@attack
def unknown_and_misplaced_kinds(s):
    session = s.member()
    for kind in (CONTROL, RECORDS):
        for number in (51, 1 << 40 | 1):
            answer = session.push(kind, [[number, 3, "x", [1, [2]]]])
            need(isinstance(answer, list) and answer[4], f"odd kind {number} in log {kind}: {answer}")
    answer = session.push(RECORDS, [[52, 2, "x"]])
    need(isinstance(answer, list) and answer[5] == 0 and answer[6] == 2, f"an even kind: {answer}")
    refused(session.push(RECORDS, [control(8, [[0, 0, OWNER, 1, 1, []]])]))
    refused(session.push(CONTROL, [records(32, s.form, [0], [[secrets.token_bytes(16), 0, "x"]])]))
    session.close()


@attack
def even_kind_in_a_collectors_control_log(s):
    """Must not stop the room for everybody: honest entries are still judged."""
    session = s.member()
    answer = session.push(CONTROL, [[52, 1, "x"]])
    need(isinstance(answer, list) and answer[4] and answer[5] == 0, f"{answer}")
    session.close()
    s.a.ask("add", "visits", "who=Grace", "--json")
    s.a.ask("push")
    shown = wait(lambda: len(s.facts(s.b)["records"]) == len(s.facts(s.a)["records"]), 8)
    s.calm()
    need(shown, "a collector's unknown even kind keeps honest records from being shown: "
         f"{s.b.room()}")


# --- Floods by a member


@attack
def have_that_lies(s):
    def lies(count):
        return [[secrets.token_bytes(32), k % 2, [[1 << 53, secrets.token_bytes(32)]], 1 << 62]
                for k in range(count)]
    session = s.member()
    logs = sorted(lies(16384), key=lambda entry: (entry[1], entry[0]))
    session.send([1, s.room, logs])
    session.send([1, s.room, [[s.owner, 0, [[1 << 53, b"\4" * 32]], (1 << 63)]]])
    session.send([2, s.room, s.owner, 1, 1 << 53, b"\3" * 32, 5])
    session.pump(lambda: False, 3)
    session.close()
    for what, bad in {
            "16,385 logs": sorted(lies(16385), key=lambda e: (e[1], e[0])),
            "number 2^53 + 1": [[s.owner, 0, [[(1 << 53) + 1, ZERO]], 1]],
            "number 0": [[s.owner, 0, [[0, ZERO]], 1]], "kind 2": [[s.owner, 2, [[1, ZERO]], 1]],
            "number 2^64 - 1": [[s.owner, 1, [[(1 << 64) - 1, ZERO]], 1]],
            "ten heads": [[s.owner, 0, [[n, ZERO] for n in range(1, 11)], 1]]}.items():
        session = s.member()
        session.send([1, s.room, bad])
        need(session.ends(), f"a have with {what} does not end the session")
    far = (1 << 64) - 1
    for what, message in {
            "want": [3, s.room, s.owner, RECORDS, [[far, ZERO]]],
            "want of 65 places": [3, s.room, s.owner, RECORDS, [[1, ZERO]] * 65],
            "want above its first batch": [3, s.room, s.owner, RECORDS, [[0, ZERO]]],
            "announce": [2, s.room, s.owner, RECORDS, far, ZERO, 1],
            "acknowledge": [6, s.room, [[s.owner, 1, far, ZERO, True, 0, 0, 0]]]}.items():
        session = s.member()
        session.send(message)
        need(session.ends(), f"{what} with a number out of bounds does not end the session")


@attack
def counts_as_large_as_they_get(s):
    """Sums over what peers say must not overflow: `ahead`, `behind`, clocks."""
    device = s.mallory
    session = Session(device, s.a.port, s.room, wall=(1 << 64) - 1)
    most = (1 << 64) - 1
    logs = sorted(([key, kind, [[1 << 53, secrets.token_bytes(32)]], most]
                   for key in (s.owner, s.forker.key, s.mallory.key) for kind in (0, 1)),
                  key=lambda entry: (entry[1], entry[0]))
    session.send([1, s.room, logs])
    for kind in (0, 1):
        session.send([2, s.room, s.owner, kind, 1 << 53, b"\3" * 32, most])
    session.pump(lambda: False, 1)
    for command in (("peers", "--json"), ("peers",), ("status",), ("members", "--json"), ("doctor",)):
        s.a.run(*command)
        need(s.a.process.poll() is None, f"{command[0]} ends the daemon")
    for number, batch, _ in s.mallory.chain[RECORDS][:3]:
        session.send([6, s.room, [[device.key, 1, number, batch, True, most, most, most]]])
    session.send([6, s.room, [[s.owner, 1, 1, blake(s.records_log[0]), True, most, most, most]]])
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
    session.socket.settimeout(3)
    want = encode([3, s.room, s.owner, RECORDS, []])
    many = (struct.pack(">I", len(want)) + want) * 500
    for _ in range(20):
        session.write(many)
    need(s.a.resident() < RESIDENT_LIMIT, "memory")
    session.pump(lambda: False, 2)
    session.close()


@attack
def acknowledgements_of_nothing(s):
    session = s.member()
    entry = [s.owner, 1, 1 << 53, b"\2" * 32, True, (1 << 64) - 1, (1 << 64) - 1, (1 << 64) - 1]
    for _ in range(50):
        session.send([6, s.room, [entry] * 4096])
    session.pump(lambda: False, 1)
    session.close()
    session = s.member()
    session.send([6, s.room, [entry] * 4097])
    need(session.ends(), "4,097 entries do not end the session")


@attack
def states_and_ends_of_nothing(s):
    session = s.member()
    for _ in range(3000):
        session.send([7, s.room, secrets.token_bytes(32), secrets.token_bytes(32)])
        session.send([5, s.room, s.owner, 1, True])
    session.pump(lambda: False, 1)
    session.close()


@attack
def addresses_outside(s):
    session = s.member()
    targets = ["203.0.113.7:47117", "example.invalid:80", "[2001:db8::1]:80", ":::"]
    for start in range(0, 64, 4):
        session.send([8, s.room, [[s.forker.key, targets]]])
    session.send([8, s.room, [[secrets.token_bytes(32), targets] for _ in range(64)]])
    seen = set()
    deadline = time.monotonic() + 4
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
    while time.monotonic() - start < 4 and not session.closed:
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


# --- Content that is allowed and hard


def taken(answer, count):
    need(isinstance(answer, list) and answer[5] == count, f"expected {count} accepted, got {answer}")


@attack
def values_at_the_edge(s):
    """All of them are valid and must come through to the bit."""
    session = s.member()
    texts = ["a\0b", "\x1b[2J\x07", "x" * 900000, "'; DROP TABLE visits; --", "e\u0301", "", "\U0010ffff"]
    for text in texts:
        taken(session.push(RECORDS, [records(32, s.form, [0], [[secrets.token_bytes(16), 0, text]])]), 1)
    for field, value in ((1, -(1 << 63)), (1, (1 << 63) - 1), (2, 5e-324), (2, 1.7976931348623157e308),
                         (3, "0000-02-29"), (3, None)):
        row = [secrets.token_bytes(16), 0, value]
        taken(session.push(RECORDS, [records(32, s.form, [field], [row])]), 1)
    session.close()
    shown = s.a.run("list", "visits").stdout
    s.same()
    s.calm()
    need({t for t in texts if t} <= {r.get("who") for r in s.b.ask("list", "visits", "--json")},
         "a text did not come through")
    need("\x1b" not in shown and "\x07" not in shown, "list prints what steers a terminal")


@attack
def a_chain_of_edits(s):
    """12,288 edits of one record, each upon the one before."""
    session, identity, last = s.member(), secrets.token_bytes(16), None
    taken(session.push(RECORDS, [records(32, s.form, [0], [[identity, 0, "chain"]])]), 1)
    start = time.monotonic()
    for _ in range(3):
        rows = [[0, identity, [0, n - 1] if n else [2, 4095] if last else [], 1, n] for n in range(4096)]
        answer = session.push(RECORDS, [records(34, s.form, [1], rows, [last] if last else [])], timeout=40)
        taken(answer, 4096)
        last = answer[3]
    took = time.monotonic() - start
    session.close()
    need(took < 20, f"12,288 edits in a chain take {took:.1f} s")
    s.same()
    s.calm()


@attack
def a_crowd_of_edits(s):
    """12,288 edits of one record, none of which has seen another."""
    session, identity = s.member(), secrets.token_bytes(16)
    taken(session.push(RECORDS, [records(32, s.form, [0], [[identity, 0, "crowd"]])]), 1)
    times = []
    for _ in range(3):
        start = time.monotonic()
        rows = [[0, identity, [], 1, n] for n in range(4096)]
        taken(session.push(RECORDS, [records(34, s.form, [1], rows)], timeout=60), 4096)
        times.append(time.monotonic() - start)
    session.close()
    s.a.run("conflicts", "--json")
    need(sum(times) < 20, f"parallel edits, 4,096 each, take {', '.join(f'{t:.1f} s' for t in times)}")
    s.same()
    s.calm()


@attack
def the_last_moment(s):
    """A member may use up the clock; others go on editing."""
    session = s.member()
    taken(session.push(RECORDS, [records(32, s.form, [0], [[secrets.token_bytes(16), 0, "2200"]])],
                       clock=LAST_MOMENT), 1)
    session.close()
    made = s.a.ask("add", "visits", "who=After", "--json")["id"]
    s.a.ask("edit", made, "who=Edited")
    s.a.ask("push")
    s.a.ask("edit", made, "who=Again")
    s.a.ask("push")
    need(any(r.get("who") == "Again" for r in s.a.ask("list", "visits", "--json")), "an edit is lost")
    s.same()
    s.calm()


# --- Availability


@attack
def many_sessions_of_one_member(s):
    """60 sessions of one key, each as another process; honest devices must find room."""
    start = time.monotonic()
    sessions = [Session(s.mallory, s.a.port, s.room) for _ in range(60)]
    took = time.monotonic() - start
    for session in sessions:
        session.pump(lambda: False, 0.01)
    s.a.ask("add", "visits", "who=Crowded", "--json")
    s.a.ask("push")
    try:
        s.same()
        need(time.monotonic() - start - took < 10, f"it takes honest devices "
             f"{time.monotonic() - start - took:.1f} s to be identical (60 sessions made in {took:.1f} s)")
    finally:
        for session in sessions:
            session.close()
        s.calm()


@attack
def one_member_holds_every_connection(s):
    """530 sessions of one key, each as another process; an honest device must still join."""
    code = s.a.ask("invite", "--role", "collector", "--json")["code"]
    sessions, start = [], time.monotonic()
    try:
        while len(sessions) < 530 and time.monotonic() - start < 20:
            sessions.append(Session(s.mallory, s.a.port, s.room))
        alive = sum(not select.select([session.socket], [], [], 0)[0] or not session.ends(0.02)
                    for session in sessions)
        size = s.a.resident() >> 20
        honest = Daemon("dora", "--peer", f"127.0.0.1:{s.a.port}")
        try:
            began = time.monotonic()
            result = honest.run("join", "clinic", "--code", code, "--json", timeout=40)
            took = time.monotonic() - began
        finally:
            honest.stop()
    finally:
        for session in sessions:
            session.close()
    s.calm()
    more = f"{alive} of {len(sessions)} sessions of one key stay, {size} MiB"
    need(result.returncode == 0, f"an honest device cannot join: {result.stderr.strip()} ({more})")
    need(took < 6, f"an honest device needs {took:.1f} s to join ({more})")
    need(alive <= 64, more)


@attack
def no_certificate(s):
    bare = Device()
    bare.context = SSL.Context(SSL.TLS_CLIENT_METHOD)
    bare.context.set_verify(SSL.VERIFY_NONE, lambda *_: True)
    link = Link(bare, s.a.port)
    need(link.receive(3) is None and link.closed, "a peer without a certificate is heard")


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
    need(not session.got(7), "a contributor is sent the digest of all")
    session.close()


@attack
def viewer_writes(s):
    device = Device()
    joined(device, s.a, "viewer", "127.0.5.2")
    s.calm()
    session = s.member(device)
    refused(session.push(RECORDS, [records(32, s.form, [0], [[secrets.token_bytes(16), 0, "viewer"]])]))
    refused(session.push(CONTROL, [control(8, [[0, 0, OWNER, 1, 1, []]])]))
    session.close()


@attack
def one_who_left_goes_on(s):
    """Leaves by its own removal, then writes on and grants itself a new role."""
    device = Device()
    joined(device, s.a, "collector", "127.0.5.3")
    s.calm()
    session = s.member(device)
    answer = session.push(CONTROL, [control(12, [[0, 0, [[], []], [], "bye"]])])
    need(isinstance(answer, list) and answer[5] == 1, f"a leave is not accepted: {answer}")
    wait(lambda: all(m["id"] != name(device.key) for m in s.a.ask("members", "--json")), 5)
    s.calm()
    need(name(device.key) not in dict(s.before["members"]), "one who left is still a member")
    session.close()
    session = Session(device, s.a.port, s.room)
    for kind in (CONTROL, RECORDS):
        session.send([3, s.room, s.owner, kind, []])
    late = records(32, s.form, [0], [[secrets.token_bytes(16), 0, "late"]])
    answer = session.push(RECORDS, [late], timeout=2, keep=False)
    need(not isinstance(answer, list) or answer[5] == 0, f"one who left is heard: {answer}")
    answer = session.push(CONTROL, [control(8, [[0, 0, OWNER, 1, 1, []]])], timeout=2, keep=False)
    need(not isinstance(answer, list) or answer[5] == 0, f"one who left grants: {answer}")
    need(not any(body_of(m[1])[1][2] == RECORDS for m in session.got(4)), "one who left is sent records")
    session.close()


@attack
def half_open_connections(s):
    """500 of them, opened anew as they are closed, while an honest device joins."""
    import threading
    code = s.a.ask("invite", "--role", "collector", "--json")["code"]
    honest = Daemon("cleo", "--peer", f"127.0.0.1:{s.a.port}")
    done = threading.Event()
    sockets = []

    def hold():
        opened = 0
        while not done.is_set() and opened < 1500:
            try:
                raw = socket.create_connection(("127.0.0.1", s.a.port), 1)
                raw.send(b"\x16\x03\x01\x02\x00")
                sockets.append(raw)
                opened += 1
            except OSError:
                pass
            while len(sockets) > 500:
                sockets.pop(0).close()
            if opened > 500:
                time.sleep(0.02)
    holder = threading.Thread(target=hold)
    holder.start()
    wait(lambda: len(sockets) >= 450, 10)
    knowers = [s.knower() for _ in range(6)]
    start = time.monotonic()
    try:
        result = honest.run("join", "clinic", "--code", code, "--json", timeout=30)
        took = time.monotonic() - start
    finally:
        done.set()
        holder.join()
        for raw in sockets + knowers:
            raw.close()
        honest.stop()
    s.calm()
    need(result.returncode == 0, f"an honest device cannot join: {result.stderr.strip()}")
    need(took < 6, f"an honest device needs {took:.1f} s to join")


@attack
def honest_devices_are_identical(s):
    s.a.ask("add", "visits", "who=Last", "--json")
    s.a.ask("push")
    s.same()
    s.calm()
    for daemon in (s.a, s.b):
        verified = json.loads(daemon.run("verify", "--json", timeout=60).stdout)
        need(verified["ok"], f"verify on {daemon.title}: {verified['findings'][:3]}")
        daemon.ask("refused", "--json")


def main():
    findings = 0
    only = sys.argv[2:]
    scene = Scene()
    try:
        for function in attacks:
            title = function.__name__.replace("_", " ")
            if only and function.__name__ not in only:
                continue
            start = time.monotonic()
            try:
                function(scene)
                scene.check()
                sizes = "/".join(str(d.resident() >> 20) for d in (scene.a, scene.b))
                print(f"ok       {title} ({time.monotonic() - start:.1f} s, {sizes} MiB)", flush=True)
            except Exception as error:
                findings += 1
                print(f"FINDING  {title}: {error if isinstance(error, Finding) else repr(error)}", flush=True)
                if not isinstance(error, Finding):
                    traceback.print_exc()
                try:
                    scene.calm()
                except Exception as other:
                    print(f"         the daemon does not answer: {other!r}", flush=True)
                    break
    finally:
        for daemon in (scene.a, scene.b):
            daemon.stop()
    if findings:
        print(f"{findings} findings; logs are in {work}")
    else:
        shutil.rmtree(work)
    return 1 if findings else 0


if __name__ == "__main__":
    root = pathlib.Path(__file__).resolve().parent.parent.parent
    binaries = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else root / ".build" / "debug"
    if not (binaries / "sharedd").exists():
        print(f"skipped: no sharedd in {binaries}; build it, or name its folder")
        sys.exit(0)
    work = pathlib.Path(tempfile.mkdtemp(prefix="attack."))
    sys.exit(main())
