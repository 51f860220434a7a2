#!/usr/bin/env python3
"""Reads what `shared export` writes with pandas, and compares it cell by cell with NDJSON, which is
lossless: CSV, XLSX with a sheet for each table, and the files in a ZIP.

Usage: exports.py BINARIES      a folder with shared, sharedd and shared-form

Needs pandas and openpyxl. The rooms are those of the packages under examples/, each on a daemon of
its own without discovery. Prints what was compared; fails where a cell differs.
"""
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import zipfile

import pandas

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Room:
    def __init__(self, folder, binaries, package):
        self.folder = pathlib.Path(folder)
        self.shared = os.path.join(binaries, "shared")
        self.environment = dict(os.environ, SHARED_SOCKET=str(self.folder / "socket"))
        self.daemon = subprocess.Popen(
            [os.path.join(binaries, "sharedd"), "--data", str(self.folder / "data"), "--socket",
             str(self.folder / "socket"), "--no-discovery", "--listen", "127.0.0.1:0",
             "--log-level", "error"])
        end = time.monotonic() + 20
        while subprocess.run([self.shared, "status"], env=self.environment,
                             capture_output=True).returncode and time.monotonic() < end:
            time.sleep(0.05)
        self.run("create", package.name)
        self.run("package", "install", str(package))

    def run(self, *words):
        run = subprocess.run([self.shared, *words], env=self.environment, capture_output=True,
                             text=True)
        if run.returncode:
            sys.exit(f"{words}: {run.stderr}")
        return run.stdout

    def file(self, form, ending, *words):
        path = self.folder / f"{form.replace('/', '.')}{ending}"
        self.run("export", form, "--output", str(path), *words)
        return path

    def stop(self):
        self.daemon.terminate()
        self.daemon.wait()


def text(value):
    """A cell as people read it: pandas makes 12 of 12.0 where a column has gaps, and the like."""
    if value is None or value is pandas.NaT or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return f"{value:.10g}"
    if isinstance(value, list):
        return " ".join(text(one) for one in value)
    if isinstance(value, dict):
        return json.dumps(value, sort_keys=True)
    if hasattr(value, "isoformat"):  # a workbook's dates are days, with seconds at best
        whole = value.isoformat()
        return whole.removesuffix("T00:00:00")[:19]
    value = str(value)
    try:
        return f"{float(value):.10g}" if value.strip() == value else value
    except ValueError:
        return value


def alike(wanted, found):
    if hasattr(found, "isoformat") and isinstance(wanted, str):
        wanted = wanted.removesuffix("Z")[:19]
    return text(wanted) == text(found)


def compare(what, wanted, frame):
    """Counts cells that are the same; ends at the first that is not."""
    cells = 0
    if len(frame) != len(wanted):
        sys.exit(f"{what}: {len(frame)} rows, not {len(wanted)}")
    for row, (_, found) in zip(wanted, frame.iterrows()):
        for name in frame.columns:
            if name not in row and name.startswith("_"):
                continue
            if not alike(row.get(name), found[name]):
                sys.exit(f"{what}: {row['_id']} {name}: {found[name]!r}, not {row.get(name)!r}")
            cells += 1
    return cells


def check(room, form):
    """Cells of a form, by format."""
    lines = room.file(form, ".ndjson").read_text().splitlines()
    wanted = [json.loads(line) for line in lines]
    counts = {"entries": len(wanted)}
    csv = room.file(form, ".csv", "--raw")
    counts["csv"] = compare(f"{form}.csv", wanted, pandas.read_csv(
        csv, dtype=str, keep_default_na=False))
    # With the types that pandas finds: numbers stay numbers, dates can be read as such.
    counts["csv, types"] = compare(f"{form}.csv", wanted, pandas.read_csv(
        csv, keep_default_na=False, na_values={}, low_memory=False))
    sheets = pandas.read_excel(room.file(form, ".xlsx", "--raw"), sheet_name=None, keep_default_na=False)
    first = next(iter(sheets.values()))
    counts["xlsx"] = compare(f"{form}.xlsx", wanted, first)
    counts["sheets"] = len(sheets)
    with zipfile.ZipFile(room.file(form, ".zip", "--raw")) as files:
        names = [name for name in files.namelist() if name.endswith(".csv")]
        with files.open(names[0]) as file:
            counts["zip"] = compare(f"{form}.zip", wanted, pandas.read_csv(
                file, dtype=str, keep_default_na=False))
        for name in names[1:]:
            with files.open(name) as file:
                rows = pandas.read_csv(file, dtype=str, keep_default_na=False)
            parents = set(rows["PARENT_KEY"]) if "PARENT_KEY" in rows else set()
            missing = parents - {row["_id"] for row in wanted}
            if missing:
                sys.exit(f"{form}.zip, {name}: rows of entries that are not there: {missing}")
            counts[name] = len(rows)
    frame = pandas.read_json(room.file(form, ".again.ndjson"), lines=True,
                             dtype=False) if wanted else pandas.DataFrame()
    counts["ndjson"] = compare(f"{form}.ndjson", wanted, frame)
    return counts


def main():
    binaries = os.path.abspath(sys.argv[1])
    total = 0
    for package in sorted((ROOT / "examples").iterdir()):
        with tempfile.TemporaryDirectory(prefix="shared-exports.") as folder:
            room = Room(folder, binaries, package)
            try:
                forms = json.loads(room.run("forms", "--json"))
                for form in forms if isinstance(forms, list) else forms["forms"]:
                    counts = check(room, form["form_id"])
                    total += sum(counts[name] for name in ("csv", "csv, types", "xlsx", "zip",
                                                           "ndjson"))
                    print(f"{package.name} {form['form_id']}: "
                          + ", ".join(f"{name} {count:,}" for name, count in counts.items()))
            finally:
                room.stop()
    print(f"{total:,} cells are the same")


main()
