/// The walk over the logs of owners in rank order (docs/protocol/authority.md §4).
struct AuthorityWalk: Sendable {
    /// The room, with what the walk asked for.
    private(set) var room: AuthorityRoom
    /// Batches of logs with too many heads that no owner has named.
    let ignored: Set<BatchID>
    /// The device whose operations about itself do not lower it, so that an owner is left.
    let staying: Int?

    private(set) var force: AuthorityForce
    /// Devices that are or were owners, best first.
    private(set) var ranking: [Int] = []
    private(set) var ranks: [Int: Int] = [:]
    /// Operations that would take back what the walk had put in force before, in its order.
    private(set) var setAside: [Int] = []
    private var areSetAside: Set<Int> = []
    private var waiting: Set<Int> = []
    /// How often each device's log was gone through.
    private var walks: [Int: Int] = [:]
    /// On the log at hand, by branch, the greatest number of a batch that counted.
    private var counted: [Int: UInt64] = [:]

    init(room: AuthorityRoom, ignored: Set<BatchID>, staying: Int?) {
        self.room = room
        self.ignored = ignored
        self.staying = staying
        force = AuthorityForce()
        guard let founding = room.founding else { return }
        force.insert(founding, in: .owners, of: room)
        var queue: [Int] = []
        enqueue(room.operations[founding].subject, in: &queue)
        var next = 0
        while next < queue.count {
            waiting.remove(queue[next])
            walks[queue[next], default: 0] += 1
            walkLog(of: queue[next], &queue)
            next += 1
        }
    }

    /// What counts of a device's log.
    func log(of device: Int) -> [AuthorityRoom.HeldBatch] {
        // A device that was named after the walk has written nothing.
        guard device < room.logs.count else { return [] }
        return ignored.isEmpty
            ? room.logs[device]
            : room.logs[device].filter { !ignored.contains($0.batch.head.batch) }
    }

    /// Whether an operation was set aside.
    func hasSetAside(_ operation: Int) -> Bool { areSetAside.contains(operation) }

    /// Whether an operation in force took something from an owner: that stands.
    func lowersOwner(_ operation: Int) -> Bool {
        room.operations[operation].lowers && ranks[room.operations[operation].subject] != nil
    }

    /// Whether an operation would take back what the walk may have put in force already: it
    /// lowers a device whose log it has gone through. That must not hang on which batches of
    /// that log are held, as others ask for no more of it once the operation is in force.
    private func takesBack(_ operation: AuthorityOperation) -> Bool {
        guard operation.lowers else { return false }
        guard operation.isAboutItsAuthor else { return walks[operation.subject] != nil }
        // What a device says of itself is decided on its own log, all of which is passed on.
        return counted.contains { branch, number in
            AuthorityPlace.control(LogGraph.Place(branch: branch, number: number))
                .isActedOn(by: operation, in: room)
        }
    }

    private mutating func enqueue(_ device: Int, in queue: inout [Int]) {
        if ranks[device] == nil {
            ranks[device] = ranking.count
            ranking.append(device)
        }
        guard !waiting.contains(device), walks[device, default: 0] < Limits.walksOfOneLog else {
            return
        }
        waiting.insert(device)
        queue.append(device)
    }

    private mutating func walkLog(of device: Int, _ queue: inout [Int]) {
        let batches = log(of: device).filter { $0.batch.has(where: \.isAboutDevice) }
        counted = [:]
        for held in batches
        where room.operations(takenOf: held).contains(where: {
            force.contains($0) || areSetAside.contains($0)
        }) {
            count(held)
        }
        for held in batches {
            let role = force.ownersResult(device, at: .control(held.place), in: room).role
            guard let role else { continue }
            let selection: AuthorityRoom.Selection = role == .owner ? .all : .leaves
            for index in room.take(selection, of: held) { judge(index, of: held, as: role, &queue) }
        }
    }

    private mutating func judge(
        _ index: Int, of held: AuthorityRoom.HeldBatch, as role: Role, _ queue: inout [Int]
    ) {
        let operation = room.operations[index]
        guard role == .owner || operation.isLeave, operation.kind != .found,
            !force.contains(index), !areSetAside.contains(index)
        else { return }
        if operation.isAboutItsAuthor, operation.lowers, staying == operation.subject { return }
        if takesBack(operation) {
            areSetAside.insert(index)
            setAside.append(index)
        } else {
            guard force.insertIfRoom(index, in: .owners, of: room) else { return }
            let subject = operation.subject
            if operation.role == .owner || operation.kind == .accept && ranks[subject] != nil {
                enqueue(subject, in: &queue)
            }
        }
        count(held)
    }

    private mutating func count(_ held: AuthorityRoom.HeldBatch) {
        let number = counted[held.place.branch] ?? 0
        counted[held.place.branch] = max(number, held.place.number)
    }
}
