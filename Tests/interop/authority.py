"""Who may do what in a room, written from docs/protocol/authority.md alone.

Shares no code with the product. The section numbers below are those of that page.
"""
import collections

FOUND, GRANT, CHANGE, REMOVAL, ACCEPT = "found", "grant", "role change", "removal", "accept"
OWNER, EDITOR, COLLECTOR = 6, 5, 3
MAX_HEADS = 8
# §3, §4, §5
MAX_ABOUT, MAX_LEAVES, MAX_WALKS, MAX_TRIALS, MAX_STAYING = 64, 16, 16, 64, 8
CONTROL, RECORDS = 0, 1

# A place is (kind, batch), or END.
END = ("end", None)


class Operation:
    """An operation about a device (§1)."""

    def __init__(self, name, batch, what, subject, content):
        self.name = name
        self.batch = batch
        self.author = batch.author
        self.what = what
        self.subject = subject
        self.role = content.get("role", OWNER if what == FOUND else None)
        self.first = (content.get("firstControl", 1), content.get("firstRecords", 1))
        self.heads = (content.get("control", []), content.get("records", []))
        self.after = content.get("after", [])
        self.is_own = self.author == subject and what != FOUND
        self.is_leave = what == REMOVAL and self.is_own
        self.lowers = what != ACCEPT and self.role != OWNER


class Force:
    """Operations in force, each in its layer, and what follows from them (§3)."""

    def __init__(self, room, owners=(), editors=()):
        self.room = room
        self.about = collections.defaultdict(dict)
        # What stands without an author that may write it (§3.6).
        self.silent = set()
        for operation in owners:
            self.add(operation, "owners")
        for operation in editors:
            self.add(operation, "editors")

    def add(self, operation, layer):
        self.about[operation.subject][operation.name] = (operation, layer)

    def has_room(self, operation, layer):
        like = [op for op, where in self.about[operation.subject].values()
                if where == layer and op.is_leave == operation.is_leave
                and (op.what == REMOVAL) == (operation.what == REMOVAL)]
        return len(like) < (MAX_LEAVES if operation.is_leave else MAX_ABOUT)

    def __contains__(self, operation):
        return operation.name in self.about[operation.subject]

    def layer(self, subject, layer):
        return [op for op, where in self.about[subject].values()
                if where == layer and op.what != ACCEPT]

    def seen(self, operation):
        """The names that an operation has seen (§3.2)."""
        about = self.about[operation.subject]
        own = about[operation.name][1]
        seen, left, passed = set(), [operation], {operation.name}
        while left:
            for name in left.pop().after:
                if name not in about:
                    continue
                other, layer = about[name]
                if own == "owners" and layer != "owners":
                    continue
                if own == "editors" and not (layer == "editors" or other.is_leave):
                    continue
                seen.add(name)
                if layer == own and name not in passed:
                    passed.add(name)
                    left.append(other)
        return seen

    def acts(self, operation, place):
        """§3.1"""
        kind, batch = place
        if place == END:
            return True
        if operation.is_own and kind == CONTROL and self.room.is_ancestor(
                batch.id, operation.batch.id):
            return False
        if operation.what in (FOUND, GRANT):
            return batch.number >= operation.first[kind]
        return not self.room.covered(operation.heads[kind], place, operation.subject)

    def lifted(self, subject, place):
        """§3.5: the names of what acceptances lift at a place."""
        lifted = set()
        if place == END:
            return lifted
        for accept, _ in self.about[subject].values():
            if accept.what != ACCEPT or not self.room.covered(
                    accept.heads[place[0]], place, subject):
                continue
            for operation, layer in self.about[subject].values():
                named = layer == "owners" and accept.name in operation.after
                if operation.what in (CHANGE, REMOVAL) and operation.lowers and not named:
                    lifted.add(operation.name)
        return lifted

    def left(self, operations):
        """Those that no other of them has seen."""
        seen = {operation.name: self.seen(operation) for operation in operations}
        return [one for one in operations
                if not any(one.name in seen[other.name] for other in operations
                           if other is not one and other.name not in self.silent)]

    def owners_result(self, subject, place, lifted):
        """§3.3: a role, or a word, and what was left."""
        acting = [op for op in self.layer(subject, "owners")
                  if op.name not in lifted and self.acts(op, place)]
        left = self.left(acting)
        if any(op.what == REMOVAL and not op.is_leave for op in left):
            return "removed", left
        if any(op.is_leave for op in left):
            return "left", left
        if left:
            return min(op.role for op in left), left
        return "none", left

    def full_result(self, subject, place, lifted):
        """§3.3 and §3.4"""
        result, left = self.owners_result(subject, place, lifted)
        if result not in ("left", "none"):
            return result, left
        acting = [op for op in self.layer(subject, "editors")
                  if op.name not in lifted and self.acts(op, place)]
        leaves = [op for op in left if op.is_leave]
        if any(not any(leave.name in self.seen(op) for op in acting) for leave in leaves):
            return "removed", leaves
        left = self.left(acting)
        if any(op.is_leave for op in left):
            return "removed", [op for op in left if op.is_leave]
        if left:
            return min(op.role for op in left), left
        return "none", left

    def result(self, subject, place, full=True):
        compute = self.full_result if full else self.owners_result
        results = [compute(subject, place, set())]
        lifted = self.lifted(subject, place)
        if lifted:
            results.append(compute(subject, place, lifted))
        order = {"removed": -2, "left": -1, "none": 0}
        return max(results, key=lambda one: order.get(one[0], one[0]))

    def owners_role(self, subject, place):
        role = self.result(subject, place, full=False)[0]
        return role if isinstance(role, int) else 0

    def role(self, subject, place):
        role = self.result(subject, place)[0]
        return role if isinstance(role, int) else 0

    def is_known(self, subject):
        return any(op.what != ACCEPT for op, _ in self.about[subject].values())


class Walk:
    """The walk over the owners' control logs (§4)."""

    def __init__(self, authority, without=frozenset()):
        self.authority = authority
        self.ranks = {}
        self.aside = []
        self.names_aside = set()
        self.force = Force(authority.room)
        founding = authority.found
        if founding is None:
            return
        self.force.add(founding, "owners")
        queue = collections.deque([founding.subject])
        self.ranks[founding.subject] = 0
        taken = collections.Counter()
        while queue:
            device = queue.popleft()
            taken[device] += 1
            for batch in authority.logs.get(device, ()):
                role = self.force.owners_role(device, (CONTROL, batch))
                for operation in authority.operations[batch.id] if role else ():
                    if operation.what == FOUND or operation.name in without:
                        continue
                    if role != OWNER and not operation.is_leave or self.has_met(operation):
                        continue
                    if operation.lowers and self.takes_back(operation, taken):
                        self.names_aside.add(operation.name)
                        self.aside.append(operation)
                        continue
                    if not self.force.has_room(operation, "owners"):
                        continue
                    self.force.add(operation, "owners")
                    subject = operation.subject
                    if self.raises(operation):
                        self.ranks.setdefault(subject, len(self.ranks))
                        if subject not in queue and taken[subject] < MAX_WALKS:
                            queue.append(subject)

    def has_met(self, operation):
        return operation in self.force or operation.name in self.names_aside

    def raises(self, operation):
        """Whether an operation makes an owner, or counts more of what one wrote."""
        if operation.what == ACCEPT:
            return operation.subject in self.ranks
        return operation.role == OWNER

    def takes_back(self, operation, taken):
        if operation.author != operation.subject:
            return taken[operation.subject] > 0
        return any(self.has_met(met) and self.force.acts(operation, (CONTROL, batch))
                   for batch in self.authority.logs[operation.author]
                   for met in self.authority.operations[batch.id])

    def all_in_force(self):
        return [op for about in self.force.about.values() for op, _ in about.values()]


class Result:
    """§4 and §5 for one set of operations."""

    def __init__(self, authority, without=frozenset()):
        self.authority = authority
        self.without = without
        self.walk = Walk(authority, without)
        self.ranks = self.walk.ranks
        self.take_what_was_set_aside()
        self.leaves_of_others()
        self.editors()

    def may_write(self, operation, force):
        role = force.owners_role(operation.author, (CONTROL, operation.batch))
        return role > 0 if operation.is_leave else role == OWNER

    def with_held(self, held):
        """What is in force with these: what stands, these, and step by step the rest."""
        in_force = self.walk.all_in_force()
        force = Force(self.authority.room, [
            op for op in in_force
            if op.what == FOUND or op.lowers and op.subject in self.ranks] + held)
        rest = [op for op in in_force if op not in force]
        while True:
            more = [op for op in rest if self.may_write(op, force)]
            if not more:
                return force
            for operation in more:
                force.add(operation, "owners")
            rest = [op for op in rest if op not in force]

    def is_trial(self, operation, force, other):
        about = [op for op, _ in force.about[operation.subject].values()]
        raising = [op for op in self.walk.all_in_force()
                   if op.author == operation.subject and self.walk.raises(op) and op.what != FOUND
                   and not (op.lowers and op.subject in self.ranks)]
        return (any(op.what == ACCEPT for op in about)
                or any(op in force and force.acts(operation, (CONTROL, op.batch))
                       for op in raising)
                or any((op in force) != (op in other) for op in raising))

    def take_what_was_set_aside(self):
        self.force, held, trials = self.walk.force, [], 0
        about = collections.Counter()
        for operation in self.walk.aside:
            if not self.may_write(operation, self.force):
                continue
            like = (operation.subject, operation.what == REMOVAL)
            if about[like] >= MAX_ABOUT:
                continue
            other = self.with_held(held + [operation])
            if self.is_trial(operation, self.force, other):
                if trials >= MAX_TRIALS:
                    continue
                trials += 1
            if self.may_write(operation, other):
                held.append(operation)
                about[like] += 1
                self.force = other
        while held:
            silent = {op.name for device in self.ranks
                      for op, _ in self.force.about[device].values()
                      if op.lowers and not self.may_write(op, self.force)}
            if silent <= self.force.silent:
                break
            self.force.silent |= silent

    def leaves_of_others(self):
        for device, log in self.authority.logs.items():
            for batch in log:
                for operation in self.authority.operations[batch.id]:
                    if operation.is_leave and operation not in self.force and (
                            operation.name not in self.walk.names_aside) and (
                            operation.name not in self.without) and (
                            self.force.owners_role(device, (CONTROL, batch))) and (
                            device not in self.ranks or self.takes_nothing_back(operation, log)
                            ) and self.force.has_room(operation, "owners"):
                        self.force.add(operation, "owners")

    def takes_nothing_back(self, leave, log):
        return not any(self.force.acts(leave, (CONTROL, batch))
                       and any(op in self.force for op in self.authority.operations[batch.id])
                       for batch in log)

    def editors(self):
        for device, log in sorted(self.authority.logs.items()):
            for batch in log:
                if self.force.owners_role(device, (CONTROL, batch)) != EDITOR:
                    continue
                for operation in self.authority.operations[batch.id]:
                    if operation.what == GRANT and operation.role <= COLLECTOR and (
                            operation not in self.force) and (
                            self.force.has_room(operation, "editors")):
                        self.force.add(operation, "editors")
        for device, log in self.authority.logs.items():
            for batch in log:
                for operation in self.authority.operations[batch.id]:
                    if operation.is_leave and operation not in self.force and (
                            operation.name not in self.without) and (
                            self.force.role(device, (CONTROL, batch))) and (
                            self.force.has_room(operation, "editors")):
                        self.force.add(operation, "editors")

    def has_owner(self):
        return any(self.force.owners_role(device, END) == OWNER
                   for device in list(self.force.about))


class Authority:
    """What a set of batches says about devices."""

    def __init__(self, room):
        """`room` has `room`, `held` (batches by id, each with its predecessor held), and
        `control_operations(batch)`: (index, what, content) of a sound control batch."""
        self.room = Ancestry(room)
        self.ignored = set()
        # Every walk that was made, and what was in force before logs were left out (§7).
        self.walks, self.before = [], None
        self.compute()
        ignored = set()
        for device, log in self.logs.items():
            if (self.room.count_heads(device, CONTROL) > MAX_HEADS
                    and self.cut(device, CONTROL) is None):
                ignored |= {batch.id for batch in log
                            if not self.is_named(device, CONTROL, batch.id)}
        if ignored:
            self.ignored, self.before = ignored, self.result.force
            self.compute()

    def compute(self):
        self.logs, self.operations, self.found = {}, {}, None
        for batch in sorted(self.room.held.values(), key=lambda batch: (batch.number, batch.id)):
            if batch.kind != CONTROL or batch.id in self.ignored:
                continue
            self.logs.setdefault(batch.author, []).append(batch)
            about = self.operations[batch.id] = []
            for index, what, content in self.room.source.control_operations(batch):
                if what == FOUND:
                    if batch.id == self.room.source.room and index == 0:
                        self.found = Operation(
                            (batch.id, 0), batch, FOUND, batch.author, content)
                        about.append(self.found)
                elif what in (GRANT, CHANGE, REMOVAL, ACCEPT):
                    about.append(Operation(
                        (batch.id, index), batch, what, content["subject"], content))
        self.result = first = Result(self)
        self.walks.append(first.walk)
        self.is_staying, tried = None, 0
        if self.found is None or first.has_owner():
            return
        # No owner is left (§5).
        for device in sorted(first.ranks, key=first.ranks.get):
            own = {op.name for log in self.operations.values() for op in log
                   if op.author == device and op.is_own and op.lowers}
            if not any(name in first.force.about[device] for name in own) or tried >= MAX_STAYING:
                continue
            tried += 1
            other = Result(self, frozenset(own))
            self.walks.append(other.walk)
            if other.has_owner():
                self.result, self.is_staying = other, device
                return

    # --- What others ask

    def is_known(self, device):
        """§7: whether its batches are not held apart."""
        return self.result.force.is_known(device) or any(
            walk.force.is_known(device) for walk in self.walks)

    def is_named(self, device, kind, batch):
        """Whether a batch is a held head, or before one, that an operation in force names."""
        return any(
            self.room.is_held(head, device, kind) and self.room.is_ancestor(batch, head[1])
            for operation, _ in self.result.force.about[device].values()
            for head in operation.heads[kind])

    def standing(self, device, kind, batch=None):
        """A role, or a word; without a batch, at the end of what is held."""
        if not self.result.force.is_known(device):
            return "author"
        if batch is not None and kind == CONTROL and batch.id in self.ignored:
            return "forked"
        place = END if batch is None else (kind, batch)
        result = self.result.force.result(device, place)[0]
        if not isinstance(result, int):
            return {"none": "before grant"}.get(result, result)
        if (batch is not None and kind == RECORDS
                and self.room.count_heads(device, RECORDS) > MAX_HEADS
                and self.cut(device, RECORDS) is None
                and not self.is_named(device, RECORDS, batch.id)):
            return "forked"
        return result

    def is_in_force(self, name):
        return any(name in about for about in self.result.force.about.values())

    def is_outranked(self, name):
        return any(op.name == name for op in self.result.walk.aside)

    def devices(self):
        return [device for device in list(self.result.force.about)
                if self.result.force.is_known(device)]

    def cut(self, device, kind):
        """§7: the heads up to which a log counts; None for all of it."""
        def is_removed(force, full):
            result, left = force.result(device, END, full)
            return result == "removed" and any(not op.is_leave for op in left if op.what == REMOVAL)

        if not is_removed(self.result.force, True):
            return None
        about = [op for op, _ in self.result.force.about[device].values()]
        if kind == RECORDS:
            return {tuple(head) for op in about for head in op.heads[RECORDS]}
        forces = [self.result.force]
        if self.before is not None:
            if not is_removed(self.before, True):
                return None
            forces.append(self.before)
            about += [op for op, _ in self.before.about[device].values()]
        for walk in self.walks:
            if device not in walk.ranks:
                continue
            if not is_removed(walk.force, False):
                return None
            forces.append(walk.force)
            about += [op for op, _ in walk.force.about[device].values()]
            about += [op for op in walk.aside if op.subject == device]
        heads = {tuple(head) for op in about for head in op.heads[CONTROL]}
        for log in self.operations.values():
            for op in log:
                if op.author == device and any(op in force for force in forces):
                    heads.add((op.batch.number, op.batch.id))
        return heads


class Ancestry:
    """How the batches held descend from each other (§1)."""

    def __init__(self, source):
        self.source = source
        self.held = source.held
        self.before_ids = {}
        self.heads = collections.Counter()
        followed = set()
        for batch in self.held.values():
            if batch.number > 1:
                followed.add(batch.previous)
        for batch in self.held.values():
            if batch.id not in followed:
                self.heads[batch.author, batch.kind] += 1

    def count_heads(self, device, kind):
        return self.heads[device, kind]

    def ancestors(self, head):
        """The ids of a held batch and of all before it."""
        if head not in self.before_ids:
            ids, at = set(), self.held.get(head)
            while at is not None:
                ids.add(at.id)
                at = self.held.get(at.previous) if at.number > 1 else None
            self.before_ids[head] = ids
        return self.before_ids[head]

    def is_ancestor(self, batch, head):
        return batch in self.ancestors(head)

    def is_held(self, head, device, kind):
        batch = self.held.get(head[1])
        return batch is not None and (batch.author, batch.kind, batch.number) == (
            device, kind, head[0])

    def covered(self, heads, place, subject):
        kind, batch = place
        for number, name in heads:
            if self.is_held((number, name), subject, kind):
                if self.is_ancestor(batch.id, name):
                    return True
            elif batch.number < number:
                return True
        return False
