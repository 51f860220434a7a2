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
    /// What was in force before logs with too many heads were left out, where any was.
    private var before: AuthorityForce?

    /// Computes all for a room.
    static func run(_ room: inout AuthorityRoom) -> AuthorityEngine {
        let engine = withOwner(&room, ignored: [])
        let ignored = engine.unnamed(in: room)
        guard !ignored.isEmpty else { return engine }
        var other = withOwner(&room, ignored: ignored)
        other.walks += engine.walks
        other.before = engine.force
        return other
    }

    /// Where no owner is left, the best-ranked one that lowered itself stays.
    private static func withOwner(
        _ room: inout AuthorityRoom, ignored: Set<BatchID>
    ) -> AuthorityEngine {
        var engine = AuthorityEngine(&room, ignored: ignored, staying: nil)
        guard room.founding != nil, !engine.hasOwner(in: room) else { return engine }
        let operations = room.operations
        let lowered = engine.walk.ranking.filter { device in
            engine.force.about(device).contains {
                operations[$0].isAboutItsAuthor && operations[$0].lowers
            }
        }
        for device in lowered.prefix(Limits.lastOwners) {
            var other = AuthorityEngine(&room, ignored: ignored, staying: device)
            if other.hasOwner(in: room) {
                other.walks += engine.walks
                return other
            }
            engine.walks += other.walks
        }
        return engine
    }

    private init(_ room: inout AuthorityRoom, ignored: Set<BatchID>, staying: Int?) {
        walk = AuthorityWalk(room: room, ignored: ignored, staying: staying)
        room = walk.room
        walks = [walk]
        force = AuthorityOwners(walk).force
        addLeavesOfOthers(in: &room)
        addEditors(in: &room)
    }

    private func hasOwner(in room: AuthorityRoom) -> Bool {
        walk.ranking.contains { force.ownersResult($0, at: .end, in: room).role == .owner }
    }

    /// What of a device's log is requested and passed on: nil for all of it; else nothing but
    /// these heads and their ancestors, as it is removed (docs/protocol/authority.md §7).
    func cut(of device: Int, _ kind: LogKind, in room: AuthorityRoom) -> Set<LogHead>? {
        guard isRemovedByAnother(device, force.result(device, at: .end, in: room), in: room)
        else { return nil }
        guard kind == .control else { return namedHeads(of: device, kind, in: room) }
        var named = Set(force.about(device))
        var written = [force]
        if let before {
            guard isRemovedByAnother(device, before.result(device, at: .end, in: room), in: room)
            else { return nil }
            named.formUnion(before.about(device))
            written.append(before)
        }
        for walk in walks where walk.ranks[device] != nil {
            // Where a walk goes on with its log, what it writes decides about others.
            let result = walk.force.ownersResult(device, at: .end, in: room)
            guard isRemovedByAnother(device, result, in: room) else { return nil }
            named.formUnion(walk.force.about(device))
            named.formUnion(walk.setAside.filter { room.operations[$0].subject == device })
            written.append(walk.force)
        }
        var heads = Set(named.flatMap { room.operations[$0].heads.control })
        // A batch with anything in force is needed by all, wherever the line is drawn.
        for held in room.logs[device]
        where room.operations(takenOf: held).contains(where: { index in
            written.contains { $0.contains(index) }
        }) {
            heads.insert(held.batch.head)
        }
        return heads
    }

    /// The heads that operations in force about a device name for one of its logs.
    func namedHeads(of device: Int, _ kind: LogKind, in room: AuthorityRoom) -> Set<LogHead> {
        Set(force.about(device).flatMap { room.operations[$0].heads.heads(in: kind) })
    }

    private func isRemovedByAnother(
        _ device: Int, _ result: AuthorityForce.Result, in room: AuthorityRoom
    ) -> Bool {
        guard case .removed(let removal) = result else { return false }
        // Of leaves two branches may each hold one; everybody needs both.
        return !room.operations[removal].isLeave
    }

    /// The batches of logs with too many heads that no owner has named. Of a log that is cut
    /// owners have said what counts, and others may hold fewer heads of it.
    private func unnamed(in room: AuthorityRoom) -> Set<BatchID> {
        var unnamed: Set<BatchID> = []
        for (device, graph) in room.graphs.enumerated()
        where graph.hasTooManyHeads && cut(of: device, .control, in: room) == nil {
            let named = force.about(device).flatMap { room.operations[$0].controlHeads }
            for held in room.logs[device]
            where !named.contains(where: { graph.isUpTo(held.place, $0) }) {
                unnamed.insert(held.batch.head.batch)
            }
        }
        return unnamed
    }

    /// Leaves of devices that have their role from owners: of those that never were owners, and of
    /// those that were let in again after the walk had gone through their logs.
    private mutating func addLeavesOfOthers(in room: inout AuthorityRoom) {
        for device in room.devices.indices where device != walk.staying {
            addLeaves(of: device, in: .owners, &room) { force, place, room in
                force.ownersResult(device, at: place, in: room).role
            }
        }
    }

    /// Editors' grants, then the leaves of those who have their role from them.
    private mutating func addEditors(in room: inout AuthorityRoom) {
        for device in room.devices.indices.sorted(by: { room.devices[$0] < room.devices[$1] }) {
            for held in walk.log(of: device) where held.batch.has(.grant) {
                let place = AuthorityPlace.control(held.place)
                guard force.ownersResult(device, at: place, in: room).role == .editor else {
                    continue
                }
                for index in room.take(.editorsGrants, of: held) {
                    force.insertIfRoom(index, in: .editors, of: room)
                }
            }
        }
        for device in room.devices.indices where device != walk.staying {
            addLeaves(of: device, in: .editors, &room) { force, place, room in
                force.result(device, at: place, in: room).role
            }
        }
    }

    /// A device's leaves, where it has a role, until no more can come into force. In the owners'
    /// layer those of one that was an owner must take nothing back.
    private mutating func addLeaves(
        of device: Int, in layer: AuthorityForce.Layer, _ room: inout AuthorityRoom,
        role: (AuthorityForce, AuthorityPlace, AuthorityRoom) -> Role?
    ) {
        let batches = walk.log(of: device).filter(\.batch.hasLeave)
        guard !batches.isEmpty else { return }
        let mustTakeNothingBack = layer == .owners && walk.ranks[device] != nil
        var counting = mustTakeNothingBack ? placesThatCount(of: device, in: room) : []
        for held in batches {
            let place = AuthorityPlace.control(held.place)
            guard role(force, place, room) != nil else { continue }
            let leaves = room.take(mustTakeNothingBack ? .leaves : .firstLeaves, of: held)
            for index in leaves where !force.contains(index) {
                guard force.hasRoomForLeave(of: device, in: layer, of: room) else { return }
                guard role(force, place, room) != nil else { break }
                if mustTakeNothingBack {
                    let leave = room.operations[index]
                    guard !walk.hasSetAside(index),
                        !counting.contains(where: { $0.isActedOn(by: leave, in: room) })
                    else { continue }
                }
                force.insert(index, in: layer, of: room)
                if force.contains(index) { counting.append(place) }
            }
        }
    }

    /// The batches of a device that hold an operation in force.
    private func placesThatCount(of device: Int, in room: AuthorityRoom) -> [AuthorityPlace] {
        walk.log(of: device).filter { held in
            room.operations(takenOf: held).contains { force.contains($0) }
        }
        .map { .control($0.place) }
    }
}
