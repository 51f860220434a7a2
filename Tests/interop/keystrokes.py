#!/usr/bin/python3 -B
"""Types entries into `shared add FORM` on a terminal of its own, as a quick collector would, and
counts the keys.

Usage: keystrokes.py SHARED SOCKET [ENTRIES]

The room needs nothing but this device as an owner: the form is added here. It has the 15 fields of a
household survey. Data are the characters of what is stored, as CSV has them; keys are all that is
typed, Enter included. Prints one line of JSON, and fails where an entry is not what was typed.
"""
import csv
import io
import json
import os
import pty
import random
import select
import subprocess
import sys
import time

YES_NO = [{"name": "yes", "label": "Yes"}, {"name": "no", "label": "No"}]
LISTS = {
    "villages": [{"name": "koro", "label": "Koro"}, {"name": "dongo", "label": "Dongo"},
                 {"name": "saint_louis", "label": "Saint-Louis"}],
    "sex": [{"name": "female", "label": "Female"}, {"name": "male", "label": "Male"}],
    "symptoms": [{"name": name, "label": name.capitalize()}
                 for name in ("cough", "fever", "rash", "diarrhoea", "none")],
    "water": [{"name": name, "label": name.capitalize()}
              for name in ("tap", "well", "river", "rain")],
    "yes_no": YES_NO,
}
FORM = {
    "form_id": "household", "version": "1", "title": "Household survey", "key": ["hh_id"],
    "fields": [
        {"name": "hh_id", "type": "text", "label": "Household number", "required": True},
        {"name": "visit_date", "type": "date", "label": "Date of visit", "required": True,
         "default": "today()"},
        {"name": "village", "type": "select_one", "list": "villages", "label": "Village",
         "required": True},
        {"name": "head_name", "type": "text", "label": "Head of household", "required": True},
        {"name": "head_sex", "type": "select_one", "list": "sex", "label": "Sex of the head"},
        {"name": "members", "type": "integer", "label": "Members",
         "constraint": ". > 0 and . < 60", "constraint_message": "1 to 59 people"},
        {"name": "under5", "type": "integer", "label": "Children under five",
         "constraint": ". <= ${members}", "constraint_message": "Not more than all members"},
        {"name": "fever", "type": "decimal", "label": "Highest temperature", "x": {"unit": "Cel"},
         "constraint": ". > 30 and . < 45", "constraint_message": "Between 30 and 45"},
        {"name": "symptoms", "type": "select_multiple", "list": "symptoms", "label": "Symptoms"},
        {"name": "nets", "type": "integer", "label": "Bed nets"},
        {"name": "water", "type": "select_one", "list": "water", "label": "Source of water"},
        {"name": "treats", "type": "select_one", "list": "yes_no", "label": "Is it treated?"},
        {"name": "vaccinated_pct", "type": "integer", "label": "Children vaccinated",
         "x": {"unit": "%"}},
        {"name": "gps", "type": "text", "label": "Position"},
        {"name": "remarks", "type": "text", "label": "Remarks"},
    ],
    "lists": LISTS,
}
HEADS = ["Amadou Traoré", "Mariam Diallo", "N'Diaye Fall", "Ousmane Keita", "Awa Coulibaly"]
REMARKS = ["", "", "returns > tuesday", "net torn", "well is dry, fetched from the river"]


def number(name, value):
    """What a quick collector types for a choice."""
    return str([choice["name"] for choice in LISTS[name]].index(value) + 1)


def entry(index, chance):
    """An entry: for each field its value, and what is typed for it."""
    def pick(name):
        return chance.choice([choice["name"] for choice in LISTS[name]])
    village, sex, water, treats = pick("villages"), pick("sex"), pick("water"), pick("yes_no")
    symptoms = sorted(chance.sample(["cough", "fever", "rash"], chance.randint(1, 2)))
    members = chance.randint(2, 14)
    same = [
        ("members", str(members)), ("under5", str(chance.randint(0, min(4, members)))),
        ("fever", f"{chance.randint(362, 401) / 10:g}")]
    return [
        ("hh_id", f"KOR-{index:03}", None), ("visit_date", time.strftime("%Y-%m-%d"), ""),
        ("village", village, number("villages", village)),
        ("head_name", chance.choice(HEADS), None), ("head_sex", sex, number("sex", sex)),
        *((name, value, None) for name, value in same),
        ("symptoms", " ".join(symptoms), " ".join(number("symptoms", one) for one in symptoms)),
        ("nets", str(chance.randint(0, 5)), None), ("water", water, number("water", water)),
        ("treats", treats, number("yes_no", treats)),
        ("vaccinated_pct", str(chance.randint(0, 100)), None),
        ("gps", f"{chance.randint(12000, 14999) / 1000:.3f} -{chance.randint(3000, 6000) / 1000:.3f}",
         None),
        ("remarks", chance.choice(REMARKS), None)]


class Terminal:
    """The command on a terminal of 60 columns."""

    def __init__(self, command, environment):
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.execvpe(command[0], command, environment)
        self.keys, self.said = 0, ""

    def prompt(self, timeout=30):
        """Waits until something is asked."""
        end = time.monotonic() + timeout
        while not self.said.endswith("> "):
            if time.monotonic() > end or not select.select([self.terminal], [], [], timeout)[0]:
                sys.exit(f"no question came: {self.said[-600:]!r}")
            try:
                self.said += os.read(self.terminal, 65536).decode(errors="replace")
            except OSError:
                sys.exit(f"it ended: {self.said[-600:]!r}")

    def type(self, text):
        self.prompt()
        self.said = ""
        os.write(self.terminal, text.encode() + b"\n")
        self.keys += len(text) + 1

    def end(self):
        try:
            while os.read(self.terminal, 65536):
                pass
        except OSError:
            pass
        return os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])


def main(shared, socket, count):
    environment = dict(
        os.environ, SHARED_SOCKET=socket, TERM="dumb", LANG="C.UTF-8", COLUMNS="60", NO_COLOR="1")

    def run(*arguments, text=None):
        return subprocess.run(
            [shared, *arguments], input=text, env=environment, check=True, capture_output=True,
            text=True).stdout

    now = time.localtime()
    left = 86_400 - now.tm_hour * 3_600 - now.tm_min * 60 - now.tm_sec
    if left < 120:  # `today()` is of one day for all entries
        time.sleep(left + 1)
    run("form", "add", "-", text=json.dumps(FORM))
    chance = random.Random(1)
    entries = [entry(index + 1, chance) for index in range(count)]
    terminal = Terminal([shared, "add", "household"], environment)
    for index, fields in enumerate(entries):
        for name, value, typed in fields:
            terminal.type(value if typed is None else typed)
        terminal.type("")  # the summary
        terminal.type("" if index + 1 < count else "q")
    code = terminal.end()
    if code != 0:
        sys.exit(f"the command ended with {code}")
    stored = list(csv.DictReader(io.StringIO(run("export", "household", "--raw"))))
    data = 0
    for fields, row in zip(entries, stored, strict=True):
        for name, value, _ in fields:
            if row[name] != value:
                sys.exit(f"{name}: {row[name]!r} is stored, and {value!r} was typed")
            data += len(value)
    print(json.dumps({
        "entries": count, "keys": terminal.keys, "data": data,
        "keys_per_entry": round(terminal.keys / count, 1), "data_per_entry": round(data / count, 1),
        "keys_per_key_of_data": round(terminal.keys / data, 2)}))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 60)
