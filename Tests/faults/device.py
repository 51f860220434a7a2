"""Devices on loopback, and what they have been promised: an entry that a command has acknowledged
must be there for ever after."""
import json
import os
import pathlib
import signal
import socket
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARIES = pathlib.Path(os.environ.get("SHARED_BIN", ROOT / ".build" / "release"))
FORM = ROOT / "examples/common-viruses/forms/common-viruses.json"


class Broken(Exception):
    """A promise that was not kept."""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait(seconds, what, condition):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise Broken(f"waited {seconds} s for {what}")
        time.sleep(0.05)


class Device:
    def __init__(self, name, folder, peer=None):
        self.name, self.folder = name, pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.data, self.socket = self.folder / "data", self.folder / "socket"
        self.log = self.folder / "log"
        self.port, self.peer = free_port(), peer
        self.process = None
        # The numbers of acknowledged entries.
        self.promised = set()

    def start(self, environment=None, must=True):
        """Starts it; whether it answers."""
        command = [BINARIES / "sharedd", "--name", self.name, "--data", self.data,
                   "--socket", self.socket, "--listen", f"127.0.0.1:{self.port}", "--no-discovery"]
        if self.peer:
            command += ["--peer", f"127.0.0.1:{self.peer.port}"]
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                command, env=os.environ | (environment or {}), stdin=subprocess.DEVNULL,
                stdout=log, stderr=log)
        end = time.monotonic() + 30
        while self.process.poll() is None and time.monotonic() < end:
            if self.run("status").returncode == 0:
                return True
            time.sleep(0.02)
        if must:
            raise Broken(f"{self.name} does not start: {self.said()}")
        return False

    def said(self):
        lines = self.log.read_text(errors="replace").splitlines()
        return " | ".join(lines[-5:])

    def end(self, number=signal.SIGTERM):
        if self.process and self.process.poll() is None:
            self.process.send_signal(number)
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
                raise Broken(f"{self.name} did not end within 30 s") from None
        return self.process.returncode if self.process else 0

    def run(self, *words):
        return subprocess.run(
            [BINARIES / "shared", "--socket", self.socket, *map(str, words)],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=120)

    def ask(self, *words):
        done = self.run(*words, "--json")
        if done.returncode != 0:
            raise Broken(f"{self.name}: {' '.join(map(str, words))}: {done.stderr.strip()}")
        return json.loads(done.stdout)

    def add(self, number):
        """Adds an entry; whether that was acknowledged."""
        done = self.run("add", "common-viruses", f"Virus_Number={number}",
                        f"Virus_Name=virus {number}", f"Patient_ID={number}")
        if done.returncode == 0:
            self.promised.add(number)
        return done.returncode == 0

    def numbers(self):
        try:
            found = self.ask("list", "common-viruses")
        except Broken:
            # The one call that fails may be one of these; the next look must do.
            found = self.ask("list", "common-viruses")
        return {row["Virus_Number"] for row in found}

    def keeps(self, promised=None):
        """Checks that everything that was promised is there."""
        missing = (promised or self.promised) - self.numbers()
        if missing:
            raise Broken(f"{self.name} has lost {len(missing)} entries: {sorted(missing)[:5]}")

    def digest(self):
        done = self.run("status", "--json")
        if done.returncode != 0:
            return None
        room = json.loads(done.stdout)["rooms"][0]
        return room["digest"], room["records"]

    def verify(self):
        done = self.run("verify")
        if done.returncode != 0:
            raise Broken(f"{self.name}: verify: {done.stdout.strip()} {done.stderr.strip()}")


def pair(folder):
    """Two devices in one room."""
    one = Device("one", folder / "one")
    two = Device("two", folder / "two", peer=one)
    one.start()
    two.start()
    one.ask("create", "clinic")
    one.ask("form", "add", FORM)
    two.ask("join", "clinic", "--code", one.ask("invite")["code"])
    return one, two


def agree(*devices, seconds=60):
    """Waits until all have the same."""
    for device in devices:
        device.run("push", "--timeout", "5s")
    wait(seconds, "equal digests", lambda: len({device.digest() for device in devices}) == 1)
