package import ShareCore
package import ShareCrypto
package import ShareStore

/// The one door through which batches of this device come to be.
///
/// After a start nothing is sealed before this device has taken back the batches of its own that a
/// member holds: two batches on one predecessor would be a fork (docs/protocol.md, "Sessions"). So
/// whoever seals waits here first, and what is sealed is offered to everybody here.
package struct Sealing: Sendable {
    private let own: DeviceKey
    private let sync: SyncService
    private let watch: WatchHub
    private let wall: @Sendable () -> UInt64

    /// The store hears of the end of a pause a moment after the synchronisation.
    private static let lookAgain = Duration.milliseconds(5)
    /// Batches sealed in one transaction, whose bytes are in memory until they are offered.
    private static let batchesAtOnce = 32

    init(
        own: DeviceKey, sync: SyncService, watch: WatchHub,
        wall: @escaping @Sendable () -> UInt64
    ) {
        self.own = own
        self.sync = sync
        self.watch = watch
        self.wall = wall
    }

    /// Seals all that is pending in a room and offers it to everybody. Where this device is no
    /// member any more it stays pending: everybody would refuse it.
    ///
    /// - Throws: `StoreError.sealingBlocked` if batches of this device's own do not arrive in
    ///   time; whatever the store throws. What was sealed until then is sealed.
    package func records(in room: OpenRoom) async throws -> [BatchID] {
        let own = own
        var sealed: [BatchID] = []
        var some: [Batch]
        repeat {
            some = try await seal(in: room, within: SyncLimits.sealingPatience) { store, wall in
                store.authority().formerMember(own) == nil
                    ? try store.seal(atMost: Self.batchesAtOnce, wall: wall) : []
            }
            sealed += some.map(\.id)
        } while some.count == Self.batchesAtOnce
        tell(sealed.count, in: room)
        return sealed
    }

    /// Whether nothing is to be waited for before an entry is sealed as it is made.
    func isFree(in room: OpenRoom) async -> Bool { await sync.isReadyToSeal(in: room.id) }

    /// Whether somebody is in reach who can be sent what is sealed, and has told of all that was
    /// decided meanwhile: what is signed under a role or an assignment that is lost by then counts
    /// nowhere, and what is not signed yet waits for another.
    func isWorthwhile(in room: RoomID) async -> Bool { await sync.hasCaughtUp(in: room) }

    /// Offers to everybody what was sealed as it was entered.
    ///
    /// - Parameter view: the room as it is since then, where that is known.
    func offer(_ batches: [Batch], view: RoomView?, in room: OpenRoom) async throws {
        try await sync.changed(room.id, sealed: batches, view: view)
        tell(batches.count, in: room)
    }

    private func tell(_ count: Int, in room: OpenRoom) {
        guard count > 0 else { return }
        watch.tell(
            "sealed", in: room.name, count: count,
            "what was made here goes out" + (count == 1 ? "" : ", in \(count) parts"))
    }

    /// Seals control operations and offers them to everybody.
    ///
    /// What this device may do is looked at when it seals: while it waits here its own removal may
    /// arrive, and what it would write then, naming that as held, others would have to follow.
    ///
    /// - Parameters:
    ///   - role: what this device must be at that moment, or more.
    ///   - recovery: the room's recovery key, where that decides: whatever this device is.
    ///   - patience: how long to wait while sealing is paused.
    ///   - make: puts the operations together from the room as it is at that moment; nothing is
    ///     sealed if there are none.
    /// - Throws: as `records(in:)`; `RoleLost`; whatever `make` throws; `StoreError.refused`.
    @discardableResult
    package func control(
        in room: OpenRoom, as role: Role, recovery: DeviceIdentity? = nil,
        within patience: Duration = SyncLimits.sealingPatience,
        _ make: @escaping @Sendable (isolated RoomStore) throws -> [ControlOperation]
    ) async throws -> Batch? {
        let own = own
        return try await seal(in: room, within: recovery == nil ? patience : .zero) { store, wall in
            if recovery == nil {
                guard let now = store.authority().currentRole(of: own), now >= role else {
                    throw RoleLost()
                }
            }
            let operations = try make(store)
            return operations.isEmpty
                ? [] : try store.decide(operations, as: recovery, wall: wall)
        }.last
    }

    private func seal(
        in room: OpenRoom, within patience: Duration,
        _ make: @escaping @Sendable (isolated RoomStore, UInt64) throws -> [Batch]
    ) async throws -> [Batch] {
        let deadline = ContinuousClock.now + patience
        while true {
            await sync.ownLog(of: room.id, within: ContinuousClock.now.duration(to: deadline))
            do {
                let batches = try await room.store.perform { try make($0, wall()) }
                if !batches.isEmpty { try await sync.changed(room.id, sealed: batches) }
                return batches
            } catch StoreError.sealingBlocked(let hasLost) {
                guard .now < deadline else {
                    throw StoreError.sealingBlocked(hasLost: hasLost)
                }
                try await Task.sleep(for: Self.lookAgain)
            }
        }
    }
}
