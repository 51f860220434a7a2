/// The operations in force, and what they say of a device at a place of one of its logs
/// (docs/protocol/authority.md §3).
struct AuthorityForce: Sendable {
    /// Where an operation is weighed: owners' operations, and leaves of those who have their
    /// role from owners, are decided first and without a look at the rest.
    enum Layer: UInt8, Sendable {
        case none, editors, owners
    }

    /// Operations about a device, in order of coming into force.
    private var lists: [[Int]] = []
    private var layers: [Layer] = []
    /// Operations that stand although their author is not owner: they drop nothing.
    private(set) var silent: Set<Int> = []
    /// For each operation in force its place in its list.
    private var places: [Int] = []
    /// For each of a list what it names in `after`, and what it has seen, through others too.
    private var named: [[OperationMask]] = []
    private var seen: [[OperationMask]] = []
    /// By device how often what is in force about it has changed.
    private var changes: [Int] = []

    /// The operations in force about a device, in order of coming into force.
    func about(_ device: Int) -> [Int] { device < lists.count ? lists[device] : [] }

    /// How often what is in force about a device has changed: what the operations say of it at a
    /// place is the same as long as this is.
    func changes(about device: Int) -> Int { device < changes.count ? changes[device] : 0 }

    /// All operations in force.
    var operations: some Sequence<Int> { lists.joined() }

    /// The layer that an operation is in force in.
    func layer(of operation: Int) -> Layer {
        operation < layers.count ? layers[operation] : .none
    }

    func contains(_ operation: Int) -> Bool { layer(of: operation) != .none }

    /// What the operation at a place of a device's list has seen.
    func seen(by place: Int, about subject: Int) -> OperationMask { seen[subject][place] }

    /// What it names itself, of what counts.
    func named(by place: Int, about subject: Int) -> OperationMask { named[subject][place] }

    /// Puts an operation in force where there is room for another of its kind about its subject:
    /// the rest count for nothing, so that nobody can make a device's standing costly to tell.
    /// Removals have room of their own: whose role was changed too often can still be removed.
    ///
    /// - Returns: whether there was room.
    @discardableResult
    mutating func insertIfRoom(_ index: Int, in layer: Layer, of room: AuthorityRoom) -> Bool {
        let operation = room.operations[index]
        let like = about(operation.subject).count {
            layers[$0] == layer && room.operations[$0].isLeave == operation.isLeave
                && room.operations[$0].isRemoval == operation.isRemoval
        }
        guard like < (operation.isLeave ? Limits.leavesInForce : Limits.operationsInForce) else {
            return false
        }
        insert(index, in: layer, of: room)
        return true
    }

    /// Whether another leave of a device may come into force in a layer.
    func hasRoomForLeave(of device: Int, in layer: Layer, of room: AuthorityRoom) -> Bool {
        about(device).count { layers[$0] == layer && room.operations[$0].isLeave }
            < Limits.leavesInForce
    }

    mutating func insert(_ operation: Int, in layer: Layer, of room: AuthorityRoom) {
        let subject = room.operations[operation].subject
        grow(to: room)
        guard layers[operation] == .none, lists[subject].count < OperationMask.capacity else {
            return
        }
        let place = lists[subject].count
        layers[operation] = layer
        places[operation] = place
        lists[subject].append(operation)
        changes[subject] += 1
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
        guard about(subject).last == operation else { return }
        let place = lists[subject].count - 1
        layers[operation] = .none
        lists[subject].removeLast()
        changes[subject] += 1
        named[subject].removeLast()
        seen[subject].removeLast()
        for other in named[subject].indices { named[subject][other].remove(place) }
        spread(through: subject)
    }

    /// A room takes operations in, and learns of devices, as they are asked for.
    private mutating func grow(to room: AuthorityRoom) {
        while layers.count < room.operations.count {
            layers.append(.none)
            places.append(0)
        }
        while lists.count < room.devices.count {
            lists.append([])
            changes.append(0)
            named.append([])
            seen.append([])
        }
    }

    /// Keeps an operation in force about a device from dropping others.
    mutating func silence(_ operation: Int, about device: Int) {
        silent.insert(operation)
        changes[device] += 1
    }

    /// An editor's operation has seen editors' and leaves, never what an owner did; an owner's
    /// those of owners alone.
    private func canSee(_ operation: Int, _ other: Int, in room: AuthorityRoom) -> Bool {
        guard contains(operation), contains(other) else { return false }
        return layers[other] == layers[operation]
            || layers[operation] == .editors && room.operations[other].isLeave
    }

    /// Brings up to date what each operation about a device has seen through others.
    private mutating func spread(through subject: Int) {
        seen[subject] = named[subject]
        var isChanging = true
        while isChanging {
            isChanging = false
            for (place, operation) in lists[subject].enumerated() {
                var all = seen[subject][place]
                for other in named[subject][place].places
                where layers[lists[subject][other]] == layers[operation] {
                    all.formUnion(seen[subject][other])
                }
                guard all != seen[subject][place] else { continue }
                seen[subject][place] = all
                isChanging = true
            }
        }
    }
}
