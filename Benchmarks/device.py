"""A daemon under measurement: its process, its control socket, and its room's file."""

import glob
import http.client
import json
import os
import socket
import sqlite3
import subprocess
import time

PATIENCE = 180  # seconds until a wait is given up
IDLE = 3  # seconds after which a connection is opened anew, as the daemon may have closed it


class Failure(Exception):
    """There is no figure to tell, and why."""


class LocalConnection(http.client.HTTPConnection):
    """HTTP over the daemon's Unix socket."""

    def __init__(self, path):
        super().__init__("shared")
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(PATIENCE)
        self.sock.connect(self.path)


def wait_until(what, condition, pause=0.002):
    """Waits until `condition()` is true and returns it."""
    end = time.monotonic() + PATIENCE
    while True:
        found = condition()
        if found:
            return found
        if time.monotonic() > end:
            raise Failure(f"waited {PATIENCE} s in vain: {what}")
        time.sleep(pause)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Device:
    def __init__(self, folder, name, binaries, peers=()):
        self.name = name
        self.binaries = binaries
        self.data = os.path.join(folder, name)
        self.socket = os.path.join(folder, f"{name}.sock")
        self.log = os.path.join(folder, f"{name}.log")
        self.port = free_port()
        self.peers = peers
        self.process = None
        self.connection = None
        self.last_use = 0.0
        self.reader = None

    # The process

    def start(self):
        command = [os.path.join(self.binaries, "sharedd"), "--data", self.data,
                   "--socket", self.socket, "--listen", f"127.0.0.1:{self.port}",
                   "--name", self.name, "--no-discovery", "--log-level", "warning"]
        for peer in self.peers:
            command += ["--peer", f"127.0.0.1:{peer.port}"]
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log,
                                            stderr=log)
        return self

    def wait_ready(self):
        def answers():
            if self.process.poll() is not None:
                with open(self.log, errors="replace") as log:
                    raise Failure(f"{self.name} ended: {log.read()[-2000:].strip()}")
            try:
                return self.ask("GET", "version")
            except (OSError, http.client.HTTPException):
                self.connection = None
                return None
        wait_until(f"{self.name} answers", answers)
        return self

    def stop(self):
        """Ends the daemon as a service manager would; by force after 10 s."""
        self.connection = None
        self.close_reader()
        if self.process is None:
            return
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.process = None

    def cpu_seconds(self):
        """CPU time of the process so far, to the nanosecond: ticks say nothing of one at rest."""
        return time.clock_gettime((~self.process.pid << 3) | 2)  # clock_getcpuclockid(3)

    def memory(self):
        """Private, resident and greatest resident memory so far, in MB (of 1024 * 1024)."""
        found = {}
        for name in ("smaps_rollup", "status"):
            with open(f"/proc/{self.process.pid}/{name}") as file:
                for line in file:
                    parts = line.split()
                    if len(parts) == 3 and parts[2] == "kB":
                        found[parts[0]] = int(parts[1]) / 1024
        return {"private": found["Private_Dirty:"],
                "resident": found["Rss:"], "peak": found["VmHWM:"]}

    # The command line and the socket

    def command(self, *arguments):
        """Runs `shared`; returns its answer and how long it took, in seconds."""
        command = [os.path.join(self.binaries, "shared"), *arguments, "--json",
                   "--socket", self.socket]
        start = time.monotonic()
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=PATIENCE)
        taken = time.monotonic() - start
        if done.returncode:
            raise Failure(f"shared {' '.join(arguments)}: {done.stderr.strip()}")
        return (json.loads(done.stdout) if done.stdout.strip() else None), taken

    def ask(self, method, path, body=None):
        """One request on a connection that is kept open, and its answer."""
        self.send(method, path, body)
        return self.answer()

    def send(self, method, path, body=None):
        """Sends a request, whose answer has to be taken before the next."""
        if self.connection is None or time.monotonic() - self.last_use > IDLE:
            self.connection = LocalConnection(self.socket)
        self.last_use = time.monotonic()
        headers = {} if body is None else {"Content-Type": "application/json"}
        self.connection.request(method, f"/v1/{path}",
                                None if body is None else json.dumps(body), headers)

    def answer(self):
        answer = self.connection.getresponse()
        text = answer.read()
        if answer.status >= 400:
            raise Failure(f"{self.name}: {text.decode(errors='replace')}")
        return json.loads(text) if text else None

    def room(self):
        rooms = self.ask("GET", "status")["rooms"]
        return rooms[0] if rooms else {}

    # The room's file, as another program reads it

    def highest_row(self):
        """The highest row of the form's table; rows are numbered without gaps."""
        if self.reader is None:
            files = glob.glob(os.path.join(self.data, "rooms", "*.sqlite"))
            if not files:
                return 0
            self.reader = sqlite3.connect(f"file:{files[0]}?mode=ro", uri=True,
                                          isolation_level=None)
        try:
            return self.reader.execute("SELECT max(rowid) FROM visits").fetchone()[0] or 0
        except sqlite3.OperationalError as error:
            if "no such table" not in str(error):
                raise
            return 0

    def close_reader(self):
        if self.reader is not None:
            self.reader.close()
            self.reader = None


def bytes_between(devices):
    """TCP payload, TLS included, that open connections of these devices have sent so far."""
    ports = {str(device.port) for device in devices}
    out = subprocess.run(["ss", "-tinH", "state", "established"], capture_output=True, text=True,
                         check=True).stdout.splitlines()
    total = 0
    for line, details in zip(out[::2], out[1::2]):
        local, remote = line.split()[2:4]
        if not {local.rsplit(":", 1)[1], remote.rsplit(":", 1)[1]} & ports:
            continue
        for word in details.split():
            if word.startswith("bytes_sent:"):
                total += int(word.split(":")[1])
    return total
