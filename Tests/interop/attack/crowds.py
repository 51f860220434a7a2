"""Many connections at once."""
import select
import socket
import struct
import threading

from OpenSSL import SSL

from . import scene
from .devices import Device
from .links import Link, Session, wait
from .scene import attack, Daemon, need, RESIDENT_LIMIT


@attack
def many_sessions_of_one_member(s):
    """20 sessions of one key (with --long 60), each as another process; honest devices must find room."""
    sessions = [Session(s.mallory, s.a.port, s.room) for _ in range(60 if scene.is_long else 20)]
    for session in sessions:
        session.pump(lambda: False, 0.01)
    s.a.ask("add", "visits", "who=Crowded", "--json")
    s.a.ask("push", "--timeout", "1s")
    try:
        s.same()
        alive = sum(not session.ends(0.5) for session in sessions)
        need(alive <= 5, f"{alive} sessions of one key stay")
    finally:
        for session in sessions:
            session.close()
        s.calm()


SLOW = 500
# What a daemon may hold besides: its files, its listener, its peers.
BESIDES = 64
UNPROVEN = 64


class SlowCrowd:
    """500 connections that go nowhere, in four stages, each opened anew when it is closed."""

    def __init__(self, port):
        self.port, self.done, self.opened = port, threading.Event(), 0
        self.alive = [None] * SLOW
        self.lock = threading.Lock()
        self.threads = [threading.Thread(target=self.hold, args=(n,)) for n in range(4)]
        for thread in self.threads:
            thread.start()

    def open(self, device, stage):
        # Addresses of their own: on a network nobody else has those of the crowd.
        source = f"127.0.7.{stage + 1}"
        if stage < 2:
            raw = socket.create_connection(("127.0.0.1", self.port), 2, (source, 0))
            if stage == 1:
                raw.send(b"\x16\x03\x01\x02\x00\x01\x00")
            return raw
        link = Link(device, self.port, source)
        if stage == 3:
            link.write(struct.pack(">I", 2000))
        return link

    def hold(self, worker):
        """Keeps a quarter of all places taken, with connections of every stage."""
        device = Device()
        while not self.done.is_set():
            for place in range(worker, SLOW, 4):
                if self.done.is_set():
                    return
                held = self.alive[place]
                if held is None or self.is_over(held):
                    if held is not None:
                        held.close()
                    self.alive[place] = None
                    try:
                        self.alive[place] = self.open(device, place // 4 % 4)
                        with self.lock:
                            self.opened += 1
                    except (OSError, SSL.Error):
                        pass
                elif isinstance(held, Link) and place // 4 % 4 == 3:
                    held.write(b"\0")
            self.done.wait(0.05)

    @staticmethod
    def is_over(held):
        if isinstance(held, Link):
            while not held.closed and held.take(0):
                pass
            return held.closed
        try:
            return select.select([held], [], [], 0)[0] and held.recv(4096) == b""
        except OSError:
            return True

    def end(self):
        self.done.set()
        for thread in self.threads:
            thread.join()
        for held in self.alive:
            if held is not None:
                held.close()


@attack
def slow_connections(s):
    """500 of them: TCP alone, half a ClientHello, TLS and then silence, and a byte of a frame a
    turn. Meanwhile members push, and a device joins; what the daemon holds stays bounded."""
    code = s.a.ask("invite", "--role", "collector", "--json")["code"]
    honest = Daemon("cleo", "--peer", f"127.0.0.1:{s.a.port}")
    crowd = SlowCrowd(s.a.port)
    try:
        need(wait(lambda: crowd.opened >= SLOW, 60), f"only {crowd.opened} connections come about")
        for number in range(3):
            s.b.ask("add", "visits", f"who=Crowded {number}", "--json")
            push = s.b.ask("push", "--timeout", "30s", "--json")
            need([d["name"] for d in push["delivered"]] == ["ann"], f"a push is not delivered: {push}")
            count, size = s.a.descriptors(), s.a.resident()
            need(count <= UNPROVEN + BESIDES, f"{count} descriptors are open")
            need(size < RESIDENT_LIMIT, f"{size >> 20} MiB resident")
        result = honest.run("join", "clinic", "--code", code, "--json", timeout=60)
        need(result.returncode == 0, f"an honest device cannot join: {result.stderr.strip()}")
        need(not crowd.done.is_set() and crowd.opened >= SLOW, "nobody was slow meanwhile")
    finally:
        crowd.end()
        honest.stop()
        s.calm()
