package import ShareCrypto

/// Who may do what in a room: a pure function of the set of control batches held
/// (docs/protocol/authority.md). Their order, and duplicates among them, change nothing.
package struct Authority: Sendable {
    let room: AuthorityRoom
    let engine: AuthorityEngine

    package let roomID: RoomID
    /// Devices with a role, owners by rank first, the others by key.
    package let members: [Member]
    /// Devices without a role that had one, by key.
    package let formerMembers: [FormerMember]
    /// The device that founded the room; nil while the founding batch is not held.
    package let founder: DeviceKey?

    /// - Complexity: near O(n) for n batches and the operations in those whose authors may write
    ///   any there, and another look at all owners for each of at most `Limits.trials` operations
    ///   against those who made their authors owners.
    package init(room id: RoomID, batches: some Sequence<ControlBatch>) {
        var room = AuthorityRoom(room: id, batches: batches)
        let engine = AuthorityEngine.run(&room)
        roomID = id
        self.room = room
        self.engine = engine
        founder = room.founding.map { room.devices[room.operations[$0].subject] }
        var members: [Member] = []
        var former: [FormerMember] = []
        for (index, device) in room.devices.enumerated() {
            switch engine.force.result(index, at: .end, in: room) {
            case .role(let role): members.append(Member(device: device, role: role))
            case .removed(let removal):
                let operation = room.operations[removal]
                former.append(
                    FormerMember(
                        device: device, removal: operation.name,
                        by: room.devices[operation.author], reason: operation.reason))
            case .unknown, .nothing: break
            }
        }
        let ranks = Dictionary(
            uniqueKeysWithValues: engine.walk.ranking.enumerated().map { (room.devices[$1], $0) })
        func key(_ member: Member) -> (Int, DeviceKey) {
            (member.role == .owner ? ranks[member.device] ?? .max - 1 : .max, member.device)
        }
        self.members = members.sorted { key($0) < key($1) }
        formerMembers = former.sorted { $0.device < $1.device }
    }

    /// Owners, best rank first.
    package var owners: [DeviceKey] { members.filter { $0.role == .owner }.map(\.device) }

    /// The role of what a device writes next; nil for a device that is no member.
    package func currentRole(of device: DeviceKey) -> Role? {
        guard let index = room.indexes[device] else { return nil }
        return engine.force.result(index, at: .end, in: room).role
    }

    /// How a device came to be no member any more; nil where it is one, or never was.
    ///
    /// - Complexity: O(n) for n former members.
    package func formerMember(_ device: DeviceKey) -> FormerMember? {
        formerMembers.first { $0.device == device }
    }

    /// Whether a device has, or had, a grant in force: what it writes need not wait. One whose
    /// grant fell with its author counts too, as what it decided before may stand.
    package func knows(_ device: DeviceKey) -> Bool {
        guard let index = room.indexes[device] else { return false }
        return engine.force.knows(index, in: room)
            || engine.walks.contains { $0.force.knows(index, in: room) }
    }

    /// All devices that `knows` holds for.
    ///
    /// - Complexity: O(devices · operations about one).
    package var known: Set<DeviceKey> { Set(room.indexes.keys.filter(knows)) }

    /// Operations about devices that were looked at, of all that there are in the batches.
    package var operationsLookedAt: Int { room.operations.count }

    /// Whether an operation in force about a device names batches of its records log.
    package func namesRecords(of device: DeviceKey) -> Bool {
        !namedHeads(of: LogName(author: device, kind: .records)).isEmpty
    }
}
