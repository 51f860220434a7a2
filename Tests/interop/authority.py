"""Who may do what in a room, written from docs/protocol/authority.md alone.

Shares no code with the product. The section numbers below are those of that page.
"""
import collections

FOUND, GRANT, CHANGE, REMOVAL, ACCEPT = "found", "grant", "role change", "removal", "accept"
OWNER, EDITOR, COLLECTOR = 6, 5, 3
MAX_HEADS = 8
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
        for operation in owners:
            self.add(operation, "owners")
        for operation in editors:
            self.add(operation, "editors")

    def add(self, operation, layer):
        self.about[operation.subject][operation.name] = (operation, layer)

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
            for operation, _ in self.about[subject].values():
                if operation.what in (CHANGE, REMOVAL) and accept.name not in self.seen(operation):
                    lifted.add(operation.name)
        return lifted

    def left(self, operations):
        """Those that no other of them has seen."""
        seen = {operation.name: self.seen(operation) for operation in operations}
        return [one for one in operations
                if not any(one.name in seen[other.name] for other in operations if other is not one)]

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
    """One walk over the owners' control logs (§4)."""

    def __init__(self, authority, held=(), without=frozenset()):
        self.ranks = {}
        self.aside = []
        self.force = Force(authority.room)
        founding = authority.found
        if founding is None:
            return
        self.force.add(founding, "owners")
        for operation in held:
            self.force.add(operation, "owners")
        queue = collections.deque([founding.subject])
        self.ranks[founding.subject] = 0
        aside = set()
        while queue:
            device = queue.popleft()
            for batch in authority.logs.get(device, ()):
                role = self.force.owners_role(device, (CONTROL, batch))
                if not role:
                    continue
                for operation in authority.operations[batch.id]:
                    if operation.what == FOUND or operation.name in without:
                        continue
                    if role != OWNER and not operation.is_leave:
                        continue
                    has_come = operation not in self.force
                    rank = self.ranks.get(operation.subject)
                    if (has_come and operation.lowers and rank is not None
                            and rank < self.ranks[device]):
                        if operation.name not in aside:
                            aside.add(operation.name)
                            self.aside.append(operation)
                        continue
                    if has_come:
                        self.force.add(operation, "owners")
                    gives = operation.what != ACCEPT and operation.role == OWNER
                    if gives and (rank is None or has_come) or (
                            operation.what == ACCEPT and has_come and rank is not None):
                        self.ranks.setdefault(operation.subject, len(self.ranks))
                        queue.append(operation.subject)

    def is_owner(self, operation):
        return self.force.owners_role(
            operation.author, (CONTROL, operation.batch)) == OWNER


class Result:
    """§4 and §5 for one set of operations."""

    def __init__(self, authority, without=frozenset()):
        self.authority = authority
        self.without = without
        self.first = Walk(authority, without=without)
        self.walk = self.first
        self.upwards()
        self.force = self.walk.force
        self.ranks = self.walk.ranks
        self.leaves_of_others()
        self.editors()

    def upwards(self):
        groups, decided = [], set()

        def walk(*more):
            held = [op for group, standing in groups for op in group + standing]
            return Walk(self.authority, held + [op for part in more for op in part], self.without)

        while True:
            fallen = next((place for place, (group, _) in enumerate(groups)
                           if not self.walk.is_owner(group[0])), None)
            if fallen is not None:
                del groups[fallen]
                self.walk = walk()
                continue
            tried = [op for op in self.walk.aside if op not in self.walk.force
                     and op.name not in decided and self.walk.is_owner(op)]
            if not tried:
                return
            first = min(tried, key=lambda op: (
                self.walk.ranks[op.author], op.batch.number, op.batch.id))
            group = [op for op in tried if op.batch.id == first.batch.id]
            decided.update(op.name for op in group)
            subjects = {op.subject for op in group}
            standing = [
                op for about in self.walk.force.about.values() for op, _ in about.values()
                if op.what == REMOVAL and not op.is_leave and op.author in subjects
                and op.subject in self.walk.ranks]
            while True:
                trial = walk(group, standing)
                stays = [op for op in standing if op.subject in trial.ranks]
                if len(stays) == len(standing):
                    break
                standing = stays
            if trial.is_owner(group[0]):
                groups.append((group, standing))
                self.walk = trial

    def leaves_of_others(self):
        for device, log in self.authority.logs.items():
            if device in self.ranks:
                continue
            for batch in log:
                for operation in self.authority.operations[batch.id]:
                    if operation.is_leave and operation not in self.force and (
                            operation.name not in self.without) and (
                            self.force.owners_role(device, (CONTROL, batch))):
                        self.force.add(operation, "owners")

    def editors(self):
        for device, log in self.authority.logs.items():
            for batch in log:
                if self.force.owners_role(device, (CONTROL, batch)) != EDITOR:
                    continue
                for operation in self.authority.operations[batch.id]:
                    if operation.what == GRANT and operation.role <= COLLECTOR:
                        self.force.add(operation, "editors")
        for device, log in self.authority.logs.items():
            for batch in log:
                for operation in self.authority.operations[batch.id]:
                    if operation.is_leave and operation not in self.force and (
                            operation.name not in self.without) and (
                            self.force.role(device, (CONTROL, batch))):
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
        self.compute()
        ignored = set()
        for device, log in self.logs.items():
            if self.room.count_heads(device, CONTROL) > MAX_HEADS:
                ignored |= {batch.id for batch in log
                            if not self.is_named(device, CONTROL, batch.id)}
        if ignored:
            self.ignored = ignored
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
        self.is_staying, self.former_ranks = None, {}
        if self.found is None or first.has_owner():
            return
        # No owner is left (§5).
        for device in sorted(first.ranks, key=first.ranks.get):
            own = {op.name for log in self.operations.values() for op in log
                   if op.author == device and op.is_own and op.lowers}
            if not any(name in first.force.about[device] for name in own):
                continue
            other = Result(self, frozenset(own))
            if other.has_owner():
                self.result, self.is_staying, self.former_ranks = other, device, first.ranks
                return

    # --- What others ask

    def is_known(self, device):
        return self.result.force.is_known(device)

    def is_named(self, device, kind, batch):
        """Whether a batch is a held head, or before one, that an operation in force names."""
        return any(
            self.room.is_held(head, device, kind) and self.room.is_ancestor(batch, head[1])
            for operation, _ in self.result.force.about[device].values()
            for head in operation.heads[kind])

    def standing(self, device, kind, batch=None):
        """A role, or a word; without a batch, at the end of what is held."""
        if not self.is_known(device):
            return "author"
        if batch is not None and kind == CONTROL and batch.id in self.ignored:
            return "forked"
        place = END if batch is None else (kind, batch)
        result = self.result.force.result(device, place)[0]
        if not isinstance(result, int):
            return {"none": "before grant"}.get(result, result)
        if (batch is not None and kind == RECORDS
                and self.room.count_heads(device, RECORDS) > MAX_HEADS
                and not self.is_named(device, RECORDS, batch.id)):
            return "forked"
        return result

    def is_in_force(self, name):
        return any(name in about for about in self.result.force.about.values())

    def is_outranked(self, name):
        return any(op.name == name for op in self.result.walk.aside)

    def devices(self):
        return [device for device in list(self.result.force.about) if self.is_known(device)]

    def cut(self, device, kind):
        """§7: the heads up to which a log counts; None for all of it."""
        result, left = self.result.force.result(device, END)
        if not self.is_known(device) or result != "removed":
            return None
        about = [op for op, _ in self.result.force.about[device].values()]
        heads = {tuple(head) for op in about for head in op.heads[kind]}
        if kind == RECORDS:
            return heads
        if all(op.is_leave for op in left if op.what == REMOVAL):
            return None
        if device in self.former_ranks:
            return None
        first = self.result.first
        if device in first.ranks and first.force.result(device, END, full=False)[0] != "removed":
            return None
        for log in self.operations.values():
            for op in log:
                if op.author == device and op in self.result.force:
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
        return batch is not None and (batch.author, batch.kind) == (device, kind)

    def covered(self, heads, place, subject):
        kind, batch = place
        for number, name in heads:
            if self.is_held((number, name), subject, kind):
                if self.held[name].number == number and self.is_ancestor(batch.id, name):
                    return True
            elif batch.number < number:
                return True
        return False
