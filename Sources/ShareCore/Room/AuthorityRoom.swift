import ShareCrypto

/// The control batches of a room, sorted into logs, with devices and operations numbered.
struct AuthorityRoom: Sendable {
    struct HeldBatch: Sendable {
        let batch: ControlBatch
        let place: LogGraph.Place
        /// The places of its operations about devices.
        let operations: [Int]
    }

    private(set) var devices: [DeviceKey] = []
    private(set) var indexes: [DeviceKey: Int] = [:]
    /// For each device its batches whose predecessors are all held, by number, then id.
    private(set) var logs: [[HeldBatch]] = []
    private(set) var graphs: [LogGraph] = []
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

    init(room: RoomID, batches: some Sequence<ControlBatch>) {
        var unique: [BatchID: ControlBatch] = [:]
        for batch in batches { unique[batch.head.batch] = batch }
        let sorted = unique.values.sorted { ($0.author, $0.head) < ($1.author, $1.head) }
        var after: [[OperationName]] = []
        for batch in sorted {
            let author = index(of: batch.author)
            guard graphs[author].insert(batch.head, previous: batch.previous),
                let place = graphs[author].place(of: batch.head.batch)
            else {
                unconnected.append(batch)
                continue
            }
            let isFounding = batch.head.batch.digest == room.digest && batch.head.number == 1
            var held: [Int] = []
            for entry in batch.entries {
                guard
                    let operation = operation(
                        entry, of: batch, at: place, isFounding: isFounding)
                else { continue }
                operations.append(operation)
                after.append(Self.after(entry.operation))
                held.append(operations.count - 1)
                indexOfOperation[operation.name] = operations.count - 1
                if operation.kind == .found { founding = operations.count - 1 }
            }
            placeOfBatch[batch.head.batch] = (author, logs[author].count)
            logs[author].append(HeldBatch(batch: batch, place: place, operations: held))
        }
        resolve(after)
    }

    /// Finds what the operations name, now that all batches are in their logs.
    private mutating func resolve(_ after: [[OperationName]]) {
        namers = Array(repeating: [], count: operations.count)
        for (place, names) in after.enumerated() {
            if !names.isEmpty {
                operations[place].after = Set(names).compactMap { indexOfOperation[$0] }
                    .filter { $0 != place && operations[$0].subject == operations[place].subject }
                for seen in operations[place].after { namers[seen].append(place) }
            }
            let graph = graphs[operations[place].subject]
            for head in operations[place].heads.control {
                if let held = graph.place(of: head.batch), held.number == head.number {
                    operations[place].controlHeads.append(held)
                } else {
                    operations[place].controlBelow = max(
                        operations[place].controlBelow, head.number)
                }
            }
        }
    }

    /// What the operation at `name` in a held control log says, and who wrote it.
    func entry(_ name: OperationName) -> (batch: ControlBatch, operation: ControlOperation)? {
        guard let place = placeOfBatch[name.batch] else { return nil }
        let batch = logs[place.device][place.place].batch
        guard let entry = batch.entries.first(where: { $0.index == name.index }) else {
            return nil
        }
        return (batch, entry.operation)
    }

    private mutating func index(of device: DeviceKey) -> Int {
        if let index = indexes[device] { return index }
        devices.append(device)
        logs.append([])
        graphs.append(LogGraph())
        indexes[device] = devices.count - 1
        return devices.count - 1
    }

    private mutating func operation(
        _ entry: ControlBatch.Entry, of batch: ControlBatch, at place: LogGraph.Place,
        isFounding: Bool
    ) -> AuthorityOperation? {
        let subject: DeviceKey
        switch entry.operation {
        case .found:
            guard isFounding, entry.index == 0 else { return nil }
            subject = batch.author
        case .grant(let grant): subject = grant.subject
        case .roleChange(let change): subject = change.subject
        case .removal(let removal): subject = removal.subject
        case .accept(let acceptance): subject = acceptance.subject
        case .set, .form, .list: return nil
        }
        return AuthorityOperation(
            entry.operation, name: batch.name(of: entry), batch: batch.head, place: place,
            author: index(of: batch.author), subject: index(of: subject))
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
