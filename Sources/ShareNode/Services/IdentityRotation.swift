import ShareControl
import ShareCore
import ShareCrypto
import ShareStore
import Synchronization

/// Gives this device another identity, after its key was copied or may be in other hands: from the
/// request to the restart of the node that it needs.
package final class IdentityRotation: Sendable {
    /// Asks whoever runs the node to start it anew.
    package let restarts: AsyncStream<Void>
    private let askRestart: AsyncStream<Void>.Continuation
    private let begun: AsyncStream<Void>
    private let begin: AsyncStream<Void>.Continuation
    private let isUnderWay = Mutex(false)

    private let own: OwnDevice
    private let names: DeviceNames
    private let data: DataDirectory
    private let store: NodeStore
    private let rooms: RoomBook
    private let sealing: Sealing
    private let sync: SyncService
    private let joins: JoinService
    private let log: Log
    private let wall: @Sendable () -> UInt64

    init(
        own: OwnDevice, names: DeviceNames, data: DataDirectory, store: NodeStore,
        rooms: RoomBook, sealing: Sealing, sync: SyncService, joins: JoinService, log: Log,
        wall: @escaping @Sendable () -> UInt64
    ) {
        self.own = own
        self.names = names
        self.data = data
        self.store = store
        self.rooms = rooms
        self.sealing = sealing
        self.sync = sync
        self.joins = joins
        self.log = log
        self.wall = wall
        (restarts, askRestart) = AsyncStream.makeStream()
        (begun, begin) = AsyncStream.makeStream()
    }

    /// Whether a change was begun and not ended.
    var isCutOff: Bool { data.hasNextIdentity }

    // MARK: The restart

    /// Asks for the restart, and returns when it has begun: no further request will reach this
    /// node, so whoever is answered now speaks to the next one afterwards.
    func restart() async {
        askRestart.yield()
        for await _ in begun { return }
    }

    /// Notes that the restart has begun.
    package func noteRestart() { begin.yield() }

    /// Notes that the node stops: nobody will answer any more.
    func finish() {
        askRestart.finish()
        begin.finish()
    }

    // MARK: The change

    /// How long members in reach have to take what the old identity has to give.
    private static let handover = Duration.seconds(5)

    /// Seals and offers what is pending, admits the new identity where the old one may, and puts
    /// it in its place. The node has to be started anew then.
    ///
    /// - Throws: whatever sealing throws, `DataDirectoryError`; then nothing has changed, and
    ///   another try goes on with the same new identity.
    func run() async throws -> IdentityChangedAnswer {
        let isFirst = isUnderWay.withLock { isUnderWay in
            defer { isUnderWay = true }
            return !isUnderWay
        }
        guard isFirst else {
            throw Problem(.busy, "the identity of this device is being changed already")
        }
        do {
            let next = try data.nextIdentity().key
            let open = await rooms.all()
            var changes: [IdentityRoom] = []
            for room in open { changes.append(try await handOver(room, to: next)) }
            let kept = try await replaceIdentity(in: open)
            log.notice(
                "this device has a new identity",
                ["device": next.short, "before": own.key.short])
            return IdentityChangedAnswer(
                device: NamedDevice(id: next.text, name: own.name),
                former: NamedDevice(id: own.key.text, name: own.name), kept: kept,
                rooms: changes)
        } catch {
            isUnderWay.withLock { $0 = false }
            throw error
        }
    }

    /// The role that a member may pass on by itself: owners admit anyone, editors nobody of
    /// their own kind.
    private static func passedOn(by role: Role?) -> Role? {
        switch role {
        case .owner: .owner
        case .editor: .collector
        case .reviewer, .collector, .contributor, .viewer, nil: nil
        }
    }

    private func handOver(_ room: OpenRoom, to next: DeviceKey) async throws -> IdentityRoom {
        let before = await room.store.authority()
        let role = before.currentRole(of: own.key)
        var change = IdentityRoom(room: room.named, role: nil, formerRole: role?.name)
        guard role != nil else { return change }
        let keepsAnOwner =
            role != .owner
            || before.members.contains { $0.role == .owner && $0.device != own.key }
        do {
            _ = try await sealing.records(in: room)
        } catch StoreError.sealingBlocked where keepsAnOwner {
            // Its log is lost here, and perhaps everywhere: what is pending becomes the new one's.
            return change
        }
        if let role = Self.passedOn(by: role) {
            do {
                _ = try await room.admit(
                    next, as: role, firstControl: 1, firstRecords: 1, through: sealing,
                    within: Self.handover)
            } catch StoreError.refused(.forked) {
                // Its key may be in other hands; all the more it needs another one.
            }
        }
        let authority = await room.store.authority()
        change.role = authority.currentRole(of: next)?.name
        var holders: Set<DeviceKey> = []
        for kind in [LogKind.control, .records] {
            let log = LogName(author: own.key, kind: kind)
            let found = await sync.holders(of: [log], in: room.id, within: Self.handover)
                .filter { $0.value == .delivered }
            holders = kind == .control ? Set(found.keys) : holders.intersection(found.keys)
        }
        for member in authority.members
        where member.role.readsAll && member.device != own.key && member.device != next
            && !holders.contains(member.device)
        {
            change.missing.append(await names.named(member.device))
        }
        return change
    }

    /// - Returns: the name of the file that keeps the old identity.
    private func replaceIdentity(in open: [OpenRoom]) async throws -> String {
        var retired: [OpenRoom] = []
        do {
            // What is entered from here on would be pending under a key that is gone.
            for room in open {
                _ = try await room.store.retire(wall: wall())
                retired.append(room)
            }
            // So that people recognise the earlier identity; no more than a label.
            try await store.saveDevice(
                NodeDevice(key: own.key, name: own.name, addresses: [], lastSeen: nil))
            for room in open { try await joins.dropAll(to: room.id) }
            return try data.replaceIdentity(own.key)
        } catch {
            for room in retired { await room.store.resume() }
            throw error
        }
    }
}
