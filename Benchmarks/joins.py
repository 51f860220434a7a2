"""How long a join takes: the command `shared join`, from its start to its answer."""

import os
import statistics
import tempfile

from device import Device


def sample(folder, binaries, is_open):
    """Milliseconds of one join between two devices that were never connected before."""
    a = Device(folder, "a", binaries)
    b = Device(folder, "b", binaries, peers=[a])
    try:
        a.start().wait_ready()
        a.command("create", "clinic", *(["--open"] if is_open else []))
        b.start().wait_ready()
        code = [] if is_open else ["--code", a.command("invite")[0]["code"]]
        answer, taken = b.command("join", "clinic", *code)
        assert answer["state"] == "member", answer
        return taken * 1000
    finally:
        a.stop()
        b.stop()


def measure(binaries, runs):
    for name, is_open in (("with a code", False), ("an open room", True)):
        times = []
        for _ in range(runs):
            with tempfile.TemporaryDirectory(prefix="shared-joins.") as folder:
                times.append(sample(folder, os.path.abspath(binaries), is_open))
        print(f"joining {name}: median {statistics.median(times):.0f} ms, "
              f"{min(times):.0f} to {max(times):.0f}, of {runs}")
