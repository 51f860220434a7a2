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

    /// The role by operations of the owners' layer alone.
    func ownersResult(_ subject: Int, at place: AuthorityPlace, in room: AuthorityRoom) -> Result {
        raised(subject, at: place, in: room) { lifted in
            let layer = ownersLayer(subject, at: place, lifted: lifted, in: room)
            return layer.leaves.first.map(Result.removed) ?? layer.result
        }
    }

    /// The role by both layers.
    func result(_ subject: Int, at place: AuthorityPlace, in room: AuthorityRoom) -> Result {
        let result = raised(subject, at: place, in: room) { lifted in
            let layer = ownersLayer(subject, at: place, lifted: lifted, in: room)
            switch layer.result {
            case .role, .removed: return layer.result
            case .unknown, .nothing: break
            }
            return editorsLayer(
                subject, leaves: layer.leaves, at: place, lifted: lifted, in: room)
        }
        if case .nothing = result,
            !about[subject].contains(where: { room.operations[$0].kind != .accept })
        {
            return .unknown
        }
        return result
    }

    /// The greater of the results with and without the acceptances that reach the place.
    private func raised(
        _ subject: Int, at place: AuthorityPlace, in room: AuthorityRoom,
        _ result: (_ lifted: Set<Int>) -> Result
    ) -> Result {
        let plain = result([])
        let acceptances = about[subject].filter {
            room.operations[$0].kind == .accept
                && room.operations[$0].heads.heads(in: place.kind).contains(where: place.isCovered)
        }
        guard !acceptances.isEmpty else { return plain }
        let lifted = about[subject].filter { operation in
            let seen = reached(from: [operation], through: layers[operation], in: room)
            switch room.operations[operation].kind {
            case .removal, .roleChange: return !acceptances.allSatisfy(seen.contains)
            case .found, .grant, .accept: return false
            }
        }
        let other = result(Set(lifted))
        return other.height > plain.height ? other : plain
    }

    /// What owners' operations leave, and the leaves where nothing else removes the device.
    private func ownersLayer(
        _ subject: Int, at place: AuthorityPlace, lifted: Set<Int>, in room: AuthorityRoom
    ) -> (result: Result, leaves: [Int]) {
        let acting = acting(.owners, on: subject, at: place, lifted: lifted, in: room)
        let dropped = acting.count > 1 ? reached(from: acting, through: .owners, in: room) : []
        let left = acting.filter { !dropped.contains($0) }
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
        _ subject: Int, leaves: [Int], at place: AuthorityPlace, lifted: Set<Int>,
        in room: AuthorityRoom
    ) -> Result {
        let acting = acting(.editors, on: subject, at: place, lifted: lifted, in: room)
        let dropped = reached(from: acting, through: .editors, in: room)
        if let leave = leaves.first(where: { !dropped.contains($0) }) { return .removed(leave) }
        let left = acting.filter { !dropped.contains($0) }
        let removals = left.filter { room.operations[$0].kind == .removal }
        if let leave = removals.min(by: { room.operations[$0].name < room.operations[$1].name }) {
            return .removed(leave)
        }
        return left.compactMap { room.operations[$0].role }.min().map(Result.role) ?? .nothing
    }

    private func acting(
        _ layer: Layer, on subject: Int, at place: AuthorityPlace, lifted: Set<Int>,
        in room: AuthorityRoom
    ) -> [Int] {
        about[subject].filter { index in
            guard layers[index] == layer, !lifted.contains(index) else { return false }
            let operation = room.operations[index]
            // What a device says of itself holds after the batch in which it says it.
            if operation.isAboutItsAuthor, operation.kind != .found, place.isUpTo(operation.batch) {
                return false
            }
            switch operation.kind {
            case .found: return true
            case .grant:
                let first =
                    place.kind == .control ? operation.firstControl : operation.firstRecords
                return place.number >= first
            case .roleChange, .removal:
                return !operation.heads.heads(in: place.kind).contains(where: place.isCovered)
            case .accept: return false
            }
        }
    }

    /// What operations name in `after`, directly or through others in force. In the editors'
    /// layer that reaches editors' operations and leaves, never what an owner did.
    private func reached(
        from start: [Int], through layer: Layer, in room: AuthorityRoom
    ) -> Set<Int> {
        var reached: Set<Int> = []
        var pending = start
        while let operation = pending.popLast() {
            for next in room.operations[operation].after where contains(next) {
                let allowed =
                    layers[next] == layer || layer == .editors && room.operations[next].isLeave
                guard allowed, reached.insert(next).inserted else { continue }
                if layers[next] == layer { pending.append(next) }
            }
        }
        return reached
    }
}
