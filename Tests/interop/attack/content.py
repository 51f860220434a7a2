"""Content that is allowed, and hard."""
import secrets

from . import scene
from .devices import LAST_MOMENT, RECORDS, records
from .scene import attack, need, taken


@attack
def values_at_the_edge(s):
    """All of them are valid and must come through to the bit."""
    session = s.member()
    texts = ["a\0b", "\x1b[2J\x07", "x" * 900000, "'; DROP TABLE visits; --", "e\u0301", "", "\U0010ffff"]
    for text in texts:
        taken(session.push(RECORDS, [records(32, s.form, [0], [[secrets.token_bytes(16), 0, text]])]), 1)
    for field, value in ((1, -(1 << 63)), (1, (1 << 63) - 1), (2, 5e-324), (2, 1.7976931348623157e308),
                         (3, "0000-02-29"), (3, None)):
        row = [secrets.token_bytes(16), 0, value]
        taken(session.push(RECORDS, [records(32, s.form, [field], [row])]), 1)
    session.close()
    shown = s.a.run("list", "visits").stdout
    s.same()
    s.calm()
    need({t for t in texts if t} <= {r.get("who") for r in s.b.ask("list", "visits", "--json")},
         "a text did not come through")
    need("\x1b" not in shown and "\x07" not in shown, "list prints what steers a terminal")


ON_ONE_RECORD = 16


@attack
def a_chain_of_edits(s):
    """1,024 edits of one record, each upon the one before; with --long 12,288."""
    session, identity, last = s.member(), secrets.token_bytes(16), None
    taken(session.push(RECORDS, [records(32, s.form, [0], [[identity, 0, "chain"]])]), 1)
    for _ in range((12 if scene.is_long else 1) * 1024 // ON_ONE_RECORD):
        rows = [[0, identity, [0, n - 1] if n else [2, ON_ONE_RECORD - 1] if last else [], 1, 0, n]
                for n in range(ON_ONE_RECORD)]
        answer = session.push(RECORDS, [records(34, s.form, [1], rows, [last] if last else [])], timeout=40)
        taken(answer, ON_ONE_RECORD)
        last = answer[3]
    session.close()
    s.same()
    s.calm()


@attack
def a_crowd_of_edits(s):
    """1,024 edits of one record, none of which has seen another; with --long 12,288."""
    session, identity = s.member(), secrets.token_bytes(16)
    taken(session.push(RECORDS, [records(32, s.form, [0], [[identity, 0, "crowd"]])]), 1)
    for _ in range((12 if scene.is_long else 1) * 1024 // ON_ONE_RECORD):
        rows = [[0, identity, [], 1, 0, n] for n in range(ON_ONE_RECORD)]
        taken(session.push(RECORDS, [records(34, s.form, [1], rows)], timeout=60), ON_ONE_RECORD)
    session.close()
    s.a.run("conflicts", "--json")
    s.same()
    s.calm()


@attack
def the_last_moment(s):
    """A member may use up the clock; others go on editing."""
    session = s.member()
    taken(session.push(RECORDS, [records(32, s.form, [0], [[secrets.token_bytes(16), 0, "2200"]])],
                       clock=LAST_MOMENT), 1)
    session.close()
    made = s.a.ask("add", "visits", "who=After", "--json")["id"]
    s.a.ask("edit", made, "who=Edited")
    s.a.ask("push")
    s.a.ask("edit", made, "who=Again")
    s.a.ask("push")
    need(any(r.get("who") == "Again" for r in s.a.ask("list", "visits", "--json")), "an edit is lost")
    s.same()
    s.calm()
