"""A page of a file is not what was written: of a room's, of node.sqlite, of the identity."""
import signal
import time

from device import Broken, agree, pair

PAGE = 4_096


def damage(file, chance):
    """Writes over a page, or changes a bit; what was done."""
    for suffix in ("-wal", "-shm"):
        file.with_name(file.name + suffix).unlink(missing_ok=True)
    content = bytearray(file.read_bytes())
    page = chance.randrange((len(content) + PAGE - 1) // PAGE)
    end = min(len(content), (page + 1) * PAGE)
    kind = chance.choice(["zeros", "noise", "bit"])
    if kind == "bit":
        content[chance.randrange(page * PAGE, end)] ^= 1 << chance.randrange(8)
    else:
        for place in range(page * PAGE, end):
            content[place] = chance.randrange(256) if kind == "noise" else 0
    file.write_bytes(content)
    return f"{kind} in page {page} of {file.name}"


def run(folder, chance, deadline):
    one, two = pair(folder)
    counts = {"node.sqlite": 0, "room": 0, "identity": 0}
    number = 100
    try:
        while time.monotonic() < deadline:
            for _ in range(3):
                number += 1
                two.add(number)
            agree(one, two)
            one.end()
            rooms = list((one.data / "rooms").glob("*.sqlite"))
            kind = chance.choices(list(counts), weights=[3, 6, 1])[0]
            file = rooms[0] if kind == "room" else one.data / kind
            whole = file.read_bytes()
            what = damage(file, chance)
            counts[kind] += 1
            if not one.start(must=False):
                if kind != "identity" or "the identity in" not in one.said():
                    raise Broken(f"{what}: {one.said()}")
                file.write_bytes(whole)
                one.start()
                continue
            if kind == "identity":
                raise Broken(f"{what} was not noticed")
            for words in (["status"], ["list", "common-viruses"], ["export", "common-viruses"]):
                done = one.run(*words)
                if done.returncode != 0 and "shared: hint: " not in done.stderr or (
                        "connection" in done.stderr):
                    raise Broken(f"{what}: {words}: {done.stderr}")
            if one.run("status").returncode != 0:
                raise Broken(f"{what}: status fails")
            # The remedy, and what the other device has.
            if kind == "room" and one.run("verify").returncode != 0:
                done = one.run("rebuild", "--room", "clinic")
                if done.returncode != 0:
                    stick = folder / "room.bundle"
                    stick.unlink(missing_ok=True)
                    two.ask("bundle", "write", stick)
                    read = one.run("bundle", "read", stick, "--join")
                    if read.returncode != 0:
                        raise Broken(f"{what}: {done.stderr}{read.stderr}")
            agree(one, two)
            one.keeps(two.promised)
            one.verify()
            for kept in one.data.glob("**/*.damaged-*"):
                kept.unlink()
        done = ", ".join(f"{count} of {name}" for name, count in counts.items())
        return f"damaged pages: {done}; {len(two.promised)} entries, none lost"
    finally:
        for device in (one, two):
            device.end(signal.SIGKILL)
