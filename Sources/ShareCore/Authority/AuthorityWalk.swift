/// Finds the operations in force: one pass over the control logs of owners in the order of their
/// rank, one over those of all others; nothing is taken back (docs/protocol/authority.md §3).
struct AuthorityWalk: Sendable {
    /// The room, with what the walk asked for.
    private(set) var room: AuthorityRoom
    private(set) var force = OperationsInForce()
    /// Devices that are or were owners, best first: in the order in which they were first taken.
    private(set) var ranking: [Int] = []
    /// Why operations that an owner may write did not come into force.
    private(set) var refusals: [Int: Refusal] = [:]
    /// The batches of which it needed operations that are not at hand, and passed these over: while
    /// there are any, what is in force is not known.
    private(set) var wanted: Set<BatchID> = []
    /// How many leaves of each device are among what it needed.
    private var leavesWanted: [Int: Int] = [:]

    private var queue: [Int] = []
    private var waiting: Set<Int> = []
    /// How often each device's log was gone through.
    private var walks: [Int: Int] = [:]
    /// By device, what operations named that were in force when it was first taken: who raised it
    /// knew of these, and what came before is judged by them.
    private var superseded: [Int: Set<OperationName>] = [:]
    /// By author, where it wrote what is in force.
    private var written: [Int: [LogGraph.Position]] = [:]

    init(_ room: AuthorityRoom) {
        self.room = room
        guard let founding = room.founding else {
            if let closed = room.closedFounding { wanted.insert(closed) }
            return
        }
        enforce(founding, in: .owners)
        queue.insert(contentsOf: room.recovery.map { [$0] } ?? [], at: 0)
        var next = 0
        while next < queue.count {
            let device = queue[next]
            waiting.remove(device)
            if walks[device] == nil {
                ranking.append(device)
                superseded[device] = named(about: device)
            }
            walks[device, default: 0] += 1
            walkOwner(device)
            next += 1
        }
        walkOthers()
    }

    /// The role that owners' operations give a device; the recovery key is an owner for ever.
    private func ownersRole(_ device: Int, at held: AuthorityRoom.HeldBatch) -> Role? {
        device == room.recovery
            ? .owner : force.ownersResult(device, at: .control(held.place), in: room).role
    }

    // MARK: Owners

    /// The operations that those in force about a device name.
    private func named(about device: Int) -> Set<OperationName> {
        Set(force.about(device).flatMap { room.operations[$0].names })
    }

    private mutating func walkOwner(_ device: Int) {
        let branches = force.branchesThatCount(of: device, in: room)
        for held in room.logs[device] where held.batch.isAboutDevices {
            let counts = branches.contains(held, in: room)
            guard counts || held.batch.hasLeave, var role = ownersRole(device, at: held) else {
                continue
            }
            for item in held.batch.outline.items
            where item.sort.isAboutDevice && (counts && role == .owner || item.isLeave) {
                if item.isLeave, !hasRoomForLeave(of: device, in: .owners) {
                    continue
                }
                guard let index = take(item, of: held), !force.contains(index) else { continue }
                refusals[index] = refusal(of: index)
                guard refusals[index] == nil else { continue }
                enforce(index, in: .owners)
                // What it says of itself may show what others superseded, here as well.
                guard room.operations[index].isAboutItsAuthor else { continue }
                guard let now = ownersRole(device, at: held) else { break }
                role = now
            }
        }
    }

    /// Whether another leave of a device may come into force in a layer. Those that were asked for count
    /// like these: of very many no more are opened than there is room for.
    private func hasRoomForLeave(of device: Int, in layer: OperationsInForce.Layer) -> Bool {
        force.hasRoomForLeave(
            of: device, in: layer, beside: leavesWanted[device, default: 0], room: room)
    }

    /// The place of an operation; nil where what it says is not at hand.
    private mutating func take(
        _ item: ControlOutline.Item, of held: AuthorityRoom.HeldBatch
    ) -> Int? {
        if let known = room.place(of: held.batch.name(at: item.index)) { return known }
        guard let entry = held.batch.entry(at: item.index) else {
            wanted.insert(held.batch.head.batch)
            if item.isLeave, let author = room.indexes[held.batch.author] {
                leavesWanted[author, default: 0] += 1
            }
            return nil
        }
        return room.take(entry, of: held)
    }

    /// Why an operation does not come into force that its author's role allows.
    private func refusal(of index: Int) -> Refusal? {
        let operation = room.operations[index]
        if operation.subject == room.recovery { return .outranked }
        if operation.isAboutItsAuthor {
            guard operation.isRemoval || operation.kind == .roleChange else { return .itself }
            return isLate(operation) ? .late : nil
        }
        guard operation.lowers, let known = superseded[operation.subject] else { return nil }
        return known.contains(operation.name) ? nil : .outranked
    }

    /// Whether something is in force that its author wrote after it on the same branch.
    private func isLate(_ operation: AuthorityOperation) -> Bool {
        let graph = room.graphs[operation.author]
        return written[operation.author]?.contains {
            $0 != operation.place && graph.isUpTo(operation.place, $0)
        } ?? false
    }

    private mutating func enforce(_ index: Int, in layer: OperationsInForce.Layer) {
        guard force.insert(index, in: layer, of: room) else {
            refusals[index] = .tooMany
            return
        }
        let operation = room.operations[index]
        if written[operation.author]?.last != operation.place {
            written[operation.author, default: []].append(operation.place)
        }
        if operation.role == .owner { enqueue(operation.subject) }
    }

    private mutating func enqueue(_ device: Int) {
        guard walks[device, default: 0] < Limits.walksOfOneLog, waiting.insert(device).inserted
        else { return }
        queue.append(device)
    }

    // MARK: Editors, and leaves

    private mutating func walkOthers() {
        let writers = room.devices.indices.filter { device in
            device != room.recovery && room.logs[device].contains { $0.batch.isAboutDevices }
        }
        .sorted { room.devices[$0] < room.devices[$1] }
        for device in writers {
            let branches = force.branchesThatCount(of: device, in: room)
            for held in room.logs[device] where held.batch.isAboutDevices {
                let counts = branches.contains(held, in: room)
                let mayLeave =
                    held.batch.hasLeave
                    && hasRoomForLeave(of: device, in: .owners)
                guard mayLeave || counts && held.batch.admits,
                    var role = ownersRole(device, at: held)
                else { continue }
                for item in held.batch.outline.items {
                    if item.isLeave {
                        guard hasRoomForLeave(of: device, in: .owners) else {
                            continue
                        }
                        enforceLeave(item, of: held, in: .owners)
                        guard let now = ownersRole(device, at: held) else { break }
                        role = now
                    } else if counts, role == .editor, item.sort == .grant,
                        let index = take(item, of: held), !force.contains(index)
                    {
                        let subject = room.operations[index].subject
                        refusals[index] =
                            subject == device
                            ? .itself : subject == room.recovery ? .outranked : nil
                        if refusals[index] == nil { enforce(index, in: .editors) }
                    }
                }
            }
        }
        for device in writers where room.logs[device].contains(where: \.batch.hasLeave) {
            for held in room.logs[device] where held.batch.hasLeave {
                guard hasRoomForLeave(of: device, in: .editors) else { break }
                let place = AuthorityPosition.control(held.place)
                guard ownersRole(device, at: held) == nil else { continue }
                for item in held.batch.outline.items where item.isLeave {
                    guard force.result(device, at: place, in: room).role != nil else { break }
                    enforceLeave(item, of: held, in: .editors)
                }
            }
        }
    }

    private mutating func enforceLeave(
        _ item: ControlOutline.Item, of held: AuthorityRoom.HeldBatch,
        in layer: OperationsInForce.Layer
    ) {
        guard let index = take(item, of: held), !force.contains(index) else { return }
        refusals[index] = isLate(room.operations[index]) ? .late : nil
        if refusals[index] == nil { enforce(index, in: layer) }
    }
}

/// The branches of a control log that count where it has too many; a leave counts on each.
enum CountedBranches {
    case all
    /// The batches that these heads cover, and the founding batch.
    case upTo([LogGraph.Position], device: Int)

    func contains(_ held: AuthorityRoom.HeldBatch, in room: AuthorityRoom) -> Bool {
        switch self {
        case .all: true
        case .upTo(let heads, let device):
            room.founding.map { room.operations[$0].batch == held.batch.head } ?? false
                || heads.contains { room.graphs[device].isUpTo(held.place, $0) }
        }
    }
}

extension OperationsInForce {
    /// The branches of a device's control log that count, by what is in force so far: all of them
    /// up to `Limits.headsPerLog`, else those that operations of others about it name. Of who is
    /// removed its removal says it; the recovery key's are never too many.
    func branchesThatCount(of device: Int, in room: AuthorityRoom) -> CountedBranches {
        guard device != room.recovery, room.graphs[device].hasTooManyHeads,
            !isRemoved(device, in: room)
        else { return .all }
        let naming = about(device).map { room.operations[$0] }.filter { !$0.isAboutItsAuthor }
        return .upTo(naming.flatMap(\.controlHeads), device: device)
    }

    /// Whether a device is removed at the end, by another one.
    func isRemoved(_ device: Int, in room: AuthorityRoom) -> Bool {
        if case .removed = ownersResult(device, at: .end, in: room) { true } else { false }
    }
}
