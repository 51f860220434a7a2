"""Deterministic CBOR, as docs/protocol.md has it."""
import struct


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
