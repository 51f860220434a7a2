/// The operations in force, and what they say of a device at a place of one of its logs
/// (docs/protocol/authority.md §3).
struct AuthorityForce: Sendable {
    /// Where an operation is weighed: owners' operations, and leaves of those who have their
    /// role from owners, are decided first and without a look at the rest.
    enum Layer: UInt8, Sendable {
        case none, editors, owners
    }

    /// Operations about a device, in order of coming into force.
    private(set) var about: [[Int]]
    private(set) var layers: [Layer]
    /// Operations that stand although their author is not owner: they drop nothing.
    private(set) var silent: Set<Int> = []
    /// For each operation in force its place in `about`.
    private var places: [Int]
    /// For each of `about` what it names in `after`, and what it has seen, through others too.
    private var named: [[OperationMask]]
    private var seen: [[OperationMask]]

    init(operations: Int, devices: Int) {
        layers = Array(repeating: .none, count: operations)
        places = Array(repeating: 0, count: operations)
        about = Array(repeating: [], count: devices)
        named = Array(repeating: [], count: devices)
        seen = Array(repeating: [], count: devices)
    }

    func contains(_ operation: Int) -> Bool { layers[operation] != .none }

    /// What the operation at a place of `about` has seen.
    func seen(by place: Int, about subject: Int) -> OperationMask { seen[subject][place] }

    /// Puts an operation in force where there is room for another of its kind about its subject:
    /// the rest count for nothing, so that nobody can make a device's standing costly to tell.
    /// Removals have room of their own: whose role was changed too often can still be removed.
    ///
    /// - Returns: whether there was room.
    @discardableResult
    mutating func insertIfRoom(_ index: Int, in layer: Layer, of room: AuthorityRoom) -> Bool {
        let operation = room.operations[index]
        let like = about[operation.subject].count {
            layers[$0] == layer && room.operations[$0].isLeave == operation.isLeave
                && room.operations[$0].isRemoval == operation.isRemoval
        }
        guard like < (operation.isLeave ? Limits.leavesInForce : Limits.operationsInForce) else {
            return false
        }
        insert(index, in: layer, of: room)
        return true
    }

    mutating func insert(_ operation: Int, in layer: Layer, of room: AuthorityRoom) {
        let subject = room.operations[operation].subject
        guard layers[operation] == .none, about[subject].count < OperationMask.capacity else {
            return
        }
        let place = about[subject].count
        layers[operation] = layer
        places[operation] = place
        about[subject].append(operation)
        var names = OperationMask()
        var all = OperationMask()
        for other in room.operations[operation].after where canSee(operation, other, in: room) {
            names.insert(places[other])
            if layers[other] == layer { all.formUnion(seen[subject][places[other]]) }
        }
        all.formUnion(names)
        named[subject].append(names)
        seen[subject].append(all)
        var isNamed = false
        for other in room.namers[operation] where canSee(other, operation, in: room) {
            named[subject][places[other]].insert(place)
            isNamed = true
        }
        if isNamed { spread(through: subject) }
    }

    /// Takes back the operation that was the last to come into force about its subject.
    mutating func removeLast(_ operation: Int, of room: AuthorityRoom) {
        let subject = room.operations[operation].subject
        guard about[subject].last == operation else { return }
        let place = about[subject].count - 1
        layers[operation] = .none
        about[subject].removeLast()
        named[subject].removeLast()
        seen[subject].removeLast()
        for other in named[subject].indices { named[subject][other].remove(place) }
        spread(through: subject)
    }

    mutating func silence(_ operation: Int) { silent.insert(operation) }

    /// An editor's operation has seen editors' and leaves, never what an owner did; an owner's
    /// those of owners alone.
    private func canSee(_ operation: Int, _ other: Int, in room: AuthorityRoom) -> Bool {
        guard layers[operation] != .none, layers[other] != .none else { return false }
        return layers[other] == layers[operation]
            || layers[operation] == .editors && room.operations[other].isLeave
    }

    /// Brings up to date what each operation about a device has seen through others.
    private mutating func spread(through subject: Int) {
        seen[subject] = named[subject]
        var isChanging = true
        while isChanging {
            isChanging = false
            for (place, operation) in about[subject].enumerated() {
                var all = seen[subject][place]
                for other in named[subject][place].places
                where layers[about[subject][other]] == layers[operation] {
                    all.formUnion(seen[subject][other])
                }
                guard all != seen[subject][place] else { continue }
                seen[subject][place] = all
                isChanging = true
            }
        }
    }
}
