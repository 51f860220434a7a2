/// Finds the operations in force: the walk, what it set aside, and the rest of the room
/// (docs/protocol/authority.md §4 and §5).
struct AuthorityEngine: Sendable {
    /// All operations in force.
    private(set) var force: AuthorityForce
    /// The walk that they come from.
    let walk: AuthorityWalk
    /// All walks that were made on the way: what one of them put in force or set aside, others
    /// need too (§7).
    private(set) var walks: [AuthorityWalk]

    /// Computes all for a room.
    static func run(_ room: AuthorityRoom) -> AuthorityEngine {
        let engine = withOwner(room, ignored: [])
        let ignored = engine.unnamed(in: room)
        guard !ignored.isEmpty else { return engine }
        var other = withOwner(room, ignored: ignored)
        other.walks += engine.walks
        return other
    }

    /// Where no owner is left, the best-ranked one that lowered itself stays.
    private static func withOwner(
        _ room: AuthorityRoom, ignored: Set<BatchID>
    ) -> AuthorityEngine {
        var engine = AuthorityEngine(room, ignored: ignored, staying: nil)
        guard room.founding != nil, !engine.hasOwner(in: room) else { return engine }
        let lowered = engine.walk.ranking.filter { device in
            engine.force.about[device].contains {
                room.operations[$0].isAboutItsAuthor && room.operations[$0].lowers
            }
        }
        for device in lowered.prefix(Limits.lastOwners) {
            var other = AuthorityEngine(room, ignored: ignored, staying: device)
            if other.hasOwner(in: room) {
                other.walks += engine.walks
                return other
            }
            engine.walks += other.walks
        }
        return engine
    }

    private init(_ room: AuthorityRoom, ignored: Set<BatchID>, staying: Int?) {
        walk = AuthorityWalk(room: room, ignored: ignored, staying: staying)
        walks = [walk]
        force = AuthorityOwners(walk).force
        addLeavesOfOthers(in: room)
        addEditors(in: room)
    }

    private func hasOwner(in room: AuthorityRoom) -> Bool {
        walk.ranking.contains { force.ownersResult($0, at: .end, in: room).role == .owner }
    }

    private func unnamed(in room: AuthorityRoom) -> Set<BatchID> {
        var unnamed: Set<BatchID> = []
        for (device, graph) in room.graphs.enumerated() where graph.hasTooManyHeads {
            let named = force.about[device].flatMap { room.operations[$0].controlHeads }
            for held in room.logs[device]
            where !named.contains(where: { graph.isUpTo(held.place, $0) }) {
                unnamed.insert(held.batch.head.batch)
            }
        }
        return unnamed
    }

    /// Leaves of devices that have their role from owners: of those that never were owners, and of
    /// those that were let in again after the walk had gone through their logs.
    private mutating func addLeavesOfOthers(in room: AuthorityRoom) {
        for device in room.devices.indices where device != walk.staying {
            for held in walk.log(of: device) {
                for index in held.operations
                where room.operations[index].isLeave && !force.contains(index)
                    && !walk.hasSetAside(index)
                {
                    let place = AuthorityPlace.control(held.place)
                    guard force.ownersResult(device, at: place, in: room).role != nil,
                        walk.ranks[device] == nil || takesNothingBack(index, of: device, in: room)
                    else { continue }
                    force.insertIfRoom(index, in: .owners, of: room)
                }
            }
        }
    }

    /// Whether a leave does not act where its author wrote something that is in force.
    private func takesNothingBack(_ leave: Int, of device: Int, in room: AuthorityRoom) -> Bool {
        walk.log(of: device).allSatisfy { held in
            !AuthorityPlace.control(held.place).isActedOn(by: room.operations[leave], in: room)
                || !held.operations.contains { force.contains($0) }
        }
    }

    /// Editors' grants, then the leaves of those who have their role from them.
    private mutating func addEditors(in room: AuthorityRoom) {
        for device in room.devices.indices.sorted(by: { room.devices[$0] < room.devices[$1] }) {
            for held in walk.log(of: device) where !held.operations.isEmpty {
                let place = AuthorityPlace.control(held.place)
                guard force.ownersResult(device, at: place, in: room).role == .editor else {
                    continue
                }
                for index in held.operations {
                    let operation = room.operations[index]
                    if operation.kind == .grant, operation.role.map({ $0 <= .collector }) == true {
                        force.insertIfRoom(index, in: .editors, of: room)
                    }
                }
            }
        }
        for device in room.devices.indices where device != walk.staying {
            for held in walk.log(of: device) {
                for index in held.operations
                where room.operations[index].isLeave && !force.contains(index) {
                    let place = AuthorityPlace.control(held.place)
                    guard force.result(device, at: place, in: room).role != nil else { continue }
                    force.insertIfRoom(index, in: .editors, of: room)
                }
            }
        }
    }
}
