#!/usr/bin/python3
"""Attacks a running sharedd over the network, from the protocol's text alone (docs/protocol.md).

Usage: attacker.py [--long] [FOLDER WITH sharedd AND shared [ATTACK...]]
       default: .build/debug, all attacks; --long makes those that are about amounts larger

Shares no code with the product. Starts its own daemons on loopback, in a new folder, and attacks
them as a stranger, as one who knows the room's id, and as members by role. After each attack the
daemons must answer, their memory be bounded, and nothing forged be applied; at the end two honest
devices must be identical. One line for each attack, and a JSON object as the last line; exit status
1 on any finding. Needs Debian's python3-openssl and python3-zstandard, and libsodium.
"""
import json
import pathlib
import shutil
import sys
import tempfile
import time
import traceback

from attack import scene
# In this order they are made; each has its attacks added on import.
from attack import strangers, transcript, knowers, members, floods, content, roles, recovery
from attack import crowds, closing
from attack.scene import Finding, Scene, attacks


class Run:
    """All attacks, one after the other; what is left of some of them at the end."""

    def __init__(self, only):
        self.scene, self.findings, self.rest = Scene(), [], []
        self.only, self.count, self.start = only, 0, time.monotonic()

    def do(self, title, step):
        """One step of an attack; false if the daemons do not answer any more."""
        start = time.monotonic()
        try:
            step()
            self.scene.check()
            sizes = "/".join(str(d.resident() >> 20) for d in (self.scene.a, self.scene.b))
            print(f"ok       {title} ({time.monotonic() - start:.1f} s, {sizes} MiB)", flush=True)
        except Exception as error:
            what = str(error) if isinstance(error, Finding) else repr(error)
            self.findings.append({"attack": title, "finding": what})
            print(f"FINDING  {title}: {what}", flush=True)
            if not isinstance(error, Finding):
                traceback.print_exc()
            try:
                self.scene.calm()
            except Exception as other:
                print(f"         the daemon does not answer: {other!r}", flush=True)
                return False
        return True

    def all(self):
        ordinary = [a for a in attacks if not self.only or a.__name__ in self.only]
        last = [a for a in ordinary if a.__module__ == closing.__name__]
        for function in [a for a in ordinary if a not in last] + [None] + last:
            if function is None:
                for title, generator in self.rest:
                    if not self.do(title + ", in the end", lambda: next(generator, None)):
                        return
                continue
            title = function.__name__.replace("_", " ")
            self.count += 1

            def begin():
                generator = function(self.scene)
                if generator is not None:
                    next(generator)
                    self.rest.append((title, generator))
            if not self.do(title, begin):
                return

    def close(self):
        for _, generator in self.rest:
            generator.close()
        for daemon in (self.scene.a, self.scene.b):
            daemon.stop()
        if self.findings:
            print(f"the daemons' logs are in {scene.work}")
        else:
            shutil.rmtree(scene.work)
        seconds = round(time.monotonic() - self.start, 1)
        print(json.dumps({"attacks": self.count, "findings": self.findings, "seconds": seconds}))


def main(arguments):
    scene.is_long = "--long" in arguments
    arguments = [a for a in arguments if a != "--long"]
    root = pathlib.Path(__file__).resolve().parent.parent.parent
    scene.binaries = pathlib.Path(arguments[0]) if arguments else root / ".build" / "debug"
    if not (scene.binaries / "sharedd").exists():
        print(f"no sharedd in {scene.binaries}: build it, or name its folder", file=sys.stderr)
        return 2
    scene.work = pathlib.Path(tempfile.mkdtemp(prefix="attack."))
    run = Run(arguments[1:])
    try:
        run.all()
    finally:
        run.close()
    return 1 if run.findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
