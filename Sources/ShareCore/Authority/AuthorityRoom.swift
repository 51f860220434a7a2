import ShareCrypto

/// The control batches of a room, sorted into logs, with devices numbered. Operations about
/// devices are taken in, and numbered, when somebody asks for them: those of a batch whose author
/// may write none of them there cost nothing.
struct AuthorityRoom: Sendable {
    struct HeldBatch: Sendable {
        var batch: ControlBatch
        let place: LogGraph.Position
    }

    private(set) var devices: [DeviceKey] = []
    private(set) var indexes: [DeviceKey: Int] = [:]
    /// For each device its batches whose predecessors are all held, by number, then id.
    private(set) var logs: [[HeldBatch]] = []
    private(set) var graphs: [LogGraph] = []
    /// Those that were taken in.
    private(set) var operations: [AuthorityOperation] = []
    /// For each operation those that name it in `supersedes`.
    private(set) var namers: [[Int]] = []
    /// Batches that lack a predecessor.
    private(set) var unconnected: [ControlBatch] = []
    /// The place of the operation that founded the room.
    private(set) var founding: Int?
    /// The number of the room's recovery key.
    private(set) var recovery: Int?

    private let id: RoomID
    private var indexOfOperation: [OperationName: Int] = [:]
    /// Names in `supersedes` that are not taken in, with those who name them.
    private var awaitedNames: [OperationName: [Int]] = [:]
    /// Heads of control logs that are named and not held, with those who name them.
    private var awaitedHeads: [BatchID: Set<Int>] = [:]

    init(room: RoomID) { id = room }

    /// Takes batches in; what is held already changes nothing.
    ///
    /// - Complexity: near O(new batches).
    mutating func insert(_ batches: some Sequence<ControlBatch>) {
        var waiting: [BatchID: ControlBatch] = [:]
        for batch in unconnected { waiting[batch.head.batch] = batch }
        for batch in batches where held(batch.head.batch, by: batch.author) == nil {
            waiting[batch.head.batch] = batch
        }
        unconnected = []
        for batch in waiting.values.sorted(by: { ($0.author, $0.head) < ($1.author, $1.head) }) {
            let author = index(of: batch.author)
            guard graphs[author].insert(batch.head, previous: batch.previous),
                let place = graphs[author].place(of: batch.head.batch)
            else {
                unconnected.append(batch)
                continue
            }
            let held = HeldBatch(batch: batch, place: place)
            logs[author].insert(held, at: position(of: batch.head, in: author))
            takeFounding(held)
            let awaiting = awaitedHeads.removeValue(forKey: batch.head.batch) ?? []
            for operation in awaiting { resolveHeads(of: operation) }
        }
    }

    /// Puts batches that are held in place of themselves, as they have been opened or closed.
    ///
    /// - Complexity: O(batches · log of the log's batches), beside a copy of each of these logs.
    mutating func replace(_ batches: some Sequence<ControlBatch>) {
        for batch in batches {
            guard let author = indexes[batch.author],
                graphs[author].number(of: batch.head.batch) == batch.head.number
            else { continue }
            let position = position(of: batch.head, in: author)
            logs[author][position].batch = batch
            takeFounding(logs[author][position])
        }
    }

    /// The place in `operations` of an operation of a held batch; nil where it is about no device.
    mutating func take(_ entry: ControlBatch.Entry, of held: HeldBatch) -> Int? {
        let batch = held.batch
        let name = batch.name(of: entry)
        if let known = indexOfOperation[name] { return known }
        guard let subject = entry.operation.subject,
            let operation = AuthorityOperation(
                entry.operation, name: name, batch: batch.head, place: held.place,
                author: index(of: batch.author), subject: index(of: subject))
        else { return nil }
        return add(operation)
    }

    /// The place of an operation that was taken in.
    func place(of name: OperationName) -> Int? { indexOfOperation[name] }

    /// The held batch of that id, if it is in its author's log.
    func held(_ id: BatchID, by author: DeviceKey) -> HeldBatch? {
        indexes[author].flatMap { held(id, in: $0) }
    }

    /// The held batch of that id, whoever wrote it.
    ///
    /// - Complexity: O(devices).
    func held(_ id: BatchID) -> HeldBatch? {
        for author in devices.indices {
            if let held = held(id, in: author) { return held }
        }
        return nil
    }

    private func held(_ id: BatchID, in author: Int) -> HeldBatch? {
        graphs[author].number(of: id).map {
            logs[author][position(of: LogHead(number: $0, batch: id), in: author)]
        }
    }

    /// The room's founding batch, while it is held and what it says is not at hand.
    var closedFounding: BatchID? {
        guard founding == nil, let batch = held(BatchID(id.digest))?.batch,
            batch.outline.items.first?.sort == .found, batch.entry(at: 0) == nil
        else { return nil }
        return batch.head.batch
    }

    private func position(of head: LogHead, in author: Int) -> Int {
        if let last = logs[author].last, last.batch.head < head { return logs[author].count }
        return logs[author].end { $0.batch.head < head }
    }

    private mutating func index(of device: DeviceKey) -> Int {
        if let index = indexes[device] { return index }
        devices.append(device)
        logs.append([])
        graphs.append(LogGraph())
        indexes[device] = devices.count - 1
        return devices.count - 1
    }

    private mutating func takeFounding(_ held: HeldBatch) {
        guard founding == nil, held.batch.head.batch.digest == id.digest,
            held.batch.head.number == 1, let entry = held.batch.entry(at: 0),
            case .found(let found) = entry.operation
        else { return }
        let author = index(of: held.batch.author)
        guard
            let operation = AuthorityOperation(
                entry.operation, name: held.batch.name(of: entry), batch: held.batch.head,
                place: held.place, author: author, subject: author)
        else { return }
        founding = add(operation)
        recovery = index(of: found.recovery)
    }

    private mutating func add(_ operation: AuthorityOperation) -> Int {
        let index = operations.count
        operations.append(operation)
        namers.append([])
        indexOfOperation[operation.name] = index
        for other in Set(operation.names) where other != operation.name {
            if let known = indexOfOperation[other] {
                link(index, to: known)
            } else {
                awaitedNames[other, default: []].append(index)
            }
        }
        for namer in awaitedNames.removeValue(forKey: operation.name) ?? [] {
            link(namer, to: index)
        }
        resolveHeads(of: index)
        return index
    }

    private mutating func link(_ operation: Int, to other: Int) {
        guard operations[operation].subject == operations[other].subject else { return }
        operations[operation].supersedes.append(other)
        namers[other].append(operation)
    }

    private mutating func resolveHeads(of index: Int) {
        let graph = graphs[operations[index].subject]
        operations[index].controlHeads = []
        operations[index].controlBelow = 0
        for head in operations[index].heads.control {
            if let held = graph.place(of: head.batch), held.number == head.number {
                operations[index].controlHeads.append(held)
            } else {
                operations[index].controlBelow = max(operations[index].controlBelow, head.number)
                if graph.place(of: head.batch) == nil {
                    awaitedHeads[head.batch, default: []].insert(index)
                }
            }
        }
    }
}
