"""Who may do what in a room, written from docs/protocol/authority.md alone.

Shares no code with the product. The section numbers below are those of that page.
"""
import collections

FOUND, GRANT, CHANGE, REMOVAL, ACCEPT = "found", "grant", "role change", "removal", "accept"
ABOUT_DEVICES = (FOUND, GRANT, CHANGE, REMOVAL, ACCEPT)
CONTROL, RECORDS = 0, 1
OWNERS, EDITORS = "owners", "editors"
# What §2 comes to: a role from 1, viewer, to 6, owner, or one of these below them, in this order.
REMOVED, LEFT, NONE = -2, -1, 0
VIEWER, CONTRIBUTOR, COLLECTOR, REVIEWER, EDITOR, OWNER = range(1, 7)
# The place after all others (§2). Any other place is a held batch.
END = None
# §3
MAX_HEADS, MAX_TAKEN = 8, 16
BOUNDS = {"removals": 64, "leaves": 16, "others": 64}


class Operation:
    """An operation about a device (§1)."""

    def __init__(self, name, batch, what, content):
        self.name, self.batch, self.author, self.what = name, batch, batch.author, what
        self.subject = self.author if what == FOUND else content["subject"]
        self.role = OWNER if what == FOUND else content.get("role")
        self.scope = content.get("scope")
        self.first = (content.get("firstControl"), content.get("firstRecords"))
        self.heads = (content.get("control", []), content.get("records", []))
        self.supersedes = content.get("supersedes", [])
        self.is_own = self.author == self.subject
        self.is_leave = what == REMOVAL and self.is_own
        self.lowers = what != ACCEPT and self.role != OWNER
        # The layer in which it is in force (§3), if it is.
        self.layer = None


class Logs:
    """How the batches held descend from each other (§1)."""

    def __init__(self, held):
        self.held, self.ancestors_of = held, {}
        followed = {batch.previous for batch in held.values() if batch.number > 1}
        self.heads = collections.Counter(
            (batch.author, batch.kind) for batch in held.values() if batch.id not in followed)

    def ancestors(self, batch):
        """The ids of a held batch and of all before it."""
        if batch.id not in self.ancestors_of:
            ids, at = set(), batch
            while at is not None:
                ids.add(at.id)
                at = self.held[at.previous] if at.number > 1 else None
            self.ancestors_of[batch.id] = ids
        return self.ancestors_of[batch.id]

    def is_descendant(self, batch, of):
        return batch.id != of.id and of.id in self.ancestors(batch)

    def covers(self, head, batch, only_held=False):
        """Whether a head that is named for the log of a batch covers it."""
        number, name = head
        found = self.held.get(name)
        if found and (found.author, found.kind, found.number) == (
                batch.author, batch.kind, number):
            return batch.id in self.ancestors(found)
        return batch.number < number and not only_held


class Force:
    """The operations in force, and what follows from them (§2)."""

    def __init__(self, logs):
        self.logs = logs
        self.recovery = None
        # By subject and by author.
        self.about = collections.defaultdict(dict)
        self.by = collections.defaultdict(list)
        # What was computed, by subject, until something more about it comes into force.
        self.results = collections.defaultdict(dict)

    def add(self, operation, layer):
        """Takes an operation in, within the bounds of §3."""
        def sort(one):
            if one.what == REMOVAL:
                return "leaves" if one.is_leave else "removals"
            return "others"

        about = self.about[operation.subject]
        like = [one for one in about.values()
                if one.layer == layer and sort(one) == sort(operation)]
        if len(like) >= BOUNDS[sort(operation)]:
            return False
        operation.layer = layer
        about[operation.name] = operation
        self.by[operation.author].append(operation)
        self.results[operation.subject].clear()
        return True

    def is_late(self, operation):
        """§3, Owners"""
        return any(self.logs.is_descendant(one.batch, operation.batch)
                   for one in self.by[operation.author])

    def is_known(self, device):
        """§4"""
        return device == self.recovery or any(
            one.what != ACCEPT for one in self.about[device].values())

    def acts(self, one, place):
        """Rule 1"""
        if one.what == ACCEPT:
            return False
        if place is END or one.what == FOUND:
            return True
        if one.what == GRANT:
            return place.number >= one.first[place.kind]
        if one.is_own and place.kind == CONTROL:
            return self.logs.is_descendant(place, one.batch)
        if one.is_own:
            return all(place.number > number for number, _ in one.heads[RECORDS])
        return not self.is_covered(one, place)

    def is_covered(self, one, place):
        return any(self.logs.covers(head, place) for head in one.heads[place.kind])

    def superseded(self, operation):
        """Rule 2: the names of what an operation supersedes."""
        about, results = self.about[operation.subject], self.results[operation.subject]
        if operation.name in results:
            return results[operation.name]

        def sees(one, other):
            return one.layer == other.layer or one.layer == EDITORS and other.is_leave

        seen, follow = {}, [operation]
        while follow:
            one = follow.pop()
            for name in one.supersedes:
                if name in about and name not in seen and sees(one, about[name]):
                    seen[name] = about[name]
                    if about[name].layer == operation.layer:
                        follow.append(about[name])
        results[operation.name] = set(seen)
        return results[operation.name]

    def left(self, acting):
        """Those that no other of them supersedes."""
        dropped = set()
        for one in acting:
            dropped |= self.superseded(one) - {one.name}
        return [one for one in acting if one.name not in dropped]

    def layer(self, subject, place, layer, lifted):
        """What is left of a layer."""
        return self.left([one for one in self.about[subject].values() if one.layer == layer
                          and one.name not in lifted and self.acts(one, place)])

    def with_layers(self, subject, place, only_owners, lifted=frozenset()):
        """Rules 3 and 4"""
        left = self.layer(subject, place, OWNERS, lifted)
        leaves = {one.name for one in left if one.is_leave}
        if any(one.what == REMOVAL and not one.is_leave for one in left):
            return REMOVED, []
        if left and not leaves:
            return self.least(left)
        result = (LEFT if leaves else NONE), []
        if only_owners:
            return result
        left = self.layer(subject, place, EDITORS, lifted)
        if any(one.is_leave for one in left):
            return LEFT, []
        left = [one for one in left if leaves <= self.superseded(one)]
        return self.least(left) if left else result

    @staticmethod
    def least(left):
        """The least role of some operations, with the scopes of all."""
        return min(one.role for one in left), [one.scope for one in left if one.scope is not None]

    def lifted(self, subject, place):
        """Rule 5: the names of what acceptances lift at a place."""
        if place is END or place.kind == CONTROL:
            return set()
        about = self.about[subject].values()
        return {one.name for accept in about for one in about
                if accept.what == ACCEPT and self.is_covered(accept, place)
                and one.what in (CHANGE, REMOVAL) and one.lowers
                and accept.name not in self.superseded(one)}

    @staticmethod
    def greatness(result):
        """The order of rule 5."""
        role, scopes = result
        entering = role in (CONTRIBUTOR, COLLECTOR)
        return (role >= EDITOR, entering and not scopes, entering, role)

    @classmethod
    def is_more(cls, one, other):
        """Whether it is greater and allows all that the other one does (rule 5)."""
        (role, scopes), (less, bounds) = one, other
        if cls.greatness(one) <= cls.greatness(other):
            return False
        if role >= EDITOR or less <= VIEWER or role <= VIEWER:
            return True
        return less != REVIEWER and all(scope in bounds for scope in scopes)

    def role(self, subject, place, only_owners=False):
        """A role at a place (§2), or removed, left or none."""
        return self.result(subject, place, only_owners)[0]

    def result(self, subject, place, only_owners=False):
        """A role at a place with its scopes."""
        if subject == self.recovery:
            return (OWNER if place is not END and place.kind == CONTROL else NONE), []
        results = self.results[subject]
        key = ("role", place and place.id, only_owners)
        if key not in results:
            results[key] = self.with_layers(subject, place, only_owners)
            lifted = self.lifted(subject, place)
            changes = sorted(one.name for one in self.about[subject].values()
                             if one.name in lifted and one.what == CHANGE)
            alone = [lifted - {name} for name in changes]
            without = results[key]
            for left_out in [lifted] + alone if lifted else []:
                with_lifted = self.with_layers(subject, place, only_owners, left_out)
                if (self.greatness(with_lifted) > self.greatness(results[key])
                        and self.is_more(with_lifted, without)):
                    results[key] = with_lifted
        return results[key]


class Authority:
    """What a set of batches says about devices."""

    def __init__(self, source):
        """`source` has `room`, `held` (batches by id, each with its predecessor held), and
        `control_operations(batch)`: (index, what, content) of a sound control batch."""
        self.room = source.room
        self.logs = Logs(source.held)
        self.force = Force(self.logs)
        # Control logs by author, as §3 goes through them.
        self.control, self.operations = collections.defaultdict(list), {}
        found = None
        for batch in sorted(source.held.values(), key=lambda batch: (batch.number, batch.id)):
            if batch.kind != CONTROL:
                continue
            self.control[batch.author].append(batch)
            self.operations[batch.id] = []
            for index, what, content in source.control_operations(batch):
                is_founding = batch.id == self.room and index == 0
                if what not in ABOUT_DEVICES or (what == FOUND) != is_founding:
                    continue
                operation = Operation((batch.id, index), batch, what, content)
                self.operations[batch.id].append(operation)
                if what == FOUND:
                    found = operation
                    self.force.recovery = content["recovery"]
        if found is not None:
            self.owners(found)
            self.editors_and_leaves()

    # --- §3

    def counts(self, batch):
        """Too many heads: whether a batch counts, by what is in force so far."""
        author, kind = batch.author, batch.kind
        return (self.logs.heads[author, kind] <= MAX_HEADS
                or author == self.force.recovery or batch.id == self.room
                or self.force.role(author, END) == REMOVED
                or any(self.logs.covers(head, batch, only_held=True)
                       for one in self.force.about[author].values() if one.author != author
                       for head in one.heads[kind]))

    def gone_through(self, author):
        """What an author wrote about devices and is not in force, in order: of branches that do
        not count the leaves."""
        for batch, counts in [(batch, self.counts(batch)) for batch in self.control[author]]:
            for operation in self.operations[batch.id]:
                if operation.layer is None and (counts or operation.is_leave):
                    yield operation

    def owners(self, found):
        force, recovery, founder = self.force, self.force.recovery, found.subject
        force.add(found, OWNERS)
        queue, taken = collections.deque([recovery, founder]), collections.Counter()
        # What was named by what was in force about a device when it was first taken.
        known = {}
        while queue:
            device = queue.popleft()
            if not taken[device]:
                known[device] = {name for one in force.about[device].values()
                                 for name in one.supersedes}
            taken[device] += 1
            for one in self.gone_through(device):
                role = force.role(device, one.batch, only_owners=True)
                if role != OWNER and not (one.is_leave and role > 0):
                    continue
                if one.subject == recovery:
                    continue
                if one.is_own:
                    if one.what not in (CHANGE, REMOVAL) or force.is_late(one):
                        continue
                elif one.lowers and taken[one.subject] and one.name not in known[one.subject]:
                    continue
                if force.add(one, OWNERS) and one.role == OWNER and (
                        one.subject not in queue and taken[one.subject] < MAX_TAKEN):
                    queue.append(one.subject)

    def editors_and_leaves(self):
        force = self.force
        authors = sorted(set(self.control) - {force.recovery})
        for author in authors:
            for one in self.gone_through(author):
                role = force.role(author, one.batch, only_owners=True)
                if one.is_leave and role > 0 and not force.is_late(one):
                    force.add(one, OWNERS)
                if (one.what == GRANT and role == EDITOR and one.role <= COLLECTOR
                        and one.subject not in (author, force.recovery)):
                    force.add(one, EDITORS)
        for author in authors:
            for one in self.gone_through(author):
                if (one.is_leave and force.role(author, one.batch, only_owners=True) <= 0
                        and force.role(author, one.batch) > 0 and not force.is_late(one)):
                    force.add(one, EDITORS)

    # --- What others ask

    def is_in_force(self, name):
        return any(one.name == name and one.layer for one in self.operations.get(name[0], ()))

    def standing(self, device, batch):
        """The role at a batch, or why there is none (§4)."""
        if not self.force.is_known(device):
            return "author"
        role = self.force.role(device, batch)
        if role <= 0:
            return "before grant" if role == NONE else "removed"
        return role if self.counts(batch) else "forked"

    def is_or_was_editor(self, device):
        """Whether more than leaves can count in its control log (docs/protocol.md)."""
        return device == self.force.recovery or any(
            (one.role or NONE) >= EDITOR for one in self.force.about[device].values())

    def scopes(self, device, batch):
        """The scopes at a batch."""
        return self.force.result(device, batch)[1]

    def members_scopes(self):
        """The scopes at the end, of members that have any."""
        scopes = {device: self.scopes(device, END) for device in self.members()}
        return {device: found for device, found in scopes.items() if found}

    def members(self):
        """The roles at the end."""
        roles = {device: self.force.role(device, END) for device in list(self.force.about)}
        return {device: role for device, role in roles.items() if role > 0}

    def is_passed_on(self, batch):
        """§5"""
        device = batch.author
        if not self.force.is_known(device):
            return False
        if self.force.role(device, END, only_owners=True) != REMOVED or batch.id == self.room:
            return True
        return any(self.force.is_covered(one, batch)
                   for one in self.force.about[device].values() if one.author != device)
