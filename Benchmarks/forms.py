#!/usr/bin/env python3
"""Measures what forms cost a daemon, in CPU time: the state call, forms that are added, imports with
and without logic beside plain C, choices of a long list. It prints figures and judges none.

usage: Benchmarks/forms.py [--rows N] [--calls N]

The programs are those of .build/release, or of $SHARED_BIN. 100,000 rows and 200 calls where not
given."""

import argparse
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, here)
import device as devices  # noqa: E402


def demanding(count, form_id):
    """A form of which each field has a condition on the one before, and a constraint."""
    return {"form_id": form_id, "version": "1", "fields": [
        {"name": f"q{n}", "type": "integer", "label": f"Question number {n}",
         "relevant": f"${{q{n - 1}}} >= 0" if n else "true()",
         "constraint": ". >= 0 and . < 1000"} for n in range(count)]}


def thinking():
    """The form of visits with ten constraints, a condition, a calculation and a warning."""
    with open(os.path.join(here, "visits.json")) as file:
        form = json.load(file)
    form["form_id"] = "thinking"
    rules = {
        "patient_id": [". > 0"], "first_name": ["string-length(.) > 1", "string-length(.) < 80"],
        "last_name": ["string-length(.) > 1", "string-length(.) < 80"],
        "birth_date": [". < ${visited_on}"], "visited_on": [". > date('2020-01-01')"],
        "village": ["string-length(.) < 80"], "temperature": [". > 30 and . < 45"],
        "remarks": ["string-length(.) < 400"]}
    for field in form["fields"]:
        if field["name"] in rules:
            field["constraint"] = " and ".join(rules[field["name"]])
        if field["name"] == "temperature":
            field["x"] = {"warn": ". > 43"}
        if field["name"] == "remarks":
            field["relevant"] = "${diagnosis} != ''"
    form["fields"].append({"name": "initials", "type": "calculate", "calculation":
                           "concat(substr(${first_name}, 0, 1), substr(${last_name}, 0, 1))"})
    return form


def line(what, figure):
    print(f"| {what} | {figure} |", flush=True)


def cpu(device, count, body):
    """Milliseconds of CPU of each of so many rounds."""
    before = device.cpu_seconds()
    for number in range(count):
        body(number)
    return (device.cpu_seconds() - before) / count * 1e3


def states(device, calls):
    for count in (300, 500):
        form_id = f"form{count}"
        taken = cpu(device, 1, lambda _: device.ask("POST", "forms", demanding(count, form_id)))
        line(f"`POST /v1/forms`, {count} fields, each with condition and constraint", f"{taken:.0f} ms")
        values = {"values": {f"q{n}": n for n in range(count)}}
        path = f"forms/{form_id}/state"
        device.ask("POST", path, values)
        device.send("POST", path, values)
        size = len(device.connection.getresponse().read())
        taken = cpu(device, calls, lambda _: device.ask("POST", path, values))
        line(f"`POST /v1/forms/FORM/state`, all {count} answered, {size // 1000} KB of answer",
             f"{taken:.1f} ms")


def imports(device, folder, count):
    path = os.path.join(folder, "path")
    subprocess.run(["cc", "-O2", "-std=c11", "-D_GNU_SOURCE", "-o", path,
                    *glob.glob(os.path.join(here, "c", "*.c")), "-lsqlite3", "-lsodium", "-lssl",
                    "-lcrypto", "-lcbor", "-lzstd"], check=True)
    csv = os.path.join(folder, "visits.csv")
    subprocess.run([path, "entries", str(count), csv, "1"], check=True, stdout=subprocess.DEVNULL)
    os.mkdir(os.path.join(folder, "c"))
    plain = json.loads(subprocess.run([path, "measure", csv, os.path.join(folder, "c")], check=True,
                                      capture_output=True).stdout)["ingest_cpu_us"]
    with open(os.path.join(here, "visits.json")) as file:
        device.ask("POST", "forms", json.load(file))
    device.ask("POST", "forms", thinking())
    device.command("set", "autopush", "off")

    def run(form):
        answer, _ = device.command("import", form, csv)
        if answer["added"] != count:
            raise devices.Failure(f"{answer['added']} of {count} were added")
        device.command("push", "--timeout", "0s")
    for form, what in (("visits", "without logic"), ("thinking", "with ten constraints and more")):
        taken = cpu(device, 1, lambda _: run(form)) * 1e3 / count
        line(f"import and push of {count:,} visits, {what}",
             f"{taken:.1f} us a row; C {plain:.1f}; {taken / plain:.1f} times")


def lists(device, folder, calls):
    path = os.path.join(folder, "village.csv")
    with open(path, "w") as file:
        file.write("name,label,parent\n")
        for n in range(100_000):
            file.write(f"v{n:06},Village {n},d{n // 20:05}\n")
    taken = cpu(device, 1, lambda _: device.command("lists", "add", path))
    line("`shared lists add`, 100,000 rows", f"{taken / 1e3:.2f} s")
    field = {"name": "village", "type": "select_one", "list": "village",
             "choice_filter": "parent = ${district}"}
    device.ask("POST", "forms", {"form_id": "stay", "version": "1", "fields": [
        {"name": "district", "type": "text"}, field]})

    def ask(body, wanted):
        answer = device.ask("POST", "forms/stay/state", body)
        if answer["fields"][1]["choices_total"] != wanted:
            raise devices.Failure(f"{answer['fields'][1]['choices_total']} choices")
    taken = cpu(device, calls, lambda n: ask({"values": {"district": f"d{n:05}"}}, 20))
    none = cpu(device, calls, lambda n: ask({"values": {"district": "nowhere"}}, 0))
    line("the state call with a choice of 20 among 100,000; with none",
         f"{taken:.2f} ms; {none:.2f} ms")


def entries(device, calls):
    """Choices that are entries of another form: those of the import."""
    field = {"name": "visit", "type": "select_one_from_file", "list": "@form:visits"}
    device.ask("POST", "forms", {"form_id": "follow_up", "version": "1", "fields": [field]})

    def ask(typed):
        device.ask("POST", "forms/follow_up/state", {"values": {}, "search": {"visit": typed}})
    some = cpu(device, calls, lambda _: ask("ala"))
    none = cpu(device, max(1, calls // 10), lambda _: ask("nowhere at all"))
    line("the state call with a choice among the entries of the import: some letters; what none has",
         f"{some:.1f} ms; {none:.0f} ms")


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--calls", type=int, default=200)
    options = parser.parse_args()
    binaries = os.environ.get("SHARED_BIN", os.path.join(here, "../.build/release"))
    folder = tempfile.mkdtemp(prefix="shared-forms.")
    device = devices.Device(folder, "ward-1", binaries)
    try:
        device.start().wait_ready()
        device.command("create", "clinic")
        print("CPU time of the daemon\n\n| | |\n|---|---|")
        states(device, options.calls)
        lists(device, folder, options.calls)
        imports(device, folder, options.rows)
        entries(device, options.calls)
    finally:
        device.stop()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
