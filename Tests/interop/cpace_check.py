#!/usr/bin/env python3
"""Makes an exchange of the joining protocol a second time (docs/protocol/joining.md).

Shares no code and no library with the product: Python's standard library, with ristretto255
(RFC 9496), Ed25519 (RFC 8032) and ChaCha20-Poly1305 (RFC 8439) written out below. Checks
Tests/Vectors/cpace-ristretto255.json and, byte for byte, the exchange in Tests/Vectors/join.json.
Its author also wrote the product's code, and wrote this before the page: it guards against slips of
arithmetic and encoding, not against a misreading that both share, and does not show that the page
alone suffices. Only the published vectors come from elsewhere.
Exit status 0 if everything agrees. Not for use with real secrets: nothing here is constant-time.
"""
import hashlib
import hmac
import json
import pathlib
import struct
import sys

VECTORS = pathlib.Path(__file__).resolve().parent.parent / "Vectors"

# Edwards25519, in extended coordinates (X, Y, Z, T).
P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
SQRT_M1 = pow(2, (P - 1) // 4, P)
NEUTRAL = (0, 1, 1, 0)


def is_negative(x):
    return x % P & 1


def absolute(x):
    x %= P
    return P - x if x & 1 else x


def sqrt_ratio(u, v):
    r = u * pow(v, 3, P) * pow(u * pow(v, 7, P), (P - 5) // 8, P) % P
    check = v * r * r % P
    if check in (-u % P, -u * SQRT_M1 % P):
        r = r * SQRT_M1 % P
    return check in (u % P, -u % P), absolute(r)


INVSQRT_A_MINUS_D = sqrt_ratio(1, (-1 - D) % P)[1]
# RFC 9496 fixes the odd root here.
SQRT_AD_MINUS_ONE = P - sqrt_ratio((-D - 1) % P, 1)[1]

def add(p, q):
    a = (p[1] - p[0]) * (q[1] - q[0]) % P
    b = (p[1] + p[0]) * (q[1] + q[0]) % P
    c = 2 * p[3] * q[3] * D % P
    d = 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def multiply(scalar, point):
    result = NEUTRAL
    while scalar:
        if scalar & 1:
            result = add(result, point)
        point = add(point, point)
        scalar >>= 1
    return result


def ristretto_decode(data):
    s = int.from_bytes(data, "little")
    if s >= P or is_negative(s):
        return None
    ss = s * s % P
    u1, u2 = (1 - ss) % P, (1 + ss) % P
    v = (-D * u1 * u1 - u2 * u2) % P
    was_square, invsqrt = sqrt_ratio(1, v * u2 * u2 % P)
    den_x = invsqrt * u2 % P
    den_y = invsqrt * den_x * v % P
    x = absolute(2 * s * den_x)
    y = u1 * den_y % P
    t = x * y % P
    return None if not was_square or is_negative(t) or y == 0 else (x, y, 1, t)


def ristretto_encode(point):
    x0, y0, z0, t0 = point
    u1, u2 = (z0 + y0) * (z0 - y0) % P, x0 * y0 % P
    invsqrt = sqrt_ratio(1, u1 * u2 * u2 % P)[1]
    den1, den2 = invsqrt * u1 % P, invsqrt * u2 % P
    z_inv = den1 * den2 * t0 % P
    if is_negative(t0 * z_inv):
        x, y, den = y0 * SQRT_M1 % P, x0 * SQRT_M1 % P, den1 * INVSQRT_A_MINUS_D % P
    else:
        x, y, den = x0, y0, den2
    if is_negative(x * z_inv):
        y = -y
    return absolute(den * (z0 - y)).to_bytes(32, "little")


def ristretto_map(data):
    t = (int.from_bytes(data, "little") & (1 << 255) - 1) % P
    r = SQRT_M1 * t * t % P
    u = (r + 1) * (1 - D * D) % P
    v = (-1 - r * D) * (r + D) % P
    was_square, s = sqrt_ratio(u, v)
    c = -1
    if not was_square:
        s, c = -absolute(s * t) % P, r
    n = (c * (r - 1) * (D - 1) ** 2 - v) % P
    w0, w1 = 2 * s * v % P, n * SQRT_AD_MINUS_ONE % P
    w2, w3 = (1 - s * s) % P, (1 + s * s) % P
    return w0 * w3 % P, w2 * w1 % P, w1 * w3 % P, w0 * w2 % P


def ristretto_from_hash(data):
    return add(ristretto_map(data[:32]), ristretto_map(data[32:]))


# Ed25519.
def ed_encode(point):
    z = pow(point[2], -1, P)
    x, y = point[0] * z % P, point[1] * z % P
    return (y | (x & 1) << 255).to_bytes(32, "little")


BASE_Y = 4 * pow(5, -1, P) % P
BASE_X = sqrt_ratio((BASE_Y**2 - 1) % P, (D * BASE_Y**2 + 1) % P)[1]
BASE = (BASE_X, BASE_Y, 1, BASE_X * BASE_Y % P)


def ed_secret(seed):
    digest = hashlib.sha512(seed).digest()
    scalar = int.from_bytes(digest[:32], "little") & (1 << 254) - 8 | 1 << 254
    return scalar, digest[32:]


def ed_sign(seed, message):
    scalar, prefix = ed_secret(seed)
    key = ed_encode(multiply(scalar, BASE))
    r = int.from_bytes(hashlib.sha512(prefix + message).digest(), "little") % L
    start = ed_encode(multiply(r, BASE))
    k = int.from_bytes(hashlib.sha512(start + key + message).digest(), "little") % L
    return start + ((r + k * scalar) % L).to_bytes(32, "little")


# ChaCha20-Poly1305 with the nonce of zeros and no associated data.
def chacha_block(key, counter):
    start = list(struct.unpack("<4I", b"expand 32-byte k") + struct.unpack("<8I", key)) + [counter, 0, 0, 0]
    s = start[:]
    for _ in range(10):
        for a, b, c, d in ((0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15),
                           (0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14)):
            for x, y, z, turn in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
                s[x] = (s[x] + s[y]) & 0xFFFFFFFF
                s[z] ^= s[x]
                s[z] = (s[z] << turn | s[z] >> 32 - turn) & 0xFFFFFFFF
    return struct.pack("<16I", *((x + y) & 0xFFFFFFFF for x, y in zip(s, start)))


def chacha(key, data):
    stream = b"".join(chacha_block(key, 1 + i) for i in range((len(data) + 63) // 64))
    return bytes(x ^ y for x, y in zip(data, stream))


def poly1305_tag(key, ciphertext):
    one_time = chacha_block(key, 0)
    r = int.from_bytes(one_time[:16], "little") & 0x0FFFFFFC0FFFFFFC0FFFFFFC0FFFFFFF
    data = ciphertext + bytes(-len(ciphertext) % 16) + struct.pack("<QQ", 0, len(ciphertext))
    total = 0
    for i in range(0, len(data), 16):
        total = (total + int.from_bytes(data[i:i + 16] + b"\1", "little")) * r % (2**130 - 5)
    return ((total + int.from_bytes(one_time[16:32], "little")) % 2**128).to_bytes(16, "little")


def seal(key, message):
    ciphertext = chacha(key, message)
    return ciphertext + poly1305_tag(key, ciphertext)


# CBOR, as much as the messages need.
def cbor(value):
    def head(major, n):
        if n < 24:
            return bytes([major << 5 | n])
        for code, form, limit in ((24, ">B", 1 << 8), (25, ">H", 1 << 16), (26, ">I", 1 << 32)):
            if n < limit:
                return bytes([major << 5 | code]) + struct.pack(form, n)
        return bytes([major << 5 | 27]) + struct.pack(">Q", n)

    if isinstance(value, bool):
        return b"\xf5" if value else b"\xf4"
    if isinstance(value, int):
        return head(0, value)
    if isinstance(value, bytes):
        return head(2, len(value)) + value
    if isinstance(value, str):
        return head(3, len(value.encode())) + value.encode()
    return head(4, len(value)) + b"".join(cbor(item) for item in value)


# CPace.
DSI = b"CPaceRistretto255"


def leb128(n):
    out = bytearray()
    while n > 0x7F:
        out.append(n & 0x7F | 0x80)
        n >>= 7
    return bytes(out) + bytes([n])


def lv_cat(*parts):
    return b"".join(leb128(len(part)) + part for part in parts)


def generator_string(prs, ci, sid):
    padding = max(0, 128 - 1 - len(lv_cat(prs)) - len(lv_cat(DSI)))
    return lv_cat(DSI, prs, bytes(padding), ci, sid)


def generator(prs, ci, sid):
    return ristretto_from_hash(hashlib.sha512(generator_string(prs, ci, sid)).digest())


def scalar_mult(scalar, point):
    """Encoded product of an encoded or decoded element; None where CPace must abort."""
    point = ristretto_decode(point) if isinstance(point, bytes) else point
    if point is None:
        return None
    product = ristretto_encode(multiply(int.from_bytes(scalar, "little"), point))
    return None if product == bytes(32) else product


def session_key(sid, k, ya, ada, yb, adb):
    return hashlib.sha512(lv_cat(DSI + b"_ISK", sid, k) + lv_cat(ya, ada) + lv_cat(yb, adb)).digest()


COLLECTOR = 3
failures = 0


def check(what, found, expected):
    global failures
    if found != expected:
        failures += 1
        print(f"DIFFERS {what}\n  found    {found!r}\n  expected {expected!r}")
    else:
        print(f"agrees  {what}")


def check_published():
    file = json.loads((VECTORS / "cpace-ristretto255.json").read_text())
    v = {name: bytes.fromhex(value) for name, value in file["vectors"].items()}
    string = generator_string(v["PRS"], v["CI"], v["sid"])
    check("generator string length", len(string), file["generator"]["generator_string_length"])
    g = generator(v["PRS"], v["CI"], v["sid"])
    check("g", ristretto_encode(g), v["g"])
    check("Ya", scalar_mult(v["ya"], g), v["Ya"])
    check("Yb", scalar_mult(v["yb"], g), v["Yb"])
    check("K", scalar_mult(v["ya"], v["Yb"]), v["K"])
    check("ISK", session_key(v["sid"], v["K"], v["Ya"], v["ADa"], v["Yb"], v["ADb"]), v["ISK_IR"])
    points = file["points"]
    valid = {name: bytes.fromhex(value) for name, value in points["Valid"].items()}
    check("product", scalar_mult(valid["s"], valid["X"]), valid["G.scalar_mult_vfy(s,X)"])
    for name in ("Invalid Y1", "Invalid Y2"):
        check(name, scalar_mult(valid["s"], bytes.fromhex(points[name])), None)


def check_exchange():
    v = json.loads((VECTORS / "join.json").read_text())
    raw = {name: bytes.fromhex(v[name]) for name in (
        "exporter", "joinerSeed", "inviterSeed", "joinerKey", "inviterKey", "ya", "yb", "room", "founding")}
    for side in ("joiner", "inviter"):
        key = ed_encode(multiply(ed_secret(raw[side + "Seed"])[0], BASE))
        check(f"{side}'s key", key, raw[side + "Key"])
    code = v["code"].upper().replace("-", "").replace(" ", "")
    code = code.replace("O", "0").replace("I", "1").replace("L", "1")
    selector, prs = code[:2], code[2:].encode()
    sid = raw["exporter"]
    ci = lv_cat(b"shared join 1", raw["joinerKey"], raw["inviterKey"])
    ada, adb = lv_cat(b"J", selector.encode()), lv_cat(b"I")
    g = generator(prs, ci, sid)
    ya, yb = scalar_mult(raw["ya"], g), scalar_mult(raw["yb"], g)
    k = scalar_mult(raw["ya"], yb)
    check("both products", scalar_mult(raw["yb"], ya), k)
    isk = session_key(sid, k, ya, ada, yb, adb)
    mac_key = hashlib.sha512(b"CPaceMac" + sid + isk).digest()
    ta = hmac.new(mac_key, lv_cat(ya, ada), hashlib.sha512).digest()
    tb = hmac.new(mac_key, lv_cat(yb, adb), hashlib.sha512).digest()

    def sealed(label, value):
        return seal(hashlib.blake2b(label, key=isk, digest_size=32).digest(), cbor(value))

    check("room is the founding batch's hash",
          hashlib.blake2b(raw["founding"], digest_size=32).digest(), raw["room"])
    heads = [[[h["number"], bytes.fromhex(h["batch"])] for h in v[log]] for log in ("control", "records")]
    signature = ed_sign(raw["joinerSeed"], lv_cat(b"shared accept 1", raw["room"], raw["inviterKey"]))
    messages = [
        [16, selector, ya],
        [17, yb],
        [18, ta],
        [19, tb, sealed(b"shared join 1 welcome", [raw["room"], raw["founding"], v["name"], COLLECTOR])],
        [20, sealed(b"shared join 1 accept", [*heads, signature])],
    ]
    for name, message, expected in zip(("start", "reply", "proof", "welcome", "accept"), messages, v["messages"]):
        check(f"message {name}", cbor(message).hex(), expected)

    messages = [
        [22, v["name"]],
        [23, raw["room"], raw["founding"], v["name"], True],
        [24, raw["room"], cbor([*heads, signature])],
    ]
    for name, message, expected in zip(("ask", "offer", "enter"), messages, v["openMessages"], strict=True):
        check(f"open message {name}", cbor(message).hex(), expected)


check_published()
check_exchange()
sys.exit(1 if failures else 0)
