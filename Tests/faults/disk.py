"""A disk that fills up, and has room again. Needs root, for a small file system in memory."""
import os
import signal
import subprocess
import time

from device import Broken, agree, pair


def run(folder, chance, deadline):
    if os.geteuid() != 0:
        return "skipped: it needs root"
    one, two = pair(folder)
    disk = folder / "disk"
    disk.mkdir()
    rounds, refused, number = 0, 0, 100
    one.end()

    def mount(*words):
        subprocess.run(["mount", *map(str, words)], check=True)

    mount("-t", "tmpfs", "-o", "size=3m", "tmpfs", disk)
    try:
        subprocess.run(["cp", "-a", f"{one.data}/.", disk], check=True)
        one.data = disk
        one.start()
        while time.monotonic() < deadline:
            rounds += 1
            filler = disk / "filler"
            free = os.statvfs(disk)
            size = max(0, free.f_bavail * free.f_frsize - chance.randrange(4_096, 200_000))
            try:
                filler.write_bytes(bytes(size))
            except OSError:
                pass  # The daemon has written meanwhile: it is full all the same.
            wasRefused = 0
            for _ in range(60):
                number += 1
                if not one.add(number):
                    wasRefused += 1
                    if wasRefused == 3:
                        break
                if chance.random() < 0.2:
                    one.run("push", "--timeout", "1s")
                    two.run("push", "--timeout", "1s")
            refused += wasRefused
            one.keeps()
            if chance.random() < 0.3:
                one.end(signal.SIGKILL)
                one.start(must=False)
            filler.unlink()
            if one.process.poll() is not None:
                one.start()
            number += 1
            end = time.monotonic() + 20
            while not one.add(number):
                if time.monotonic() > end:
                    raise Broken("there is room again, and no entry is taken")
                time.sleep(0.2)
            one.keeps()
            # The room grows with each round.
            mount("-o", f"remount,size={3 + rounds}m", disk)
        agree(one, two)
        one.verify()
        two.keeps(one.promised)
        return (f"{rounds} full disks, {refused} entries refused, {len(one.promised)}"
                f" acknowledged, none lost")
    finally:
        for device in (one, two):
            device.end(signal.SIGKILL)
        subprocess.run(["umount", disk], check=False)
