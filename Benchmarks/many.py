#!/usr/bin/python3 -B
"""Many daemons in one room on this machine: how long until all have the same after everybody has
pushed an entry, what they take in memory, and how often they wake when nothing happens.

Usage: Benchmarks/many.py [--devices 256] [--limit SECONDS]     daemons of .build/release or $SHARED_BIN
"""

import argparse
import concurrent.futures
import os
import pathlib
import random
import sys
import tempfile
import time

from device import Device, Failure

ROOT = pathlib.Path(__file__).resolve().parents[1]
HUBS = 4  # every device is told of the first and of one of these, and learns of others from peers
IDLE = 30  # seconds without work
TRIES = 4  # of a join
ENTRY = ["patient_id=7", "first_name=Ada", "last_name=Sow", "visited_on=2026-11-20"]


def at_once(devices, work, width=16):
    with concurrent.futures.ThreadPoolExecutor(width) as pool:
        return list(pool.map(work, devices))


def is_whole(room, members, records):
    return room.get("members") == members and room["records"] == records


def until_same(devices, limit, records):
    """Seconds until all have the same digest of so many records and members.

    One that lacks something is asked again, and all only once none does: asking costs them time.
    """
    began = time.monotonic()
    lacking = list(devices)
    while True:
        while lacking and is_whole(lacking[-1].room(), len(devices), records):
            lacking.pop()
        if not lacking:
            digests = {room["digest"] for room in at_once(devices, lambda device: device.room())}
            if len(digests) == 1:
                return time.monotonic() - began
        if time.monotonic() - began > limit:
            raise Failure(f"{len(lacking)} lack something of {records} records after {limit} s")
        time.sleep(0.5)


def join(device, code):
    """Joins as a person would, who tries again where the inviter was too busy; how often it did."""
    for again in range(TRIES):
        try:
            device.command("join", "survey", "--code", code)
            return again
        except Failure as failure:
            busy = '"status":503' in str(failure) or '"status":504' in str(failure)
            if not busy or again == TRIES - 1:
                raise


def switches(device):
    """Voluntary context switches so far of each of a daemon's threads; those that end are lost."""
    counts = {}
    for task in pathlib.Path(f"/proc/{device.process.pid}/task").iterdir():
        for line in (task / "status").read_text().splitlines():
            if line.startswith("voluntary_ctxt_switches:"):
                counts[task.name] = int(line.split()[1])
    return counts


def measure(folder, binaries, count, limit):
    hubs = [Device(folder, f"d{number}", binaries) for number in range(min(HUBS, count))]
    others = [Device(folder, f"d{number}", binaries, peers=[hubs[0], hubs[number % len(hubs)]])
              for number in range(len(hubs), count)]
    for hub in hubs[1:]:
        hub.peers = [hubs[0]]
    devices = hubs + others
    # Below those that the system gives to outgoing connections, of which there are thousands.
    first = random.randrange(20_000, 32_000 - count)
    for number, device in enumerate(devices):
        device.port = first + number
    try:
        for hub in hubs:
            hub.start().wait_ready()
        hubs[0].command("create", "survey")
        hubs[0].command("form", "add", str(ROOT / "Benchmarks/visits.json"))
        code = hubs[0].command("invite", "--uses", str(count))[0]["code"]
        began = time.monotonic()
        for hub in hubs[1:]:
            hub.command("join", "survey", "--code", code)
        again = sum(at_once(others, lambda device: join(device.start().wait_ready(), code), 4))
        print(f"{count - 1} joins: {time.monotonic() - began:.0f} s, {again} tried again")
        print(f"all know all members: {until_same(devices, limit, 0):.0f} s after the last")

        def enter(device):
            device.command("add", "visits", *ENTRY)
            device.ask("POST", "push", {"timeout_milliseconds": 0})
        began = time.monotonic()
        at_once(devices, enter)
        print(f"{count} entries made and pushed: {time.monotonic() - began:.0f} s")
        print(f"identical {until_same(devices, limit, count):.1f} s after the last push")
        peaks = sorted(device.memory()["peak"] for device in devices)
        print(f"peak of resident memory: median {peaks[count // 2]:.0f} MB, most {peaks[-1]:.0f} MB")
        private = sorted(device.memory()["private"] for device in devices)
        print(f"of its own each has, without pages of the program and of libraries that all share: "
              f"median {private[count // 2]:.0f} MB, most {private[-1]:.0f} MB")
        for device in devices:
            device.connection = None
        time.sleep(20)
        before = [(switches(device), device.cpu_seconds()) for device in devices]
        time.sleep(IDLE)
        after = [(switches(device), device.cpu_seconds()) for device in devices]
        woken = sorted(sum(count - a[0].get(task, 0) for task, count in b[0].items()) / IDLE
                       for a, b in zip(before, after))
        busy = sum(b[1] - a[1] for a, b in zip(before, after)) / IDLE / count * 100
        print(f"idle: {woken[count // 2]:.1f} context switches a second, most {woken[-1]:.1f}; "
              f"{busy:.3f} % of a core each")
    finally:
        for device in devices:
            if device.process and device.process.poll() is None:
                device.process.kill()
        for device in devices:
            device.stop()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--devices", type=int, default=256)
    parser.add_argument("--limit", type=float, default=300)
    options = parser.parse_args()
    binaries = os.environ.get("SHARED_BIN", str(ROOT / ".build/release"))
    with tempfile.TemporaryDirectory(prefix="shared-many.") as folder:
        try:
            measure(folder, os.path.abspath(binaries), options.devices, options.limit)
        except Failure as failure:
            print(f"many: {failure}", file=sys.stderr)
            return 1
    return 0


sys.exit(main())
