package import ShareCrypto

/// The rights of all devices in a room: a pure function of the set of control batches held
/// (docs/protocol/authority.md). Neither their order nor duplicates among them change it, nor which
/// of their operations are at hand, once all batches have been opened that it wants.
package struct Authority: Sendable {
    private(set) var room: AuthorityRoom
    let force: OperationsInForce
    /// Why operations that their authors' roles allow did not come into force.
    let refusals: [Int: Refusal]
    /// Devices that are or were owners, best first.
    private let ranking: [Int]
    /// The batches that have to be opened before it can be told what counts; see `opening(_:)`.
    package let wanted: Set<BatchID>

    package let roomID: RoomID
    /// Devices with a role, owners by rank first, the others by key.
    package let members: [Member]
    /// Devices without a role that had one, by key.
    package let formerMembers: [FormerMember]

    /// - Complexity: near O(n) for n batches and the operations in those whose authors may write
    ///   any there.
    package init(room id: RoomID, batches: some Sequence<ControlBatch>) {
        var room = AuthorityRoom(room: id)
        room.insert(batches)
        self.init(id, room)
    }

    private init(_ id: RoomID, _ room: AuthorityRoom) {
        let walk = AuthorityWalk(room)
        self.room = walk.room
        force = walk.force
        refusals = walk.refusals
        ranking = walk.ranking
        wanted = walk.wanted
        roomID = id
        var owners: [Member] = []
        var members: [Member] = []
        var former: [FormerMember] = []
        for index in walk.room.devices.indices where index != walk.room.recovery {
            let device = walk.room.devices[index]
            switch walk.force.result(index, at: .end, in: walk.room) {
            case .role(.owner, _): owners.append(Member(device: device, role: .owner))
            case .role(let role, let scopes):
                members.append(Member(device: device, role: role, scopes: scopes))
            case .removed(let removal), .left(let removal):
                let operation = walk.room.operations[removal]
                former.append(
                    FormerMember(
                        device: device, removal: operation.name,
                        by: walk.room.devices[operation.author], reason: operation.reason))
            case .none: break
            }
        }
        if owners.count > 1 {
            let ranks = Dictionary(
                uniqueKeysWithValues: walk.ranking.enumerated().map { (walk.room.devices[$1], $0) })
            owners.sort { ranks[$0.device] ?? .max < ranks[$1.device] ?? .max }
        }
        self.members = owners + members.sorted { $0.device < $1.device }
        formerMembers = former.sorted { $0.device < $1.device }
    }

    /// The same with more batches.
    ///
    /// - Complexity: that of one walk; what is held is not sorted again.
    package func adding(_ batches: some Sequence<ControlBatch>) -> Authority {
        var room = room
        room.insert(batches)
        return Authority(roomID, room)
    }

    /// The same with batches opened that were closed.
    ///
    /// - Complexity: that of one walk.
    package func opening(_ batches: some Sequence<ControlBatch>) -> Authority {
        var room = room
        room.replace(batches)
        return Authority(roomID, room)
    }

    /// The same with more or less of what the operations of batches say. It keeps what it has looked
    /// into.
    package func holding(_ batches: some Sequence<ControlBatch>) -> Authority {
        var copy = self
        copy.room.replace(batches)
        return copy
    }

    /// The device that founded the room; nil while the founding batch is not held.
    package var founder: DeviceKey? {
        room.founding.map { room.devices[room.operations[$0].subject] }
    }

    /// The room's recovery key; nil while the founding batch is not held.
    package var recoveryKey: DeviceKey? { room.recovery.map { room.devices[$0] } }

    /// The bytes with which the room's recovery key is derived; nil while the founding batch is not
    /// held.
    package var nonce: [UInt8]? {
        guard let founding = room.founding.map({ room.operations[$0] }),
            case .found(let found)? = room.held(
                founding.batch.batch, by: room.devices[founding.subject])?.batch.entry(at: 0)?
                .operation
        else { return nil }
        return found.nonce
    }

    /// Owners, best rank first.
    package var owners: [DeviceKey] { members.filter { $0.role == .owner }.map(\.device) }

    /// The place among all that are or were owners, from 1 for the founder; nil for a device that
    /// never was. Nobody lowers who has a lesser one.
    package func rank(of device: DeviceKey) -> Int? {
        room.indexes[device].flatMap { ranking.firstIndex(of: $0) }
    }

    /// The role of what a device writes next; nil for a device that is no member, and for the
    /// recovery key, which is none.
    package func currentRole(of device: DeviceKey) -> Role? {
        guard let index = room.indexes[device], index != room.recovery else { return nil }
        return force.result(index, at: .end, in: room).role
    }

    /// The scopes in which a device writes next; none where it is bound by none, or no member.
    package func currentScopes(of device: DeviceKey) -> [Scope] {
        guard let index = room.indexes[device],
            case .role(_, let scopes) = force.result(index, at: .end, in: room)
        else { return [] }
        return scopes
    }

    /// How a device came to be no member any more; nil where it is one, or never was.
    ///
    /// - Complexity: O(n) for n former members.
    package func formerMember(_ device: DeviceKey) -> FormerMember? {
        formerMembers.first { $0.device == device }
    }

    /// Whether anything but an acceptance is in force about a device, or it is the recovery key:
    /// what it writes need not wait.
    package func knows(_ device: DeviceKey) -> Bool {
        room.indexes[device].map { $0 == room.recovery || force.knows($0, in: room) } ?? false
    }

    /// Whether a device is or was one whose control operations can count beside leaves: an operation
    /// in force makes it editor or owner, or made it one before others superseded it, or it is the
    /// recovery key.
    package func isOrWasEditor(_ device: DeviceKey) -> Bool {
        guard let index = room.indexes[device] else { return false }
        return index == room.recovery
            || force.about(index).contains { (room.operations[$0].role ?? .viewer) >= .editor }
    }

    /// All devices that `knows` holds for.
    ///
    /// - Complexity: O(devices · operations about one).
    package var known: Set<DeviceKey> {
        Set(
            room.devices.indices.filter { $0 == room.recovery || force.knows($0, in: room) }
                .map { room.devices[$0] })
    }

    /// Operations about devices that were looked at, of all that there are in the batches.
    package var operationsLookedAt: Int { room.operations.count }
}
