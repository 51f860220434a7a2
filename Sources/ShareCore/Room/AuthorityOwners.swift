/// Who is owner where, once operations that the walk set aside are in force
/// (docs/protocol/authority.md §4). What took something from an owner stands whatever becomes of
/// its author, so with each further operation there can only be less of the rest.
struct AuthorityOwners {
    let walk: AuthorityWalk
    private(set) var force: AuthorityForce
    /// Operations set aside that hold.
    private(set) var held: [Int] = []

    private var room: AuthorityRoom { walk.room }
    /// By author, what the walk put in force that makes owners or counts more of their batches.
    private let raising: [Int: [Int]]
    /// The rest of what it put in force, but for what stands.
    private let others: [Int]
    private struct Place: Hashable {
        let device: Int
        let place: LogGraph.Place
    }

    /// Roles of authors at their batches, as `force` said before: a batch may hold thousands of
    /// operations, and is asked about for each in each trial.
    private var roles: [Place: (changes: Int, role: Role?)] = [:]

    init(_ walk: AuthorityWalk) {
        self.walk = walk
        force = walk.force
        var raising: [Int: [Int]] = [:]
        var others: [Int] = []
        let operations = walk.room.operations
        func order(_ index: Int) -> (Int, LogHead, Int) {
            (operations[index].author, operations[index].batch, operations[index].name.index)
        }
        for index in walk.force.operations.sorted(by: { order($0) < order($1) }) {
            let operation = operations[index]
            if walk.lowersOwner(index) || operation.kind == .found { continue }
            if operation.role == .owner
                || operation.kind == .accept && walk.ranks[operation.subject] != nil
            {
                raising[operation.author, default: []].append(index)
            } else {
                others.append(index)
            }
        }
        self.raising = raising
        self.others = others
        decide()
    }

    /// Takes what was set aside in its order: an operation holds if its author is still owner
    /// where it wrote it, with all that holds before in force, and with itself.
    private mutating func decide() {
        guard !walk.setAside.isEmpty else { return }
        var trials = 0
        var about: [Bool: [Int: Int]] = [:]
        for operation in walk.setAside where mayWrite(operation) {
            let subject = room.operations[operation].subject
            let isRemoval = room.operations[operation].isRemoval
            guard about[isRemoval, default: [:]][subject, default: 0] < Limits.operationsInForce
            else { continue }
            if leavesTheRest(operation) {
                held.append(operation)
            } else {
                guard trials < Limits.trials else { continue }
                trials += 1
                var other = self
                other.hold(operation)
                guard other.mayWrite(operation) else { continue }
                self = other
            }
            about[isRemoval, default: [:]][subject, default: 0] += 1
        }
        drop()
    }

    /// Whether an operation's author may write it, as far as owners' operations say.
    private mutating func mayWrite(_ index: Int) -> Bool {
        let operation = room.operations[index]
        let role = role(of: operation.author, at: operation.place)
        return operation.isLeave ? role != nil : role == .owner
    }

    private mutating func role(of device: Int, at place: LogGraph.Place) -> Role? {
        let key = Place(device: device, place: place)
        let changes = force.changes(about: device)
        if let known = roles[key], known.changes == changes { return known.role }
        let role = force.ownersResult(device, at: .control(place), in: room).role
        roles[key] = (changes, role)
        return role
    }

    /// Puts an operation in force if it is plain that nothing follows for others: it does not
    /// act where its subject made owners that count, and what its subject wrote goes on to count.
    private mutating func leavesTheRest(_ index: Int) -> Bool {
        let operation = room.operations[index]
        let written = raising[operation.subject] ?? []
        // What an acceptance lifts may rest on the acceptance in a circle.
        guard
            !force.about(operation.subject).contains(where: { room.operations[$0].kind == .accept }
            ),
            !written.contains(where: {
                force.contains($0)
                    && AuthorityPlace.control(room.operations[$0].place)
                        .isActedOn(by: operation, in: room)
            })
        else { return false }
        force.insert(index, in: .owners, of: room)
        if written.allSatisfy({ force.contains($0) == mayWrite($0) }) { return true }
        force.removeLast(index, of: room)
        return false
    }

    private mutating func hold(_ operation: Int) {
        held.append(operation)
        rebuild()
    }

    /// What stands, what holds, and what makes owners by that.
    private mutating func rebuild() {
        force = AuthorityForce()
        roles = [:]
        for device in walk.ranking {
            for index in walk.force.about(device)
            where walk.lowersOwner(index) || room.operations[index].kind == .found {
                force.insert(index, in: .owners, of: room)
            }
        }
        for index in held { force.insert(index, in: .owners, of: room) }
        spread()
    }

    /// Puts in force again what makes owners, as far as their authors still are.
    private mutating func spread() {
        var queue = Array(walk.ranking.prefix(1))
        var waiting = Set(queue)
        while let device = queue.popLast() {
            waiting.remove(device)
            for index in raising[device] ?? [] where !force.contains(index) && mayWrite(index) {
                force.insert(index, in: .owners, of: room)
                let subject = room.operations[index].subject
                if waiting.insert(subject).inserted { queue.append(subject) }
            }
        }
    }

    /// Takes out what is void with its author's authority, and keeps what stands from dropping
    /// anything.
    private mutating func drop() {
        guard !held.isEmpty else { return }
        rebuild()
        for index in others where mayWrite(index) { force.insert(index, in: .owners, of: room) }
        // What is silent can leave the author of a leave without a role, so more follows.
        let lowering = walk.ranking.flatMap { force.about($0) }
            .filter { room.operations[$0].lowers }
        var isGrowing = true
        while isGrowing {
            isGrowing = false
            for index in lowering where !force.silent.contains(index) && !mayWrite(index) {
                force.silence(index, about: room.operations[index].subject)
                isGrowing = true
            }
        }
    }
}
