/// One walk over the logs of owners in rank order (docs/protocol/authority.md §4).
struct AuthorityWalk {
    let room: AuthorityRoom
    /// Batches of logs with too many heads that no owner has named.
    let ignored: Set<BatchID>
    /// Devices whose operations about themselves do not count, so that an owner is left.
    let staying: Set<Int>

    private(set) var force: AuthorityForce
    /// Devices that are or were owners, best first.
    private(set) var ranking: [Int] = []
    private(set) var ranks: [Int: Int] = [:]
    /// Operations against better-ranked owners, set aside.
    private(set) var upward: [Int] = []
    private var isUpwards: Set<Int> = []

    init(room: AuthorityRoom, ignored: Set<BatchID>, staying: Set<Int>) {
        self.room = room
        self.ignored = ignored
        self.staying = staying
        force = AuthorityForce(operations: room.operations.count, devices: room.devices.count)
    }

    /// Walks with `held` in force from the start.
    mutating func walk(holding held: [Int]) {
        guard let founding = room.founding else { return }
        force.insert(founding, in: .owners, of: room)
        for operation in held { force.insert(operation, in: .owners, of: room) }
        var queue: [Int] = []
        enqueue(room.operations[founding].subject, in: &queue)
        var next = 0
        while next < queue.count {
            walkLog(of: queue[next], &queue)
            next += 1
        }
    }

    /// The place of a batch in a control log.
    func place(_ batch: LogHead, of device: Int) -> AuthorityPlace {
        AuthorityPlace(kind: .control, batch: batch, in: room.graphs[device])
    }

    /// Whether the author of an operation was owner at its batch.
    func isByOwner(_ operation: Int) -> Bool {
        let operation = room.operations[operation]
        let place = place(operation.batch, of: operation.author)
        return force.ownersResult(operation.author, at: place, in: room).role == .owner
    }

    mutating func insert(_ operation: Int, in layer: AuthorityForce.Layer) {
        force.insert(operation, in: layer, of: room)
    }

    /// What counts of a device's log.
    func log(of device: Int) -> [AuthorityRoom.HeldBatch] {
        ignored.isEmpty
            ? room.logs[device]
            : room.logs[device].filter { !ignored.contains($0.batch.head.batch) }
    }

    private mutating func enqueue(_ device: Int, in queue: inout [Int]) {
        if ranks[device] == nil {
            ranks[device] = ranking.count
            ranking.append(device)
        }
        queue.append(device)
    }

    private mutating func walkLog(of device: Int, _ queue: inout [Int]) {
        for held in log(of: device) where !held.operations.isEmpty {
            let place = place(held.batch.head, of: device)
            guard let role = force.ownersResult(device, at: place, in: room).role else { continue }
            for index in held.operations {
                judge(index, by: device, as: role, &queue)
            }
        }
    }

    private mutating func judge(
        _ index: Int, by device: Int, as role: Role, _ queue: inout [Int]
    ) {
        let operation = room.operations[index]
        guard role == .owner || operation.isLeave, operation.kind != .found else { return }
        if operation.isAboutItsAuthor, operation.lowers, staying.contains(device) { return }
        let isHeld = force.contains(index)
        if !isHeld {
            if operation.lowers, isUpward(operation) {
                if isUpwards.insert(index).inserted { upward.append(index) }
                return
            }
            insert(index, in: .owners)
        }
        let subject = operation.subject
        let isNew = ranks[subject] == nil
        if operation.role == .owner, isNew || !isHeld {
            enqueue(subject, in: &queue)
        } else if operation.kind == .accept, !isNew, !isHeld {
            enqueue(subject, in: &queue)
        }
    }

    private func isUpward(_ operation: AuthorityOperation) -> Bool {
        guard let subject = ranks[operation.subject], let author = ranks[operation.author] else {
            return false
        }
        return subject < author
    }
}
