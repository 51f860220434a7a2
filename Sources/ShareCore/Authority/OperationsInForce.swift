/// The operations in force, in order of coming into force, and what they say of a device at a
/// place of one of its logs (docs/protocol/authority.md §2).
struct OperationsInForce: Sendable {
    /// Where an operation is weighed: what owners say is decided first, without a look at what
    /// editors say.
    enum Layer: UInt8, Sendable {
        case owners, editors
    }

    enum Result {
        case none
        /// With the scopes that all hold.
        case role(Role, [Scope])
        /// By the operation at that place.
        case removed(Int)
        case left(Int)

        /// An acceptance only ever raises; this is the order it raises in.
        fileprivate var height: Int {
            switch self {
            case .removed: -2
            case .left: -1
            case .none: 0
            // A contributor without a scope may enter more than a collector with one.
            case .role(let role, let scopes):
                switch role {
                case .viewer: 1
                case .reviewer: 2
                case .contributor: scopes.isEmpty ? 5 : 3
                case .collector: scopes.isEmpty ? 6 : 4
                case .editor: 7
                case .owner: 8
                }
            }
        }

        /// Whether it is greater than another one and allows all that this does: a collector may not
        /// review, and one within a scope may not enter what is within another.
        fileprivate func exceeds(_ other: Result) -> Bool {
            guard height > other.height else { return false }
            guard case .role(let role, let scopes) = self,
                case .role(let otherRole, let otherScopes) = other
            else { return true }
            guard role < .editor else { return true }
            return otherRole == .viewer
                || otherRole != .reviewer && scopes.allSatisfy(otherScopes.contains)
        }

        var role: Role? { if case .role(let role, _) = self { role } else { nil } }
    }

    private struct Entry {
        let operation: Int
        let layer: Layer
        /// Places in the device's list of what it names and of all that it supersedes.
        var named = OperationMask()
        var superseded = OperationMask()
    }

    private var lists: [[Entry]] = []
    /// For each operation in force its place in its list; -1 for the others.
    private var places: [Int] = []

    /// The operations in force about a device, in order of coming into force.
    func about(_ device: Int) -> [Int] {
        device < lists.count ? lists[device].map(\.operation) : []
    }

    func contains(_ operation: Int) -> Bool { place(of: operation) != nil }

    /// Whether the same operations are in force about a device as another time about the device
    /// with that number, in the same order, by what `isSame` says of two of them.
    func isSame(
        about device: Int, as other: OperationsInForce, about number: Int,
        _ isSame: (Int, Int) -> Bool
    ) -> Bool {
        let now = device < lists.count ? lists[device][...] : []
        let then = number < other.lists.count ? other.lists[number][...] : []
        guard now.count == then.count else { return false }
        return zip(now, then).allSatisfy {
            $0.layer == $1.layer && isSame($0.operation, $1.operation)
        }
    }

    /// Nil for what is not in force.
    func layer(of operation: Int, in room: AuthorityRoom) -> Layer? {
        place(of: operation).map { lists[room.operations[operation].subject][$0].layer }
    }

    private func place(of operation: Int) -> Int? {
        operation < places.count && places[operation] >= 0 ? places[operation] : nil
    }

    // MARK: Coming into force

    /// Puts an operation in force where there is room for another of its kind about its subject:
    /// the rest count for nothing, so that nobody can make a device's role costly to tell.
    ///
    /// - Returns: whether there was room.
    mutating func insert(_ operation: Int, in layer: Layer, of room: AuthorityRoom) -> Bool {
        let subject = room.operations[operation].subject
        let isRemoval = room.operations[operation].isRemoval
        let isLeave = room.operations[operation].isLeave
        while lists.count <= subject { lists.append([]) }
        let like = lists[subject].count {
            let other = room.operations[$0.operation]
            return $0.layer == layer && other.isRemoval == isRemoval && other.isLeave == isLeave
        }
        guard like < (isLeave ? Limits.leavesInForce : Limits.operationsInForce) else {
            return false
        }
        while places.count <= operation { places.append(-1) }
        places[operation] = lists[subject].count
        lists[subject].append(Entry(operation: operation, layer: layer))
        link(lists[subject].count - 1, about: subject, in: room)
        return true
    }

    /// Notes what the last entry of a list supersedes, and what supersedes it.
    private mutating func link(_ last: Int, about subject: Int, in room: AuthorityRoom) {
        let operation = lists[subject][last].operation
        for other in room.operations[operation].supersedes {
            guard let place = place(of: other), isAllowed(last, place, about: subject, in: room)
            else { continue }
            lists[subject][last].named.insert(place)
        }
        var isNamed = false
        for namer in room.namers[operation] {
            guard let place = place(of: namer), isAllowed(place, last, about: subject, in: room)
            else { continue }
            lists[subject][place].named.insert(last)
            isNamed = true
        }
        var isChanging = isNamed || !lists[subject][last].named.isEmpty
        while isChanging {
            isChanging = false
            for place in isNamed ? lists[subject].indices : last..<last + 1 {
                var all = lists[subject][place].named
                for other in all.places
                where lists[subject][other].layer == lists[subject][place].layer {
                    all.formUnion(lists[subject][other].superseded)
                }
                guard all != lists[subject][place].superseded else { continue }
                lists[subject][place].superseded = all
                isChanging = isNamed
            }
        }
    }

    /// Whether one may supersede another: an owner's operation those of owners, an editor's those
    /// of editors, and leaves.
    private func isAllowed(
        _ one: Int, _ other: Int, about subject: Int, in room: AuthorityRoom
    ) -> Bool {
        let (entry, superseded) = (lists[subject][one], lists[subject][other])
        return entry.layer == superseded.layer
            || entry.layer == .editors && room.operations[superseded.operation].isLeave
    }

    // MARK: What they say

    /// Whether anything but acceptances is in force about a device.
    func knows(_ subject: Int, in room: AuthorityRoom) -> Bool {
        subject < lists.count
            && lists[subject].contains { room.operations[$0.operation].kind != .accept }
    }

    /// The role by operations of the owners' layer alone.
    ///
    /// - Complexity: O(operations in force about the device), which are bounded.
    func ownersResult(_ subject: Int, at place: AuthorityPosition, in room: AuthorityRoom) -> Result
    {
        guard subject < lists.count else { return .none }
        if let role = only(about: subject, at: place, in: room) { return role }
        let acting = acting(on: subject, at: place, in: room)
        return ownersResult(acting, about: subject, in: room)
    }

    /// Whether another leave of a device may come into force in a layer, beside so many.
    func hasRoomForLeave(
        of device: Int, in layer: Layer, beside others: Int, room: AuthorityRoom
    ) -> Bool {
        guard device < lists.count else { return others < Limits.leavesInForce }
        return others
            + lists[device].count { $0.layer == layer && room.operations[$0.operation].isLeave }
            < Limits.leavesInForce
    }

    /// The role by both layers.
    ///
    /// - Parameter isAccepted: as if an acceptance that nothing supersedes reached the place.
    func result(
        _ subject: Int, at place: AuthorityPosition, in room: AuthorityRoom,
        isAccepted: Bool = false
    ) -> Result {
        guard subject < lists.count else { return .none }
        if let role = only(about: subject, at: place, in: room) { return role }
        let acting = acting(on: subject, at: place, in: room)
        let plain = result(acting, about: subject, in: room)
        let lifted = lifted(from: subject, at: place, in: room, isAccepted: isAccepted)
        guard !lifted.isEmpty else { return plain }
        var greatest = plain
        func take(_ acting: OperationMask) {
            let other = result(acting, about: subject, in: room)
            if other.height > greatest.height, other.exceeds(plain) { greatest = other }
        }
        let others = acting.subtracting(lifted)
        take(others)
        // A role that it was given after it was let in is one that it had.
        func operation(_ index: Int) -> AuthorityOperation {
            room.operations[lists[subject][index].operation]
        }
        let changes = acting.subtracting(others).places.filter { operation($0).kind == .roleChange }
        for index in changes.sorted(by: { operation($0).name < operation($1).name }) {
            var one = others
            one.insert(index)
            take(one)
        }
        return greatest
    }

    /// Whether an acceptance of the place would give more than what is in force does.
    func gains(_ subject: Int, at place: AuthorityPosition, in room: AuthorityRoom) -> Bool {
        result(subject, at: place, in: room, isAccepted: true).height
            > result(subject, at: place, in: room).height
    }

    /// The result where one grant is all that there is, as for nearly all devices.
    private func only(
        about subject: Int, at place: AuthorityPosition, in room: AuthorityRoom
    ) -> Result? {
        guard lists[subject].count == 1 else { return lists[subject].isEmpty ? Result.none : nil }
        let operation = room.operations[lists[subject][0].operation]
        guard operation.kind == .grant || operation.kind == .found, let role = operation.role,
            lists[subject][0].layer == .owners
        else { return nil }
        let scopes = operation.scope.map { [$0] } ?? []
        return place.isActedOn(by: operation, in: room) ? .role(role, scopes) : Result.none
    }

    private func acting(
        on subject: Int, at place: AuthorityPosition, in room: AuthorityRoom
    ) -> OperationMask {
        var acting = OperationMask()
        for (index, entry) in lists[subject].enumerated()
        where place.isActedOn(by: room.operations[entry.operation], in: room) {
            acting.insert(index)
        }
        return acting
    }

    /// The refusals that acceptances lift at a position of a records log which they reach.
    private func lifted(
        from subject: Int, at place: AuthorityPosition, in room: AuthorityRoom, isAccepted: Bool
    ) -> OperationMask {
        var lifted = OperationMask()
        guard case .records = place else { return lifted }
        var acceptances = OperationMask()
        for (index, entry) in lists[subject].enumerated() {
            let operation = room.operations[entry.operation]
            if operation.kind == .accept, place.isCovered(by: operation, in: room) {
                acceptances.insert(index)
            }
        }
        guard isAccepted || !acceptances.isEmpty else { return lifted }
        for (index, entry) in lists[subject].enumerated() {
            let operation = room.operations[entry.operation]
            guard operation.kind == .roleChange || operation.kind == .removal, operation.lowers,
                isAccepted || !acceptances.subtracting(entry.superseded).isEmpty
            else { continue }
            lifted.insert(index)
        }
        return lifted
    }

    private func result(
        _ acting: OperationMask, about subject: Int, in room: AuthorityRoom
    ) -> Result {
        let owners = ownersResult(acting, about: subject, in: room)
        switch owners {
        case .role, .removed: return owners
        case .none, .left: return editorsResult(acting, owners, about: subject, in: room)
        }
    }

    private func ownersResult(
        _ acting: OperationMask, about subject: Int, in room: AuthorityRoom
    ) -> Result {
        let left = remaining(acting, in: .owners, about: subject)
        let removals = left.filter { room.operations[$0].isRemoval }
        if let removal = first(removals.filter { !room.operations[$0].isLeave }, in: room) {
            return .removed(removal)
        }
        if let leave = first(removals, in: room) { return .left(leave) }
        return leastRole(of: left, in: room) ?? .none
    }

    /// The result of editors' grants, where owners' operations leave nothing or only a leave: then
    /// those grants count that have superseded all of these.
    private func editorsResult(
        _ acting: OperationMask, _ owners: Result, about subject: Int, in room: AuthorityRoom
    ) -> Result {
        var leaves = OperationMask()
        if case .left = owners {
            for operation in remaining(acting, in: .owners, about: subject)
            where room.operations[operation].isLeave {
                if let place = place(of: operation) { leaves.insert(place) }
            }
        }
        let left = remaining(acting, in: .editors, about: subject)
        if let leave = first(left.filter { room.operations[$0].isRemoval }, in: room) {
            return .left(leave)
        }
        let grants = left.filter { operation in
            place(of: operation).map {
                leaves.subtracting(lists[subject][$0].superseded).isEmpty
            } ?? false
        }
        return leastRole(of: grants, in: room) ?? owners
    }

    /// The least role that any of them gives, within the scopes of all; nil where none gives any.
    private func leastRole(of operations: [Int], in room: AuthorityRoom) -> Result? {
        operations.compactMap { room.operations[$0].role }.min().map { role in
            .role(role, operations.compactMap { room.operations[$0].scope })
        }
    }

    /// Those of a layer that act and that no other of them supersedes.
    private func remaining(_ acting: OperationMask, in layer: Layer, about subject: Int) -> [Int] {
        let list = lists[subject]
        var superseded = OperationMask()
        let places = acting.places.filter { list[$0].layer == layer }
        for place in places { superseded.formUnion(list[place].superseded) }
        return places.filter { !superseded.contains($0) }.map { list[$0].operation }
    }

    private func first(_ operations: [Int], in room: AuthorityRoom) -> Int? {
        operations.min { room.operations[$0].name < room.operations[$1].name }
    }
}
