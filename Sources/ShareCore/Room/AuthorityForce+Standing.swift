extension AuthorityForce {
    /// What the owners' layer, or both, say of a device at a place.
    enum Result {
        case unknown
        case nothing
        case role(Role)
        case removed(Int)

        /// An acceptance only ever raises; this is the order it raises in.
        fileprivate var height: Int {
            switch self {
            case .removed: -1
            case .unknown, .nothing: 0
            case .role(let role): Int(role.rawValue)
            }
        }

        var role: Role? { if case .role(let role) = self { role } else { nil } }
    }

    /// What acts at a place, by layer.
    private struct Acting {
        var owners = OperationMask()
        var editors = OperationMask()
        /// What the acceptances that reach the place lift.
        var lifted = OperationMask()
    }

    /// The role by operations of the owners' layer alone.
    ///
    /// - Complexity: O(operations in force about the device), which are bounded.
    func ownersResult(_ subject: Int, at place: AuthorityPlace, in room: AuthorityRoom) -> Result {
        raised(acting(on: subject, at: place, in: room)) { acting in
            let layer = ownersLayer(acting.owners, about: subject, in: room)
            return layer.leaves.first.map(Result.removed) ?? layer.result
        }
    }

    /// Whether an acceptance of the place would give more than what is in force does.
    func gains(_ subject: Int, at place: AuthorityPlace, in room: AuthorityRoom) -> Bool {
        result(subject, at: place, in: room, isAccepted: true).height
            > result(subject, at: place, in: room).height
    }

    /// The role by both layers.
    ///
    /// - Parameter isAccepted: as if an acceptance reached the place that nothing has seen.
    func result(
        _ subject: Int, at place: AuthorityPlace, in room: AuthorityRoom, isAccepted: Bool = false
    ) -> Result {
        let acting = acting(on: subject, at: place, in: room, isAccepted: isAccepted)
        let result = raised(acting) { acting in
            let layer = ownersLayer(acting.owners, about: subject, in: room)
            switch layer.result {
            case .role, .removed: return layer.result
            case .unknown, .nothing: break
            }
            return editorsLayer(acting.editors, leaves: layer.leaves, about: subject, in: room)
        }
        if case .nothing = result, !knows(subject, in: room) { return .unknown }
        return result
    }

    /// Whether anything but acceptances is in force about a device.
    func knows(_ subject: Int, in room: AuthorityRoom) -> Bool {
        about(subject).contains { room.operations[$0].kind != .accept }
    }

    /// The greater of the results with and without what acceptances lift.
    private func raised(_ acting: Acting, _ result: (Acting) -> Result) -> Result {
        let plain = result(acting)
        guard !acting.lifted.isEmpty else { return plain }
        var rest = acting
        rest.owners = acting.owners.subtracting(acting.lifted)
        rest.editors = acting.editors.subtracting(acting.lifted)
        let other = result(rest)
        return other.height > plain.height ? other : plain
    }

    private func acting(
        on subject: Int, at place: AuthorityPlace, in room: AuthorityRoom, isAccepted: Bool = false
    ) -> Acting {
        var acting = Acting()
        var acceptances = OperationMask()
        for (index, operation) in about(subject).enumerated() {
            if room.operations[operation].kind == .accept {
                if place.isCovered(by: room.operations[operation], in: room) {
                    acceptances.insert(index)
                }
            } else if place.isActedOn(by: room.operations[operation], in: room) {
                if layer(of: operation) == .owners {
                    acting.owners.insert(index)
                } else {
                    acting.editors.insert(index)
                }
            }
        }
        guard isAccepted || !acceptances.isEmpty else { return acting }
        for (index, operation) in about(subject).enumerated()
        where room.operations[operation].canBeLifted
            && (isAccepted
                || !acceptances.subtracting(named(by: index, about: subject)).isEmpty)
        {
            acting.lifted.insert(index)
        }
        return acting
    }

    /// What owners' operations leave, and the leaves where nothing else removes the device.
    private func ownersLayer(
        _ acting: OperationMask, about subject: Int, in room: AuthorityRoom
    ) -> (result: Result, leaves: [Int]) {
        let left = operations(in: acting.subtracting(dropped(by: acting, about: subject)), subject)
        let removals = left.filter { room.operations[$0].kind == .removal }
            .sorted { room.operations[$0].name < room.operations[$1].name }
        if let removal = removals.first(where: { !room.operations[$0].isLeave }) {
            return (.removed(removal), [])
        }
        guard removals.isEmpty else { return (.nothing, removals) }
        let role = left.compactMap { room.operations[$0].role }.min()
        return (role.map(Result.role) ?? .nothing, [])
    }

    /// What editors' grants come to where owners' operations leave nothing, or only leaves.
    private func editorsLayer(
        _ acting: OperationMask, leaves: [Int], about subject: Int, in room: AuthorityRoom
    ) -> Result {
        let dropped = dropped(by: acting, about: subject)
        let droppedOperations = operations(in: dropped, subject)
        if let leave = leaves.first(where: { !droppedOperations.contains($0) }) {
            return .removed(leave)
        }
        let left = operations(in: acting.subtracting(dropped), subject)
        let removals = left.filter { room.operations[$0].kind == .removal }
        if let leave = removals.min(by: { room.operations[$0].name < room.operations[$1].name }) {
            return .removed(leave)
        }
        return left.compactMap { room.operations[$0].role }.min().map(Result.role) ?? .nothing
    }

    private func dropped(by acting: OperationMask, about subject: Int) -> OperationMask {
        var dropped = OperationMask()
        for place in acting.places where !silent.contains(about(subject)[place]) {
            dropped.formUnion(seen(by: place, about: subject))
        }
        return dropped
    }

    private func operations(in mask: OperationMask, _ subject: Int) -> [Int] {
        mask.places.map { about(subject)[$0] }
    }
}
