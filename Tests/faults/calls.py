"""One system call of a daemon fails, whichever it is: while it starts, and while it works."""
import errno
import shutil
import signal
import subprocess
import time

from device import ROOT, Broken, agree, pair

ERRORS = [errno.EIO, errno.ENOSPC, errno.EMFILE]


def run(folder, chance, deadline):
    compiler = shutil.which("cc") or shutil.which("clang")
    if not compiler:
        return "skipped: no C compiler"
    layer = folder / "layer.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-w", "-o", layer,
                    ROOT / "Tests/faults/layer.c", "-ldl"], check=True)
    one, two = pair(folder)
    rounds, failures, refused, number = 0, 0, 0, 100
    calls = set()
    try:
        while time.monotonic() < deadline:
            rounds += 1
            one.end()
            told = folder / "told"
            told.unlink(missing_ok=True)
            # Most calls are made at the start.
            after = chance.choice([chance.randrange(60), chance.randrange(400)])
            environment = {
                "LD_PRELOAD": str(layer), "FAULT_FOLDER": str(one.data), "FAULT_TOLD": str(told),
                "FAULT_AFTER": str(after), "FAULT_ERRNO": str(chance.choice(ERRORS))}
            if one.start(environment, must=False):
                for _ in range(3):
                    number += 1
                    refused += not one.add(number)
                one.run("push", "--timeout", "1s")
                # One failure is over: the next entry is taken, if need be after a look again.
                end = time.monotonic() + 20
                number += 1
                while not one.add(number):
                    if time.monotonic() > end:
                        raise Broken(f"after {told.read_text().strip()} ({environment}) no entry"
                                     f" is taken any more")
                    time.sleep(0.2)
                one.keeps()
            if told.exists():
                failures += 1
                calls.add(told.read_text().split()[0])
            one.end(signal.SIGTERM)
            one.start()
            one.keeps()
            if rounds % 10 == 0:
                agree(one, two)
                one.verify()
        agree(one, two)
        one.verify()
        two.keeps(one.promised)
        return (f"{failures} failing calls ({', '.join(sorted(calls))}) in {rounds} rounds,"
                f" {refused} entries refused, {len(one.promised)} acknowledged, none lost")
    finally:
        for device in (one, two):
            device.end(signal.SIGKILL)
