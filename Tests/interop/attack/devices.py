"""Keys, certificates and batches of a device, made from docs/protocol.md."""
import datetime
import hashlib
import struct
import time

import zstandard
from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from OpenSSL import SSL, crypto

from .cbor import Raw, decode, encode

ZERO = bytes(32)
LAST_MOMENT = 7258118400000 << 16
CONTROL, RECORDS = 0, 1
VIEWER, COLLECTOR, OWNER = 1, 3, 6


def blake(data):
    return hashlib.blake2b(data, digest_size=32).digest()

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
        self.context.use_privatekey(crypto.load_privatekey(
            crypto.FILETYPE_PEM, self.secret.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption())))
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
        6: other.get("wall", 0), 7: other.get("length", len(raw)),
        8: other.get("body", None) or zstd(raw)})
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
    return decode(zstandard.ZstdDecompressor().decompress(payload[8])), payload

def frame(size, blocks, descriptor=0xa0):
    return b"\x28\xb5\x2f\xfd" + bytes([descriptor]) + struct.pack("<I", size) + blocks
