import ShareCrypto

/// The control batches of a room, sorted into logs, with devices numbered. Operations about
/// devices are taken in, and numbered, when somebody asks for them: only those of a batch whose
/// author has a role there can count, and all others cost nothing.
struct AuthorityRoom: Sendable {
    struct HeldBatch: Sendable {
        let batch: ControlBatch
        let place: LogGraph.Place
        /// Its place among all held batches.
        let number: Int
    }

    /// Which operations of a batch are asked for.
    enum Selection: Int {
        /// All about devices.
        case all
        case leaves
        /// As many of them as can come into force from one batch after the walk.
        case firstLeaves
        /// Grants that an editor may write.
        case editorsGrants
    }

    private struct Taken {
        /// By selection.
        var lists: [[Int]?] = Array(repeating: nil, count: 4)
        /// All that were taken in, in the order in which they were.
        var operations: [Int] = []
    }

    private(set) var devices: [DeviceKey] = []
    private(set) var indexes: [DeviceKey: Int] = [:]
    /// For each device its batches whose predecessors are all held, by number, then id.
    private(set) var logs: [[HeldBatch]] = []
    private(set) var graphs: [LogGraph] = []
    /// Those that were taken in.
    private(set) var operations: [AuthorityOperation] = []
    /// For each operation those that name it in `after`.
    private(set) var namers: [[Int]] = []
    private(set) var indexOfOperation: [OperationName: Int] = [:]
    /// The device and the place in `logs` of each connected batch.
    private(set) var placeOfBatch: [BatchID: (device: Int, place: Int)] = [:]
    /// Batches that lack a predecessor.
    private(set) var unconnected: [ControlBatch] = []
    /// The place of the operation that founded the room.
    private(set) var founding: Int?
    private let id: RoomID
    private var taken: [Int: Taken] = [:]
    /// Names in `after` that are held and not taken in, with those who name them.
    private var awaited: [OperationName: [Int]] = [:]

    /// - Complexity: near O(batches), whatever they hold.
    init(room: RoomID, batches: some Sequence<ControlBatch>) {
        id = room
        var unique: [BatchID: ControlBatch] = [:]
        for batch in batches { unique[batch.head.batch] = batch }
        let sorted = unique.values.sorted { ($0.author, $0.head) < ($1.author, $1.head) }
        for batch in sorted {
            let author = index(of: batch.author)
            guard graphs[author].insert(batch.head, previous: batch.previous),
                let place = graphs[author].place(of: batch.head.batch)
            else {
                unconnected.append(batch)
                continue
            }
            let number = placeOfBatch.count
            placeOfBatch[batch.head.batch] = (author, logs[author].count)
            logs[author].append(HeldBatch(batch: batch, place: place, number: number))
        }
        guard let place = placeOfBatch[BatchID(room.digest)] else { return }
        let held = logs[place.device][place.place]
        founding = take(.all, of: held).first { operations[$0].kind == .found }
    }

    /// The operations of a batch that are asked for, by their places; what they name is found
    /// as soon as it is taken in too.
    mutating func take(_ selection: Selection, of held: HeldBatch) -> [Int] {
        if let known = taken[held.number]?.lists[selection.rawValue] { return known }
        let batch = held.batch
        let entries: [ControlBatch.Entry] =
            switch selection {
            case .all:
                batch.has(where: \.isAboutDevice) ? batch.entries : []
            case .leaves: Self.leaves(in: batch, upTo: .max)
            case .firstLeaves: Self.leaves(in: batch, upTo: Self.leavesAfterWalk)
            case .editorsGrants:
                batch.has(.grant)
                    ? batch.entries.filter { OperationSort($0.operation) == .grant } : []
            }
        let list = entries.compactMap { take($0, of: held) }
        taken[held.number, default: Taken()].lists[selection.rawValue] = list
        return list
    }

    /// Leaves of one batch of which some may come into force after the walk: in the owners' layer
    /// those that it put in force and those set aside that hold are in force, in the editors' as
    /// many as there is room for follow (docs/protocol/authority.md §3, §4).
    private static let leavesAfterWalk = 2 * Limits.leavesInForce + Limits.operationsInForce

    private static func leaves(in batch: ControlBatch, upTo limit: Int) -> [ControlBatch.Entry] {
        guard batch.hasLeave else { return [] }
        return Array(batch.entries.lazy.filter { $0.isLeave(of: batch.author) }.prefix(limit))
    }

    /// What was taken in of a batch so far, by whatever selection.
    func operations(takenOf held: HeldBatch) -> [Int] { taken[held.number]?.operations ?? [] }

    /// The held batch of that id, if it is in its log.
    func held(_ id: BatchID) -> HeldBatch? {
        placeOfBatch[id].map { logs[$0.device][$0.place] }
    }

    private mutating func index(of device: DeviceKey) -> Int {
        if let index = indexes[device] { return index }
        devices.append(device)
        logs.append([])
        graphs.append(LogGraph())
        indexes[device] = devices.count - 1
        return devices.count - 1
    }

    private mutating func take(_ entry: ControlBatch.Entry, of held: HeldBatch) -> Int? {
        let batch = held.batch
        let name = batch.name(of: entry)
        if let known = indexOfOperation[name] { return known }
        let subject: DeviceKey
        switch entry.operation {
        case .found:
            guard batch.head.batch.digest == id.digest, batch.head.number == 1, entry.index == 0
            else { return nil }
            subject = batch.author
        case .grant(let grant): subject = grant.subject
        case .roleChange(let change): subject = change.subject
        case .removal(let removal): subject = removal.subject
        case .accept(let acceptance): subject = acceptance.subject
        case .set, .form, .list: return nil
        }
        guard
            let operation = AuthorityOperation(
                entry.operation, name: name, batch: batch.head, place: held.place,
                author: index(of: batch.author), subject: index(of: subject))
        else { return nil }
        let index = operations.count
        operations.append(operation)
        namers.append([])
        indexOfOperation[name] = index
        taken[held.number, default: Taken()].operations.append(index)
        resolve(index, after: Self.after(entry.operation))
        return index
    }

    /// Finds what an operation names, and lets those that name it find it.
    private mutating func resolve(_ index: Int, after names: [OperationName]) {
        let name = operations[index].name
        for other in Set(names) where other != name {
            if let seen = indexOfOperation[other] {
                link(index, to: seen)
            } else if placeOfBatch[other.batch] != nil {
                awaited[other, default: []].append(index)
            }
        }
        for namer in awaited.removeValue(forKey: name) ?? [] { link(namer, to: index) }
        let graph = graphs[operations[index].subject]
        for head in operations[index].heads.control {
            if let held = graph.place(of: head.batch), held.number == head.number {
                operations[index].controlHeads.append(held)
            } else {
                operations[index].controlBelow = max(operations[index].controlBelow, head.number)
            }
        }
    }

    private mutating func link(_ operation: Int, to seen: Int) {
        guard operations[operation].subject == operations[seen].subject else { return }
        operations[operation].after.append(seen)
        namers[seen].append(operation)
    }

    private static func after(_ operation: ControlOperation) -> [OperationName] {
        switch operation {
        case .grant(let grant): grant.after
        case .roleChange(let change): change.after
        case .removal(let removal): removal.after
        case .accept, .found, .set, .form, .list: []
        }
    }
}
