"""The two engines: JavaRosa through Player.java, and a daemon of this project through its API."""

import http.client
import json
import os
import pathlib
import re
import socket
import subprocess
import time
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
ZONE = "Asia/Kolkata"  # no summer time, and not a whole hour


class EngineError(Exception):
    """What an engine says where it cannot go on."""


def escape(text):
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r")


def unescape(text):
    return re.sub(r"\\(.)", lambda found: {"n": "\n", "t": "\t", "r": "\r"}.get(found[1], found[1]), text)


class Field:
    """A field as JavaRosa has it."""

    def __init__(self, words):
        self.relevant, self.required, self.enabled = (word == "y" for word in words[:3])
        self.constraint = {"y": True, "n": False}.get(words[3])
        self.value = words[5]


class State:
    """What JavaRosa tells of an entry, by path."""

    def __init__(self, lines):
        self.fields, self.repetitions, self.choices, self.open = {}, {}, {}, []
        for line in lines:
            kind, path, *words = map(unescape, line.split("\t"))
            if kind == "f":
                self.fields[path] = Field(words)
            elif kind == "r":
                self.repetitions[path] = words[0] == "y"
            elif kind == "c":
                self.choices[path] = words
            elif kind == "+":
                self.open.append(path)


class JavaRosa:
    """One process that fills in one entry after the other."""

    def __init__(self, jar, folder):
        subprocess.run(
            ["javac", "-encoding", "UTF-8", "-cp", jar, "-d", folder, HERE / "Player.java"], check=True)
        self.command = [
            "java", f"-Duser.timezone={ZONE}", "-Duser.language=en", "-Xss8m",
            "-cp", f"{jar}:{folder}", "Player"]
        self.log = open(pathlib.Path(folder) / "javarosa.log", "w")
        self.process = None

    def tell(self, *words):
        if self.process is None:
            self.process = subprocess.Popen(
                self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log,
                encoding="utf-8")
        self.process.stdin.write("\t".join(map(escape, words)) + "\n")
        self.process.stdin.flush()
        lines = []
        while (line := self.process.stdout.readline()) != ".\n":
            if not line:
                self.process = None
                raise EngineError("JavaRosa ended")
            if line.startswith("!\t"):
                error = unescape(line[2:-1])
                self.process.stdout.readline()
                raise EngineError(error)
            lines.append(line[:-1])
        return lines

    def state(self):
        return State(self.tell("state"))

    def close(self):
        if self.process:
            self.process.stdin.close()
            self.process.wait()


class Connection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost")
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(self.path)


class Daemon:
    """A daemon with a room of its own."""

    def __init__(self, binaries, folder):
        self.binaries, self.socket = pathlib.Path(binaries), str(pathlib.Path(folder) / "socket")
        self.environment = dict(os.environ, SHARED_SOCKET=self.socket, TZ=ZONE, LANG="C.UTF-8")
        self.process = subprocess.Popen(
            [self.binaries / "sharedd", "--data", pathlib.Path(folder) / "data", "--socket", self.socket,
             "--no-discovery", "--listen", "127.0.0.1:0", "--log-level", "warning"],
            env=self.environment)
        end = time.monotonic() + 30
        while self.run("identity").returncode and time.monotonic() < end:
            time.sleep(0.1)
        self.run("create", "forms", check=True)
        self.connection = Connection(self.socket)

    def run(self, *arguments, check=False):
        return subprocess.run(
            [self.binaries / "shared", *map(str, arguments)], env=self.environment, check=check,
            capture_output=True, text=True, stdin=subprocess.DEVNULL)

    def add(self, path):
        """Puts a form into the room; what is said of it."""
        done = self.run("form", "add", path, "--force", "--json")
        if done.returncode:
            raise EngineError(done.stderr.strip() or done.stdout.strip())
        return json.loads(done.stdout)

    def call(self, method, path, body=None):
        text = None if body is None else json.dumps(body)
        for _ in range(2):
            try:
                self.connection.request(method, path, text, {"Content-Type": "application/json"})
                answer = self.connection.getresponse()
                break
            except (ConnectionError, http.client.HTTPException):
                self.connection.close()  # it was idle for long
        text = answer.read()
        if answer.status != 200:
            raise EngineError(text.decode())
        return json.loads(text)

    def definition(self, form):
        return self.call("GET", f"/v1/forms/{urllib.parse.quote(form)}")

    def state(self, form, values):
        return self.call("POST", f"/v1/forms/{urllib.parse.quote(form)}/state", {"values": values})

    def close(self):
        self.process.terminate()
        self.process.wait()
