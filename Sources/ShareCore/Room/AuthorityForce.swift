/// The operations in force, and what they say of a device at a place of one of its logs
/// (docs/protocol/authority.md §3).
struct AuthorityForce: Sendable {
    /// Where an operation is weighed: owners' operations, and leaves of those who have their
    /// role from owners, are decided first and without a look at the rest.
    enum Layer: UInt8, Sendable {
        case none, editors, owners
    }

    private(set) var layers: [Layer]
    private(set) var about: [[Int]]

    init(operations: Int, devices: Int) {
        layers = Array(repeating: .none, count: operations)
        about = Array(repeating: [], count: devices)
    }

    func contains(_ operation: Int) -> Bool { layers[operation] != .none }

    mutating func insert(_ operation: Int, in layer: Layer, of room: AuthorityRoom) {
        guard layers[operation] == .none else { return }
        layers[operation] = layer
        about[room.operations[operation].subject].append(operation)
    }
}

/// A place in one of a device's logs: what acts there, and what is covered.
struct AuthorityPlace {
    let kind: LogKind
    let number: UInt64
    /// Whether a named head covers the place.
    let isCovered: (LogHead) -> Bool
    /// Whether the place is, in its author's own control log, the batch given or before it.
    let isUpTo: (LogHead) -> Bool

    /// Beyond every batch that there is or will be.
    static var end: AuthorityPlace {
        AuthorityPlace(
            kind: .control, number: .max, isCovered: { _ in false }, isUpTo: { _ in false })
    }

    init(
        kind: LogKind, number: UInt64, isCovered: @escaping (LogHead) -> Bool,
        isUpTo: @escaping (LogHead) -> Bool
    ) {
        self.kind = kind
        self.number = number
        self.isCovered = isCovered
        self.isUpTo = isUpTo
    }

    /// A batch of a log. A head that is not held covers what has a lower number, until it
    /// arrives: the remover held all of that.
    init(kind: LogKind, batch: LogHead, in log: some LogAncestry) {
        self.init(
            kind: kind, number: batch.number,
            isCovered: { head in
                switch log.coverage(of: batch, by: head) {
                case .covered: true
                case .notCovered: false
                case .headNotHeld: batch.number < head.number
                }
            },
            isUpTo: { head in
                kind == .control && log.coverage(of: batch, by: head) == .covered
            })
    }
}
