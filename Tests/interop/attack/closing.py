"""What must hold after everything."""
import json

from .scene import attack, need


@attack
def honest_devices_are_identical(s):
    s.a.ask("add", "visits", "who=Last", "--json")
    s.a.ask("push")
    s.same()
    s.calm()
    for daemon in (s.a, s.b):
        verified = json.loads(daemon.run("verify", "--json", timeout=60).stdout)
        need(verified["ok"], f"verify on {daemon.title}: {verified['findings'][:3]}")
        daemon.ask("refused", "--json")
