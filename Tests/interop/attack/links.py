"""TLS connections, sessions and joins of an attacker."""
import base64
import ctypes
import ctypes.util
import hashlib
import hmac
import secrets
import select
import socket
import struct
import time

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from OpenSSL import SSL

from .cbor import decode, encode
from .devices import CONTROL, RECORDS, make_batch

sodium = ctypes.CDLL(ctypes.util.find_library("sodium") or "libsodium.so.23")
sodium.sodium_init()


class Link:
    """TLS and frames, nothing more. `closed` once the other side has ended it."""

    def __init__(self, device, port, source="127.0.0.1", shake=True, record=None):
        self.device, self.closed, self.buffer = device, False, bytearray()
        self.record = record
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
        if self.record:
            self.record(data)
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

    def ends(self, timeout=20):
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

    def __init__(self, device, port, room=None, proofs=None, title="attacker", wall=0, instance=0,
                 **other):
        super().__init__(device, port, **other)
        self.room, self.seen, self.acknowledged, self.peer_hello = room, [], {}, None
        values = proofs or [secrets.token_bytes(32) for _ in range(16)]
        if self.closed:
            return
        if room:
            values[7] = self.proof(room)
        self.hello = [0, 1, title, wall or int(time.time() * 1000),
                      instance or secrets.randbits(63), values]
        self.send(self.hello)
        first = self.receive(20)
        self.peer_hello = first if first and first[0] == 0 else None

    def pump(self, until, timeout=20):
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
        logs = [[self.device.key, kind, [list(chain[-1][:2])], None, 1]
                for kind, chain in self.device.chain.items() if chain]
        self.send([1, self.room, logs, 0])
        self.pump(lambda: self.got(1))

    def fetch(self, author, kind):
        start = len(self.seen)
        self.send([3, self.room, author, kind, []])
        self.pump(lambda: any(m[0] == 5 for m in self.seen[start:]))
        return [m[1] for m in self.seen[start:] if m[0] == 4]

    def push(self, kind, blocks=None, timeout=20, keep=True, **other):
        """Sends the next batch. Gives its acknowledgement, "ended" or None."""
        number, batch, data = make_batch(self.device, self.room, kind, blocks, **other)
        self.send([4, data])
        self.pump(lambda: batch in self.acknowledged, timeout)
        entry = self.acknowledged.get(batch)
        if entry and entry[4] == 1 and keep:
            self.device.chain[kind].append((number, batch, data))
        return entry or ("ended" if self.closed else None)

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
        room, founding, *_ = decode(self.key(b"shared join 1 welcome").decrypt(bytes(12), welcome[2], None))
        signature = self.link.device.secret.sign(lv(b"shared accept 1", room, self.link.peer))
        accept = encode([[], [], signature])
        self.link.send([20, self.key(b"shared join 1 accept").encrypt(bytes(12), accept, None)])
        return room, founding


def joined(device, daemon, role="collector", source="127.0.0.1", assigned=()):
    """Makes the device a member by a code; gives the room.

    `assigned`: options of an assignment."""
    code = daemon.ask("invite", "--role", role, *assigned, "--json")["code"]
    session = Session(device, daemon.port, source=source)
    room, _ = Exchange(session, code).join()
    wait(lambda: any(m["id"] == name(device.key) for m in daemon.ask("members", "--json")), 30)
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
