#!/usr/bin/env python3
"""Measures finding, counting and exporting in a large room, beside SQLite doing the same work on the
same file in the same run. It prints figures and judges none.

usage: Benchmarks/find.py [--entries N] [--runs N] [--keep FOLDER]

The programs are those of .build/release, or of $SHARED_BIN. 1,000,000 entries where not given; with
30,000,000 it needs 25 GB of disk and an hour."""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, here)
import device as devices  # noqa: E402

CHUNK = 1_000_000  # rows of one file: an import takes 200 MiB
devices.PATIENCE = 1_800  # seconds: what is not indexed yet is looked through, be it 30,000,000


def rows(path, first, count):
    """Visits whose values repeat as those of people do."""
    with open(path, "w") as file:
        file.write("patient_id,first_name,last_name,birth_date,village,visited_on,diagnosis,"
                   "temperature,remarks\n")
        for n in range(first, first + count):
            mixed = n * 2654435761 % 4294967296
            file.write(
                f"{n},name {mixed % 4000},family {mixed // 7 % 20000},"
                f"{1930 + mixed % 90}-{1 + mixed // 90 % 12:02}-{1 + mixed // 1080 % 28:02},"
                f"village {mixed % 400},2026-{1 + n % 12:02}-{1 + n // 12 % 28:02},"
                f"diagnosis {mixed // 11 % 300},{36 + mixed // 13 % 60 / 10:.1f},"
                f"seen by nurse {mixed % 97}\n")


class Measured:
    def __init__(self, binaries, device, file, runs):
        self.shared = os.path.join(binaries, "shared")
        self.environment = dict(os.environ, SHARED_SOCKET=device.socket)
        self.device = device
        self.file = file
        self.runs = runs
        self.output = os.path.join(os.path.dirname(device.data), "sqlite.out")

    def command(self, *words):
        started = time.monotonic()
        run = subprocess.run([self.shared, *words], env=self.environment,
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        if run.returncode:
            raise devices.Failure(f"{words}: {run.stderr.decode()}")
        return time.monotonic() - started

    def sqlite(self, sql, *options):
        started = time.monotonic()
        with open(self.output, "wb") as output:
            subprocess.run(["sqlite3", "-readonly", *options, self.file, sql], check=True,
                           stdout=output)
        return time.monotonic() - started

    def row(self, what, words, sql=None, options=()):
        """One line: the medians, and how many times SQLite's own the command takes."""
        ours = statistics.median(self.command(*words) for _ in range(self.runs))
        line = f"| {what} | {ours:.3f} |"
        if sql:
            plain = statistics.median(self.sqlite(sql, *options) for _ in range(self.runs))
            line += f" {plain:.3f} | {ours / plain:.1f} |"
        else:
            line += " | |"
        print(line, flush=True)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--entries", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--keep")
    options = parser.parse_args()
    binaries = os.environ.get("SHARED_BIN", os.path.join(here, "../.build/release"))
    folder = options.keep or tempfile.mkdtemp(prefix="shared-find.")
    os.makedirs(folder, exist_ok=True)
    device = devices.Device(folder, "ward-1", binaries)
    try:
        device.start().wait_ready()
        measured = Measured(binaries, device, "", options.runs)
        if not os.path.isdir(os.path.join(device.data, "rooms")) or not os.listdir(
                os.path.join(device.data, "rooms")):
            measured.command("create", "visits")
            measured.command("form", "add", os.path.join(here, "visits.json"))
            started = time.monotonic()
            path = os.path.join(folder, "rows.csv")
            for first in range(0, options.entries, CHUNK):
                rows(path, first, min(CHUNK, options.entries - first))
                measured.command("import", "visits", path)
            os.unlink(path)
            print(f"filled in {time.monotonic() - started:.0f} s", flush=True)
        rooms = os.path.join(device.data, "rooms")
        measured.file = next(os.path.join(rooms, name) for name in os.listdir(rooms)
                             if name.startswith("visits-") and name.endswith(".sqlite"))
        device.stop()
        started = time.monotonic()
        device.start().wait_ready()
        measured.command("status")
        print(f"start to the first status: {time.monotonic() - started:.3f} s", flush=True)
        print(f"\n{options.entries:,} entries, medians of {options.runs} in seconds\n")
        print("| what | shared | sqlite3 | times |\n|---|---|---|---|")
        row = measured.row
        row("status", ["status"])
        row("list --limit 50", ["list", "visits", "--limit", "50"],
            "SELECT * FROM visits ORDER BY _id LIMIT 50")
        row("list of a condition, 50", ["list", "visits", "temperature>41.8", "--limit", "50"],
            "SELECT * FROM visits WHERE temperature > 41.8 ORDER BY _id LIMIT 50")
        row("count of a condition", ["count", "visits", "temperature>41.8"],
            "SELECT count(*) FROM visits WHERE temperature > 41.8")
        row("count by day", ["count", "visits", "--by", "visited_on"],
            "SELECT visited_on, count(*) FROM visits GROUP BY 1")
        row("chart by village", ["chart", "bar", "visits", "village"],
            "SELECT village, count(*) FROM visits GROUP BY 1 ORDER BY 2 DESC")
        row("mean by village", ["chart", "bar", "visits", "temperature", "--by", "village",
                                "--agg", "mean"],
            "SELECT village, avg(temperature) FROM visits GROUP BY 1")
        row("histogram", ["chart", "histogram", "visits", "temperature"],
            "SELECT round(temperature), count(*) FROM visits GROUP BY 1")
        row("stats of a number", ["stats", "visits", "temperature"],
            "SELECT count(temperature), avg(temperature), min(temperature), max(temperature)"
            " FROM visits")
        row("list by another field, 50", ["list", "visits", "--sort", "-temperature",
                                          "--limit", "50"],
            "SELECT * FROM visits ORDER BY temperature DESC, _id DESC LIMIT 50")
        # Until the index of searches is whole.
        started = time.monotonic()
        while True:
            asked = time.monotonic()
            answer = device.ask("GET", "search?text=nurse+96&room=visits")
            if not answer["unindexed"]:
                break
            # Each looks through all that is not indexed, which holds up nothing else.
            time.sleep(max(10, 10 * (time.monotonic() - asked)))
        print(f"| search index made | {time.monotonic() - started:.1f} | | |", flush=True)
        row("search", ["search", "nurse 96"],
            "SELECT * FROM visits WHERE remarks LIKE '%nurse 96%' LIMIT 10")
        out = os.path.join(folder, "out.csv")
        columns = ("_id, _author, _created, _updated, _state, patient_id, first_name, last_name,"
                   " birth_date, village, visited_on, diagnosis, temperature, remarks")
        row("export as CSV", ["export", "visits", "--output", out],
            f"SELECT {columns} FROM visits", ("-csv", "-header"))
        memory = device.memory()
        print("\nmemory of the daemon in MB:",
              ", ".join(f"{name} {size:.0f}" for name, size in memory.items()))
    finally:
        device.stop()
        if not options.keep:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
