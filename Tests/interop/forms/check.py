#!/usr/bin/env python3
"""Fills in forms with JavaRosa and with a daemon, and compares them after each step.

    check.py random --jar ODK_Validate.jar --binaries .build/debug [--forms N] [--steps N] [--seed N]
    check.py real --jar ODK_Validate.jar --binaries .build/debug FILE|FOLDER... [--steps N] [--seed N]
"""

import argparse
import pathlib
import random
import re
import sys
import tempfile

from pyxform.xls2xform import convert

import forms
from engines import Daemon, EngineError, JavaRosa
from play import Play, XForm


class Report:
    def __init__(self):
        self.forms = self.steps = self.compared = self.stale = self.partly = 0
        self.differences = []
        # Each with its reason.
        self.unread, self.refused, self.broken = [], [], []

    def show(self):
        print(
            f"{self.forms} forms, {self.steps} steps, {self.compared} comparisons; {len(self.differences)} forms differ\n"
            f"{self.stale} steps were alike only when JavaRosa had computed all anew; "
            f"{self.partly} forms have expressions that are not checked here")
        for title, found in (("not read here", self.unread), ("refused by JavaRosa or pyxform", self.refused),
                             ("given up by JavaRosa on the way", self.broken)):
            for name, reason in found:
                print(f"{title}: {name}: {' '.join(reason.split())[:160]}")


def unchecked(said):
    """The names of what has an expression that is not checked here, as `form add` tells it."""
    found = [re.match(r"(?:line \d+, column \d+: )?(\S+): [\w.]+: not checked here", line) for line in said["warnings"]]
    return {match[1] for match in found if match}


def begin(javarosa, daemon, said, path, chance):
    names = unchecked(said)
    definition = daemon.definition(said["form_id"])
    text = path.read_text(encoding="utf-8")
    try:
        return Play(javarosa, daemon, said["form_id"], XForm(text, definition, names), path, chance)
    except EngineError as error:
        own = re.compile(r'(<bind nodeset="[^"]*/([^"/]+)"[^>]*?) relevant="\./[^"]*"')
        if "Cycle" not in str(error) or not own.search(text):
            raise
        # A group whose relevance is an answer in it: JavaRosa takes no such form.
        names |= {match[2] for match in own.finditer(text)}
        path.write_text(own.sub(r"\1", text), encoding="utf-8")
        return Play(javarosa, daemon, said["form_id"], XForm(path.read_text(encoding="utf-8"), definition, names), path, chance)


def play(report, javarosa, daemon, name, said, path, steps, chance):
    try:
        game = begin(javarosa, daemon, said, path, chance)
    except EngineError as error:
        report.refused.append((name, str(error)))
        return
    found = game.check()
    try:
        while not found and game.steps < steps:
            game.step()
            found = game.check()
    except EngineError as error:
        report.broken.append((name, f"{error}; after {game.script[-1:]}"))
    report.forms += 1
    report.steps += game.steps
    report.compared += game.compared
    report.stale += len(game.stale)
    report.partly += bool(game.xform.unchecked)
    if found:
        report.differences.append(name)
        print(f"--- {name}, step {game.steps}: " + "; ".join(game.script[-3:]))
        for one in found[:5]:
            print(f"    {one.path} {one.what}: JavaRosa {one.javarosa!r}, here {one.ours!r}", flush=True)


def random_forms(options, report, javarosa, daemon, folder):
    for number in range(options.seed, options.seed + options.forms):
        form_id = f"form{number}"
        path = folder / f"{form_id}.md"
        path.write_text(forms.Generator(number, options.size).markdown(form_id), encoding="utf-8")
        xform = folder / f"{form_id}.xml"
        try:
            xform.write_text(convert(xlsform=str(path)).xform, encoding="utf-8")
        except Exception as error:
            report.refused.append((form_id, str(error)))
            continue
        try:
            said = daemon.add(path)
        except EngineError as error:
            report.unread.append((form_id, str(error)))
            continue
        play(report, javarosa, daemon, form_id, said, xform, options.steps, random.Random(number))


def real_forms(options, report, javarosa, daemon, folder):
    files = sorted(path for name in options.files for path in
                   ([pathlib.Path(name)] if pathlib.Path(name).is_file() else pathlib.Path(name).rglob("*.xlsx")))
    for number, path in enumerate(files):
        name = f"{number} {path.parent.name}/{path.name}"
        try:
            said = daemon.add(path)
        except EngineError as error:
            detail = re.search(r'"detail": ?"(?:[^"\\]|\\.)*"', str(error))
            report.unread.append((name, (detail[0] if detail else str(error)).replace(str(path), "")))
            continue
        xform = folder / f"{number}.xml"
        try:
            text = convert(xlsform=str(path)).xform
        except Exception:
            # What pyxform does not take is played as the XForm that we write.
            done = daemon.run("form", "export", said["form_id"], "--xform", xform)
            if done.returncode:
                report.unread.append((name, done.stderr))
                continue
            text = xform.read_text(encoding="utf-8")
        # Only Collect knows where a phone is.
        xform.write_text(re.sub(r"<odk:setgeopoint [^>]*/>", "", text), encoding="utf-8")
        play(report, javarosa, daemon, name, said, xform, options.steps, random.Random(options.seed))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("which", choices=["random", "real"])
    parser.add_argument("files", nargs="*")
    parser.add_argument("--jar", required=True)
    parser.add_argument("--binaries", required=True)
    parser.add_argument("--forms", type=int, default=100)
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--size", type=int, default=16)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", help="where forms are left to be looked at")
    options = parser.parse_intermixed_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(options.folder or temporary)
        folder.mkdir(parents=True, exist_ok=True)
        report = Report()
        javarosa, daemon = JavaRosa(options.jar, temporary), Daemon(options.binaries, temporary)
        try:
            if options.which == "random":
                random_forms(options, report, javarosa, daemon, folder)
            else:
                real_forms(options, report, javarosa, daemon, folder)
        finally:
            javarosa.close()
            daemon.close()
        report.show()
    return 1 if report.differences else 0


if __name__ == "__main__":
    sys.exit(main())
