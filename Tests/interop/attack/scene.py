"""The daemons under attack, and what must hold of them."""
import json
import os
import pathlib
import re
import socket
import subprocess
import time

from .devices import CONTROL, RECORDS, Device, blake, body_of
from .links import Session, joined, name, wait

RESIDENT_LIMIT = 200 << 20
# Set by attacker.py before anything is started.
binaries = work = None
is_long = False


class Daemon:
    def __init__(self, title, *more):
        self.title, self.folder = title, work / title
        self.socket = work / f"{title}.sock"
        self.log = work / f"{title}.log"
        self.process = subprocess.Popen(
            [binaries / "sharedd", "--data", self.folder, "--socket", self.socket, "--listen",
             "127.0.0.1:0", "--no-discovery", "--name", title, *more],
            stdout=open(self.log, "w"), stderr=subprocess.STDOUT)
        self.port = None

        def listening():
            found = re.search(r"listen=127\.0\.0\.1:(\d+)", self.log.read_text())
            self.port = int(found[1]) if found else None
            return found
        if not wait(listening, 20):
            raise RuntimeError(f"{title} does not start")

    def run(self, *arguments, timeout=90):
        return subprocess.run([binaries / "shared", "--socket", self.socket, *arguments],
                              capture_output=True, text=True, timeout=timeout)

    def ask(self, *arguments):
        result = self.run(*arguments)
        if result.returncode != 0:
            raise RuntimeError(f"{self.title}: {' '.join(map(str, arguments))}: {result.stderr.strip()}")
        return json.loads(result.stdout) if "--json" in arguments else result.stdout

    def room(self):
        return self.ask("status", "--json")["rooms"][0]

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def resident(self):
        text = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", text)[1]) << 10

    def dialled(self):
        """Addresses outside loopback that this machine has TCP sockets to."""
        found = set()
        for line in pathlib.Path(f"/proc/{self.process.pid}/net/tcp").read_text().splitlines()[1:]:
            address = line.split()[2].split(":")[0]
            found.add(socket.inet_ntoa(bytes.fromhex(address)[::-1]))
        return found

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()

class Finding(Exception):
    pass


def need(condition, why):
    if not condition:
        raise Finding(why)


attacks = []


def attack(function):
    """Adds an attack. What a generator does after its `yield` is done when all others are over,
    so that what takes a daemon's time out passes meanwhile."""
    attacks.append(function)
    return function


class Scene:
    """Two honest devices with a room, and two members who are not."""

    def __init__(self):
        self.a = Daemon("ann")
        self.a.ask("create", "clinic", "--json")
        form = work / "form.json"
        form.write_text(json.dumps({"form_id": "visits", "fields": [
            {"name": "who", "type": "text"}, {"name": "age", "type": "integer"},
            {"name": "temp", "type": "decimal"}, {"name": "day", "type": "date"}]}))
        self.a.ask("form", "add", form)
        self.record = self.a.ask("add", "visits", "who=Ada", "age=36", "--json")["id"]
        self.a.ask("push")
        code = self.a.ask("invite", "--role", "editor", "--json")["code"]
        self.b = Daemon("ben", "--peer", f"127.0.0.1:{self.a.port}")
        self.b.ask("join", "clinic", "--code", code, "--json")
        self.mallory, self.forker, self.stranger = Device(), Device(), Device()
        self.room = joined(self.mallory, self.a)
        joined(self.forker, self.a)
        session = self.member()
        self.owner = session.peer
        self.control_log = session.fetch(self.owner, CONTROL)
        self.records_log = session.fetch(self.owner, RECORDS)
        need(self.control_log and self.records_log, "a collector is not served what it may read")
        for data in self.control_log:
            for block in body_of(data)[0]:
                if block[0] == 4:
                    self.form = (blake(data), 0)
                    self.fields = [field[0] for field in block[4][0][5]]
                if block[0] == 8 and self.mallory.key in block[3]:
                    self.grant = (blake(data), 0)
        session.close()
        self.allowed = 1  # Records that are honestly there.
        self.calm()

    def member(self, device=None, daemon=None):
        session = Session(device or self.mallory, (daemon or self.a).port, self.room)
        session.tell()
        need(session.got(1), "a member is not told what the other has")
        return session

    def knower(self, device=None):
        return Session(device or Device(), self.a.port, self.room)

    def facts(self, daemon):
        return {"members": sorted((m["id"], m["role"]) for m in daemon.ask("members", "--json")),
                "forms": sorted((f["form_id"], f["version"]) for f in daemon.ask("forms", "--json")),
                "records": sorted((r["_id"], r["_author"], str(r.get("who")), str(r.get("age")),
                                   str(r["_state"])) for r in daemon.ask("list", "visits", "--json"))}

    def calm(self):
        self.before = self.facts(self.a)

    def check(self):
        for daemon in (self.a, self.b):
            need(daemon.process.poll() is None,
                 f"{daemon.title} has ended with {daemon.process.returncode}")
            daemon.ask("status", "--json")
            size = daemon.resident()
            need(size < RESIDENT_LIMIT, f"{daemon.title} has {size >> 20} MiB resident")
        after = self.facts(self.a)
        for part, value in after.items():
            need(value == self.before[part], f"{part} changed: {self.before[part]} -> {value}")

    def same(self):
        def equal():
            one, two = self.a.ask("status", "--json"), self.b.ask("status", "--json")
            return (one["rooms"][0]["digest"] == two["rooms"][0]["digest"]
                    and one["peers"]["identical"] >= 1 and two["peers"]["identical"] >= 1)
        need(wait(equal, 30), "the two honest devices are not identical: "
             f"{self.a.room()} / {self.b.room()} / {self.a.ask('peers', '--json')}")
        need(self.facts(self.a) == self.facts(self.b), "equal digests, other content")


def refused(answer, count=1):
    """The batch is stored and all its operations are refused."""
    need(isinstance(answer, list), f"no acknowledgement: {answer}")
    need(answer[4] == 1, "acknowledged as not stored")
    need(answer[5] == 0, f"accepted {answer[5]} operations")
    need(answer[7] == count, f"refused {answer[7]} of {count} operations, waiting {answer[6]}")


def ended(answer):
    need(answer == "ended", f"expected the end of the session, got {answer}")


def taken(answer, count):
    need(isinstance(answer, list) and answer[5] == count, f"expected {count} accepted, got {answer}")
