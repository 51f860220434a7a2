"""Machines to install the package on: a bare Debian 12, booted by systemd-nspawn.

All of them are on one bridge in a network namespace of this process, so nothing that they say
leaves it, and nothing outlives the process but the folder that it is given.
"""
import hashlib
import os
import pathlib
import shutil
import signal
import subprocess
import time

ENVIRONMENT = {
    "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LANG": "C.UTF-8",
    "DEBIAN_FRONTEND": "noninteractive"}
NETWORK = """[Match]
Name=host0

[Network]
Address=10.77.0.{number}/24
"""


class Failure(Exception):
    """What was expected and did not happen."""


def call(*command, **options):
    """Runs a command; what it printed. Failure shows all of it."""
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, errors="replace", **options)
    if done.returncode != 0:
        raise Failure(f"{' '.join(map(str, command))}: exit {done.returncode}\n{done.stdout}")
    return done.stdout


def base(folder, package):
    """The root that the machines begin with: Debian without anything, and in apt's cache what the
    package needs, as the machines have no way to the outside. Made once; the second part again
    when the package depends on other things."""
    folder.mkdir(parents=True, exist_ok=True)
    root = folder / "root"
    if not root.exists():
        print("    a root of Debian 12, once: minutes", flush=True)
        new = folder / "root.new"
        shutil.rmtree(new, ignore_errors=True)
        call("debootstrap", "--variant=minbase", "--include=systemd-sysv,dbus,iproute2",
             "bookworm", new)
        new.rename(root)
    needs = call("dpkg-deb", "--field", package, "Depends", "Recommends", "Pre-Depends")
    stamp, digest = folder / "root.needs", hashlib.sha256(needs.encode()).hexdigest()
    if not stamp.exists() or stamp.read_text() != digest:
        shutil.copy(package, root / "shared.deb")
        call("chroot", root, "apt-get", "update", env=ENVIRONMENT)
        call("chroot", root, "apt-get", "install", "--yes", "--download-only", "/shared.deb",
             env=ENVIRONMENT)
        for copy in (root, root / "var/cache/apt/archives"):
            for file in copy.glob("shared*.deb"):
                file.unlink()
        stamp.write_text(digest)


def bridge():
    """The network between the machines, in the namespace of this process."""
    for line in ("link set lo up", "link add bridge0 type bridge", "link set bridge0 up"):
        call("ip", *line.split())


class Machine:
    """One booted machine, over a layer of its own above the base."""

    def __init__(self, name, number, folder, root):
        self.name, self.folder = name, folder / name
        shutil.rmtree(self.folder, ignore_errors=True)
        for part in ("upper", "work", "root"):
            (self.folder / part).mkdir(parents=True)
        self.root = self.folder / "root"
        call("mount", "-t", "overlay", "overlay", "-o",
             f"lowerdir={root},upperdir={self.folder}/upper,workdir={self.folder}/work",
             self.root)
        etc = self.root / "etc"
        (etc / "hostname").write_text(name + "\n")
        (etc / "machine-id").write_text(hashlib.md5(name.encode()).hexdigest() + "\n")
        (etc / "systemd/network").mkdir(exist_ok=True)
        (etc / "systemd/network/10-host0.network").write_text(NETWORK.format(number=number))
        call("systemctl", f"--root={self.root}", "enable", "systemd-networkd")
        self.console = open(self.folder / "console", "wb")
        self.boot()

    def boot(self):
        self.nspawn = subprocess.Popen(
            ["systemd-nspawn", "--boot", "--keep-unit", "--register=no", "--console=pipe",
             f"--directory={self.root}", f"--machine={self.name}", "--network-bridge=bridge0",
             "--resolv-conf=off", "--link-journal=no"],
            stdin=subprocess.DEVNULL, stdout=self.console, stderr=self.console)
        self.await_running()

    def leader(self):
        """The machine's first process, as seen from here."""
        children = pathlib.Path(f"/proc/{self.nspawn.pid}/task/{self.nspawn.pid}/children")
        for pid in children.read_text().split():
            return pid
        raise Failure(f"{self.name} does not run; its console is in {self.folder}")

    def run(self, *command, user=None, check=True):
        """Runs a command on the machine; what it said."""
        if user:
            command = ("runuser", "-u", user, "--", *command)
        done = subprocess.run(
            ["nsenter", "-t", self.leader(), "-m", "-u", "-i", "-n", "-p", *command],
            env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, errors="replace")
        if check and done.returncode != 0:
            raise Failure(f"{self.name}: {' '.join(command)}: exit {done.returncode}\n"
                          f"{done.stdout}")
        return done.stdout if check else done

    def await_running(self):
        def up():
            state = self.run("systemctl", "is-system-running", check=False).stdout.strip()
            return state in ("running", "degraded")
        wait(60, f"{self.name} to be up", up)
        failed = self.run("systemctl", "list-units", "--failed", "--plain", "--no-legend")
        if failed.strip():
            raise Failure(f"{self.name}: failed units\n{failed}")

    def reboot(self):
        self.run("systemctl", "reboot", check=False)
        if (status := self.nspawn.wait(60)) != 133:
            raise Failure(f"{self.name}: ended with {status}, which asks for no reboot")
        self.boot()

    def tell(self):
        """Prints what the service has said last."""
        if self.nspawn.poll() is None:
            done = self.run("journalctl", "--no-pager", "--unit=sharedd", "--lines=30", check=False)
            print(f"--- {self.name}:\n{done.stdout}", flush=True)

    def end(self):
        if self.nspawn.poll() is None:
            # The machine outlives the process that booted it.
            try:
                os.kill(int(self.leader()), signal.SIGKILL)
            except Failure:
                pass
        self.nspawn.kill()
        self.nspawn.wait()
        self.console.close()


def wait(seconds, what, condition):
    """Waits for a condition; a failure in it counts as not yet."""
    end = time.monotonic() + seconds
    while True:
        try:
            if condition():
                return
            last = ""
        except (Failure, OSError) as failure:
            last = f"\n{failure}"
        if time.monotonic() > end:
            raise Failure(f"waited {seconds} s for {what}{last}")
        time.sleep(0.2)
