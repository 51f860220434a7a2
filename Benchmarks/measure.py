"""Takes the figures of `Benchmarks/run`, each beside plain C in the same run, and prints them."""

import argparse
import json
import os
import platform
import shutil
import signal
import statistics
import subprocess
import sys
import time

import joins
from device import Device, Failure, bytes_between, wait_until

HERE = os.path.dirname(os.path.abspath(__file__))
SINGLE_ROUNDS = 50
HUNDRED_ROUNDS = 10
COMMAND_ROUNDS = 10

# Key of ours, key of the C path, what it is, format, how it is taken.
TABLE = [
    ("import_per_second", "ingest_per_second", "import, rows/s", "{:,.0f}",
     "shared import visits visits.csv, the whole command; C: CSV to rows and signed batches"),
    ("import_cpu_us", "ingest_cpu_us", "CPU of import and push, us/record", "{:.2f}",
     "user and system time of the daemon in /proc/PID/stat"),
    ("push_seconds", None, "push of it all, nobody near, s", "{:.3f}", "shared push --timeout 0s"),
    ("catch_up_per_second", "catch_up_per_second", "bulk catch-up, records/s", "{:,.0f}",
     "from POST join (with its code) until the empty device says identical; C: from the dial on"),
    ("filled_per_second", None, "the same until the last row shows", "{:,.0f}",
     "from POST join until max(rowid) in the receiver's file is the last"),
    ("receiver_cpu_us", "receiver_cpu_us", "CPU of the receiver, us/record", "{:.2f}",
     "user and system time in /proc/PID/stat over the catch-up"),
    ("sender_cpu_us", "sender_cpu_us", "CPU of the sender, us/record", "{:.2f}", "the same"),
    ("wire_bytes", "wire_bytes", "bytes on the wire/record", "{:.1f}",
     "bytes_sent of ss -ti, both directions, handshake and join included"),
    ("join_ms", None, "joining with a code, ms", "{:.1f}", "POST join, until its answer"),
    ("one_ms", "one_ms", "one entry until the peer's reader sees it, ms", "{:.2f}",
     "POST records with autopush until SELECT on the peer's file shows it"),
    ("push_ms", None, "one push until the peer's reader sees it, ms", "{:.2f}",
     "POST push until SELECT on the peer's file shows it"),
    ("push_command_ms", None, "shared push of one entry, ms", "{:.1f}",
     "the whole command, delivery confirmed by the peer"),
    ("hundred_ms", "hundred_ms", "100 new, connected, ms", "{:.2f}",
     "POST push until SELECT on the peer's file shows the last"),
    ("hundred_identical_ms", None, "100 new, until identical, ms", "{:.2f}",
     "POST push until the sender's status says identical"),
    ("hundred_restart_ms", None, "100 new, peer starts, ms", "{:.1f}",
     "from the start of the peer's process until SELECT on its file shows the last"),
    ("idle_private_mb", None, "idle in an empty room, private MB", "{:.1f}",
     "Private_Dirty in /proc/PID/smaps_rollup"),
    ("idle_resident_mb", None, "idle in an empty room, resident MB", "{:.1f}", "Rss, likewise"),
    ("peak_receiver_mb", "peak_receiver_mb", "peak of the receiver, MB", "{:.1f}",
     "VmHWM after all of this; C: ru_maxrss after the catch-up"),
    ("peak_sender_mb", None, "peak of the sender, MB", "{:.1f}", "VmHWM after all of this"),
    (None, "sqlite_per_second", "limit: rows into SQLite alone, rows/s", "{:,.0f}",
     "the same rows and table from memory, one thread"),
    (None, "tls_mb_per_second", "limit: TLS 1.3 on the loopback, MB/s", "{:,.0f}",
     "512 MiB in 64 KiB writes"),
]


class Bench:
    def __init__(self, options):
        self.options = options
        self.folder = options.folder
        self.path = os.path.join(options.folder, "path")
        self.devices = []

    def entries(self, count, seed):
        file = os.path.join(self.folder, f"visits-{count}-{seed}.csv")
        if not os.path.exists(file):
            made = subprocess.run([self.path, "entries", str(count), file, str(seed)],
                                  check=True, capture_output=True, text=True)
            if seed == 1:
                self.json_bytes = json.loads(made.stdout)["json_bytes"]
        return file

    # The C path

    def run_c(self, csv):
        folder = os.path.join(self.folder, "c")
        os.mkdir(folder)
        try:
            done = subprocess.run([self.path, "measure", csv, folder], capture_output=True,
                                  text=True)
            if done.returncode:
                raise Failure(done.stderr.strip())
        finally:
            shutil.rmtree(folder)
        figures = json.loads(done.stdout)
        figures["peak_receiver_mb"] = figures.pop("receiver_peak_kb") / 1024
        return figures

    # Two daemons

    def run_ours(self, csv, records):
        folder = os.path.join(self.folder, "ours")
        os.mkdir(folder)
        a = Device(folder, "ward-1", self.options.binaries)
        b = Device(folder, "ward-2", self.options.binaries, peers=[a])
        self.devices = [a, b]
        try:
            return self.measure(a, b, csv, records)
        finally:
            self.end()
            shutil.rmtree(folder)

    def end(self):
        for device in self.devices:
            device.stop()
        self.devices = []

    def measure(self, a, b, csv, records):
        figures = {"records": records}
        a.start().wait_ready()
        a.command("create", "clinic")
        a.command("form", "add", os.path.join(HERE, "visits.json"))
        a.command("set", "autopush", "off")
        time.sleep(1)  # nothing is waited for: this is what idle means
        idle = a.memory()
        figures["idle_private_mb"] = idle["private"]
        figures["idle_resident_mb"] = idle["resident"]

        cpu = a.cpu_seconds()
        answer, taken = a.command("import", "visits", csv)
        if answer["added"] != records:
            raise Failure(f"imported {answer['added']} of {records}")
        figures["import_per_second"] = records / taken
        _, figures["push_seconds"] = a.command("push", "--timeout", "0s")
        figures["import_cpu_us"] = (a.cpu_seconds() - cpu) * 1e6 / records

        self.catch_up(a, b, records, figures)
        rows = self.singles(a, b, records, figures)
        rows = self.hundreds(a, b, rows, figures)
        self.restart(a, b, rows, figures)
        figures["peak_sender_mb"] = a.memory()["peak"]
        return figures

    def catch_up(self, a, b, records, figures):
        code = a.command("invite")[0]["code"]
        b.start().wait_ready()
        start, cpu_a, cpu_b = self.join(a, b, code)
        joined = time.monotonic()
        wait_until("the last record arrives", lambda: b.highest_row() >= records)
        filled = time.monotonic()
        wait_until("identical", lambda: self.are_identical(a, b, records))
        identical = time.monotonic()
        figures["join_ms"] = (joined - start) * 1e3
        figures["filled_per_second"] = records / (filled - start)
        figures["catch_up_per_second"] = records / (identical - start)
        figures["receiver_cpu_us"] = (b.cpu_seconds() - cpu_b) * 1e6 / records
        figures["sender_cpu_us"] = (a.cpu_seconds() - cpu_a) * 1e6 / records
        figures["wire_bytes"] = bytes_between([a, b]) / records
        figures["peak_receiver_mb"] = b.memory()["peak"]
        digests = {device.room()["digest"] for device in (a, b)}
        if len(digests) != 1:
            raise Failure("the digests differ")

    @staticmethod
    def join(a, b, code):
        """Joins; returns when that began, and the processor time of both until then."""
        for attempt in range(1, 4):
            cpu_a, cpu_b = a.cpu_seconds(), b.cpu_seconds()
            start = time.monotonic()
            try:
                b.ask("POST", "join", {"room": "clinic", "code": code})
                return start, cpu_a, cpu_b
            except Failure as failure:
                print(f"joining, attempt {attempt}: {failure}", file=sys.stderr)
                time.sleep(1)
        raise Failure("joining failed three times")

    @staticmethod
    def are_identical(a, b, records):
        status = b.ask("GET", "status")
        return (status["peers"]["identical"] >= 1 and status["rooms"]
                and status["rooms"][0]["records"] == records)

    @staticmethod
    def until_seen(device, row):
        wait_until(f"row {row} arrives", lambda: device.highest_row() >= row, 0.00005)
        return time.monotonic()

    def shown(self, a, b, row, path, body):
        """Seconds from a request to `a` until a reader of the file of `b` sees the row."""
        start = time.monotonic()
        a.send("POST", path, body)
        seen = self.until_seen(b, row)
        a.answer()
        return seen - start

    ENTRY = {"patient_id": 636950, "first_name": "Peter", "last_name": "Jallow",
             "birth_date": "1995-09-01", "village": "Lodwar", "visited_on": "2026-11-02",
             "diagnosis": "Anaemia", "temperature": 37.5,
             "remarks": "Weak and tired since last week, blood sample taken. 58.3 kg"}

    def singles(self, a, b, rows, figures):
        entry = {"values": self.ENTRY}
        a.ask("PUT", "settings/autopush", {"autopush": True})
        taken = []
        for _ in range(SINGLE_ROUNDS):
            rows += 1
            taken.append(self.shown(a, b, rows, "records/visits", entry))
        figures["one_ms"] = statistics.median(taken) * 1e3

        a.ask("PUT", "settings/autopush", {"autopush": False})
        taken = []
        for _ in range(SINGLE_ROUNDS):
            a.ask("POST", "records/visits", entry)
            rows += 1
            taken.append(self.shown(a, b, rows, "push", {}))
        figures["push_ms"] = statistics.median(taken) * 1e3

        taken = []
        for _ in range(COMMAND_ROUNDS):
            a.ask("POST", "records/visits", entry)
            rows += 1
            answer, seconds = a.command("push")
            if not answer["delivered"]:
                raise Failure("a push was not delivered")
            taken.append(seconds)
        figures["push_command_ms"] = statistics.median(taken) * 1e3
        return rows

    def hundreds(self, a, b, rows, figures):
        seen, identical = [], []
        for number in range(HUNDRED_ROUNDS):
            a.command("import", "visits", self.entries(100, 100 + number))
            rows += 100
            start = time.monotonic()
            seen.append(self.shown(a, b, rows, "push", {}))
            wait_until("identical", lambda: a.ask("GET", "status")["peers"]["identical"] >= 1)
            identical.append(time.monotonic() - start)
        figures["hundred_ms"] = statistics.median(seen) * 1e3
        figures["hundred_identical_ms"] = statistics.median(identical) * 1e3
        return rows

    def restart(self, a, b, rows, figures):
        b.stop()
        a.command("import", "visits", self.entries(100, 99))
        a.command("push", "--timeout", "0s")
        start = time.monotonic()
        b.start()
        figures["hundred_restart_ms"] = (self.until_seen(b, rows + 100) - start) * 1e3

    # Output

    def compare(self, records, runs):
        csv = self.entries(records, 1)
        all_c, all_ours = [], []
        for number in range(runs):
            print(f"run {number + 1} of {runs}, {records:,} records", file=sys.stderr, flush=True)
            all_c.append(self.run_c(csv))
            if self.options.only != "c":
                all_ours.append(self.run_ours(csv, records))
        os.unlink(csv)
        self.print_table(records, runs, all_c, all_ours)
        return {"records": records, "ours": all_ours, "c": all_c}

    def print_table(self, records, runs, all_c, all_ours):
        print(f"\n{records:,} records of {self.json_bytes:.0f} bytes as JSON, "
              f"{'medians of ' + str(runs) if runs > 1 else 'one run'}:\n")
        print(f"{'figure':46}{'ours':>11}{'C path':>11}{'ours/C':>8}  how")
        for ours_key, c_key, what, form, how in TABLE:
            ours = [run[ours_key] for run in all_ours if ours_key in run]
            c = [run[c_key] for run in all_c if c_key in run]
            if not ours and not c:
                continue
            cells = [form.format(statistics.median(list_)) if list_ else "-" for list_ in (ours, c)]
            ratio = "-"
            if ours and c:
                ratio = f"{statistics.median(x / y for x, y in zip(ours, c)):.2f}"
            print(f"{what:46}{cells[0]:>11}{cells[1]:>11}{ratio:>8}  {how}")
        sys.stdout.flush()


def main():
    parser = argparse.ArgumentParser(prog="Benchmarks/run")
    parser.add_argument("--folder", required=True)
    parser.add_argument("--binaries", required=True)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--only", choices=["c", "joins"])
    parser.add_argument("--keep")
    options = parser.parse_args()

    def end(number, _):
        raise SystemExit(128 + number)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, end)

    bench = Bench(options)
    if options.only != "c":
        for name in ("sharedd", "shared"):
            if not os.access(os.path.join(options.binaries, name), os.X_OK):
                raise Failure(f"no {name} in {options.binaries}: run make first")
    system = platform.freedesktop_os_release()["PRETTY_NAME"]
    print(f"{time.strftime('%Y-%m-%d')}, {os.cpu_count()} cores, {system}, Linux "
          f"{platform.release().split('-')[0]}, load before it {os.getloadavg()[0]:.1f}")
    if options.only == "joins":
        return joins.measure(options.binaries, 5 * max(options.runs, 1))
    kept = [bench.compare(options.records, max(options.runs, 1))]
    if options.full:
        kept.append(bench.compare(1_000_000, 1))
    print("\nours/C is the median of the ratios of each run: above 1 is better where the figure\n"
          "is a rate, below 1 where it is a time or a size.")
    if options.keep:
        with open(options.keep, "w") as file:
            json.dump(kept, file, indent=1)


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        print(f"Benchmarks/run: error: {failure}", file=sys.stderr)
        raise SystemExit(1)
