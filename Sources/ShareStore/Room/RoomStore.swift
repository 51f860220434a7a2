package import ShareCore
package import ShareCrypto

/// A room's file: all that changes it goes through here, one transaction at a time, on a queue
/// of its own.
package actor RoomStore {
    package nonisolated let room: RoomID
    package nonisolated let path: String
    /// Where its lists are looked up.
    package nonisolated let lists: RoomLists
    /// Where the file is kept as it was, with a log that has lost commits; nil where it has not.
    package nonisolated let damagedLog: String?
    let file: RoomFile
    let identity: DeviceIdentity
    /// What is known of parts of lists that several devices have made versions of at once.
    var partDigests: [OperationName: Digest] = [:]
    private let checkpoints: Checkpoints
    private let executor: QueueExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    /// Opens a room's file. With a founding batch it makes the file, where there is none; that
    /// is how a room is both created (`RoomStore.found`) and joined.
    ///
    /// - Throws: `StoreError.newerSchema`, `.otherRoom`, `.notARoom`; `SQLiteError`.
    package init(
        path: String, identity: DeviceIdentity, earlier: Set<DeviceKey>? = nil,
        founding: Batch? = nil, vfs: String? = nil
    ) throws {
        executor = QueueExecutor(label: "room writer")
        // A rebuild that was killed has left what it had made so far.
        RoomFiles.remove(RoomFile.scratch(of: path))
        try RoomFiles.settle(path)
        // What is opened may write over the log, and whoever closes it last takes it away.
        damagedLog =
            try vfs == nil && WriteAheadLog.isDamaged(of: path) ? RoomFiles.copyAside(path) : nil
        do {
            file = try Database.opening {
                let file = try RoomFile(
                    path: path, identity: identity, earlier: earlier, founding: founding, vfs: vfs)
                return (file, file.database)
            }
        } catch {
            // A disk that fails for a moment keeps no copy of each attempt.
            if let damagedLog { RoomFiles.remove(damagedLog) }
            throw error
        }
        self.identity = identity
        self.path = path
        lists = file.room.forms.lists
        room = file.room.id
        let checkpoints = Checkpoints(path: path)
        self.checkpoints = checkpoints
        // A file system layer of tests alone wants everything in its order.
        guard vfs == nil else { return }
        file.database.emptyLog()
        file.database.leavesLog { [weak checkpoints] in checkpoints?.start() }
    }

    /// Makes a room's file anew that cannot be opened any more, from what can be read of it. Nobody
    /// may have it open.
    ///
    /// - Parameters:
    ///   - earlier: as in `init`; what others have made and not sealed stays in the damaged file.
    ///   - founding: the batch that founded the room, which takes the place of a lost one.
    /// - Returns: where the damaged file is kept, what is lost that nobody else has, and whether
    ///   control batches may be lost: then nobody knows who the members are before one of them
    ///   gives back what is lost.
    /// - Throws: `StoreError.unusable` where nothing can be done with it, which changes nothing;
    ///   `StoreError.missing`, `.newerSchema`.
    package static func mend(
        path: String, room: RoomID, identity: DeviceIdentity, earlier: Set<DeviceKey>? = nil,
        founding: Batch? = nil, progress: (Int, Int) -> Void = { _, _ in }
    ) throws -> (kept: String?, lost: LostEntries, mayLackMembers: Bool) {
        guard RoomFiles.exists(path) else { throw StoreError.missing }
        let scratch = RoomFile.scratch(of: path)
        RoomFiles.remove(scratch)
        defer { RoomFiles.remove(scratch) }
        try RoomFiles.settle(path)
        let (lost, mayLackMembers): (LostEntries, Bool)
        do {
            // Both connections are closed, and their logs gone, before a file is moved.
            let source = try Database(path: path)
            let isWhole = (try? source.integer("SELECT count(*) FROM sqlite_schema")) != nil
            try source.readsPastDamage()
            // What was not sent may be there all the same, and would be given up unheard.
            if !isWhole, (try? source.prepare("SELECT block FROM _pending")) == nil {
                throw StoreError.unusable
            }
            try Schema.room.check(source)
            source.emptyLog()
            let made = try RoomFile.remade(
                from: source, at: scratch, room: room, identity: identity, earlier: earlier,
                founding: founding
            ) { progress($0, $1) }
            (lost, mayLackMembers) = (made.lost, made.findings.mayLackMembers)
            guard try made.file.room.log.row(of: BatchID(room.digest)) != nil else {
                throw StoreError.unusable
            }
            try made.file.database.makeDurable()
        } catch let error as SQLiteError where error.isDamage {
            throw StoreError.unusable
        }
        return (try RoomFiles.replace(path, with: scratch), lost, mayLackMembers)
    }

    /// Moves a file out of the way that cannot be used, and says where it is kept.
    package static func moveAside(path: String) throws -> String {
        try RoomFiles.moveAside(path)
    }

    /// The founding batch of a new room, whose id it gives.
    package static func found(
        name: String, isOpen: Bool, isHidden: Bool = false,
        recovery: RecoveryCode = .generate(), wall: UInt64, by identity: DeviceIdentity
    ) -> Batch {
        Committer.found(
            name: name, isOpen: isOpen, isHidden: isHidden, recovery: recovery, wall: wall,
            by: identity)
    }

    /// The room of a file, which is not opened as one: nil for a file of another kind, or none.
    package static func room(at path: String) -> RoomID? {
        guard let database = try? Database(path: path, access: .readOnly) else { return nil }
        return try? RoomFile.room(in: database)
    }

    /// The batch that founded the room, where it is held.
    package func founding() throws -> Batch? {
        guard let founder = file.room.policy.authority.founder else { return nil }
        return try grantProof(of: founder).first
    }

    // MARK: Changes

    /// Enters changes, all or none. On return they are on the disk and in the form tables.
    ///
    /// - Parameter wall: the time of the wall clock, in milliseconds since 1970.
    /// - Returns: the record of each new row and of each change, in order.
    /// - Throws: `StoreError`; `SQLiteError` for a full or failing disk.
    @discardableResult
    package func append(_ changes: [LocalChange], wall: UInt64) throws -> [RecordName] {
        try file.append(changes, wall: wall)
    }

    /// Enters changes as `next` hands them over, until it returns nil, all in one transaction:
    /// if it throws, nothing has happened.
    ///
    /// - Parameter mark: what the changes were made by; nil where they were made by no rows.
    /// - Returns: how many rows and changes there were.
    /// - Throws: also `StoreError.rowsChanged`.
    package func append(
        wall: UInt64, since mark: RowsMark? = nil, next: @Sendable () throws -> [LocalChange]?
    ) throws -> Int {
        if let mark, try !file.room.isAt(mark) { throw StoreError.rowsChanged }
        return try file.append(wall: wall, next: next)
    }

    /// Enters changes, all or none, and in the same transaction seals all that is pending, where
    /// no batches of our own are missing here.
    ///
    /// - Returns: the record of each change, and the batches, which may be offered.
    /// - Throws: as `append`.
    package func enter(
        _ changes: [LocalChange], wall: UInt64
    ) throws -> (records: [RecordName], batches: [Batch]) {
        try file.enter(changes, wall: wall)
    }

    /// Seals what is pending, all of it or so many batches, in one transaction. On return these are
    /// on the disk and may be offered.
    ///
    /// - Throws: `StoreError.sealingBlocked` while batches of our own are missing here.
    package func seal(atMost limit: Int = .max, wall: UInt64) throws -> [Batch] {
        try file.seal(atMost: limit, wall: wall)
    }

    /// Seals control operations at once, in as many batches as they take. On return these are on
    /// the disk.
    ///
    /// - Parameter recovery: the room's recovery key, where that decides and not this device.
    /// - Throws: `StoreError.refused`, and nothing is kept, for what would be refused;
    ///   `StoreError.sealingBlocked` while batches of our own are missing here.
    package func decide(
        _ operations: [ControlOperation], as recovery: DeviceIdentity? = nil, wall: UInt64
    ) throws -> [Batch] {
        try file.decide(operations, as: recovery, wall: wall)
    }

    /// Runs several steps as one: nothing else happens to the room between them.
    package func perform<Result: Sendable>(
        _ steps: @Sendable (isolated RoomStore) throws -> Result
    ) rethrows -> Result {
        try steps(self)
    }

    /// Whether batches of this device's own log are missing here that owners have named.
    package func isMissingOwn(_ kind: LogKind) throws -> Bool {
        try file.room.policy.isMissingOwn(kind, in: file.room.log)
    }

    /// Seals what is pending, and takes no change any more: another identity goes on from here.
    /// What cannot be sealed, as batches of our own are missing here, stays pending.
    ///
    /// - Throws: as `seal(wall:)` besides; then nothing has changed.
    package func retire(wall: UInt64) throws -> [Batch] {
        var batches: [Batch] = []
        do {
            batches = try file.seal(wall: wall)
        } catch StoreError.sealingBlocked {}
        file.isRetired = true
        return batches
    }

    /// Takes changes again: the identity stays as it is.
    package func resume() { file.isRetired = false }

    /// Forbids sealing while a member gives our own batches back, and allows it again.
    package func setSealingBlocked(_ isBlocked: Bool) {
        file.committer.isSealingBlocked = isBlocked
    }

    /// Whether members have to give back what was lost here before anything is sealed.
    package var isRefilling: Bool { file.committer.isRefilling }

    /// Forbids sealing while the file is known to be damaged, and allows it again.
    package func setDamaged(_ isDamaged: Bool) { file.committer.isDamaged = isDamaged }

    /// Whether a rebuild has to come before anything is sealed.
    package var isDamaged: Bool { file.committer.isDamaged }

    /// Forbids sealing while a lost file is being filled again, whatever peers claim meanwhile,
    /// and allows it again.
    package func setRefilling(_ isRefilling: Bool) { file.committer.isRefilling = isRefilling }

    /// Stores and judges batches in one transaction. On return they are on the disk and may be
    /// acknowledged.
    package func merge(_ batches: [IncomingBatch]) throws -> MergeReport {
        try file.merge(batches)
    }

    /// Lets records follow a change of authority that has taken effect, in one transaction of
    /// bounded size; to be called again while it returns true. Whatever else the store is asked
    /// may come in between, and the file may be closed.
    ///
    /// - Parameter notify: called with what has come of it, after the commit.
    /// - Returns: whether more is left.
    package func reapply(notify: @Sendable (RoomChanges) -> Void = { _ in }) throws -> Bool {
        try file.reapply(notify: notify)
    }

    /// Makes everything anew from the batches and the pending operations. Where the batches
    /// themselves are damaged, or what notes them, the file is made anew from those that are
    /// sound; what came after a damaged one is kept until that is here again. It also ends what
    /// `reapply` had left.
    ///
    /// - Parameter progress: called with how much of how much is done.
    @discardableResult
    package func rebuild(
        progress: @Sendable (Int, Int) -> Void = { _, _ in }
    ) throws -> RebuildReport {
        // Where a table is missing or cannot be read, it was surely other.
        let before = try? RoomDump.hashes(of: file.room)
        switch try file.remakeWhereDamaged(progress: progress) {
        case .notNeeded:
            try file.rebuild(progress: progress)
            return RebuildReport(
                hasChanged: try RoomDump.hashes(of: file.room) != before, kept: nil)
        case .done(let kept, let lost):
            // What was damaged need not show in any table.
            return RebuildReport(hasChanged: true, kept: kept, lost: lost)
        }
    }

    /// Takes note of what members and other authors call themselves, for who reads the file.
    package func note(_ names: [DeviceKey: String]) throws {
        let devices = file.room.devices
        let authority = file.room.policy.authority
        let known = try names.filter { key, name in
            try devices.lacks([key: name])
                && (authority.currentRole(of: key) != nil || devices.find(key) != nil)
        }
        if !known.isEmpty { try file.change { try $0.devices.note(known) } }
    }

    // MARK: For the synchronisation

    package func view() throws -> RoomView { try file.view() }

    /// Answers `SyncEngine.Action.load`.
    package func load(
        _ log: LogName, after: [LogHead], cursor: LogHead?, bytes: Int
    ) throws -> SyncEngine.LoadedBatches {
        try file.room.load(log, after: after, cursor: cursor, bytes: bytes)
    }

    /// Answers `SyncEngine.Action.find`.
    package func find(
        _ log: LogName, _ heads: [LogHead]
    ) throws -> (missing: [LogHead], positions: [LogHead]) {
        try file.room.log.find(log, heads)
    }

    /// The batches as they are now, for a file. It must be read soon: as long as it is held, the
    /// write-ahead log grows.
    ///
    /// - Parameters:
    ///   - reader: whom the file is for, by the rules for a session with it; nil: any member.
    ///   - isWhole: whether what is passed on to nobody comes along too.
    package func archive(for reader: DeviceKey?, isWhole: Bool) throws -> RoomArchive {
        try file.archive(for: reader, isWhole: isWhole)
    }

    /// The control batches that lead from the founding to a device's grant, founding first.
    package func grantProof(of key: DeviceKey) throws -> [Batch] {
        try file.room.policy.grantProof(of: key, in: file.room.log)
    }

    /// The control batches that show a removed device that it was, and nothing else; empty if it
    /// was not.
    package func removal(of key: DeviceKey) throws -> [Batch] {
        try file.room.policy.removal(of: key, in: file.room.log)
    }

    /// Notes how far a peer has a log, by its own word.
    ///
    /// In the file with the next change of the room, or within a second.
    package func noteDelivered(_ acknowledgement: Acknowledgement, by peer: DeviceKey) {
        file.noteDelivered(acknowledgement, by: peer)
        guard !isWritingSoon else { return }
        isWritingSoon = true
        Task { [weak self] in
            try? await Task.sleep(for: RoomStore.deliveriesWritten)
            await self?.writeDeliveries()
        }
    }

    /// How long the word of a peer may be in memory alone.
    private static let deliveriesWritten = Duration.seconds(1)
    private var isWritingSoon = false

    /// Writes at once what peers have said of what they hold; to be called before the process ends.
    package func writeDeliveries() {
        isWritingSoon = false
        // On a full disk it is written with what is written next.
        try? file.writeDeliveries()
    }

    /// Writes at once what peers hold, and puts all of the log of changes into the room's file, so
    /// that it stands alone; to be called before the process ends. Readers that are open still
    /// would otherwise leave it beside the file.
    package func finish() {
        writeDeliveries()
        file.database.emptyLog()
    }

    /// Notes that a peer holds these batches, and so all before them.
    package func noteHeld(_ logs: [LogName: [LogHead]], by peer: DeviceKey) {
        for (log, heads) in logs {
            guard let head = heads.max(by: { $0.number < $1.number }) else { continue }
            noteDelivered(
                Acknowledgement(
                    log: log, head: head, isStored: true, accepted: 0, waiting: 0, refused: 0),
                by: peer)
        }
    }

    /// Whether anything was made here that is not sealed.
    package func hasPending() throws -> Bool { try !file.room.pending.isEmpty() }

    /// Entries and changes in sealed batches of these authors that no other device is known to
    /// have, as people count them, and the new entries among them; of very many, rows of repeats
    /// count too, and none is known to be new.
    package func entriesOnlyHere(of authors: Set<DeviceKey>) throws -> (all: Int, new: Int) {
        let room = file.room
        let only = try room.log.delivery.onlyHere(of: authors)
        guard (1...EntryTally.looked).contains(only.operations) else { return (only.operations, 0) }
        let blocks = try only.batches.flatMap { batch in
            try room.log.readBatch(try room.log.bytes(of: batch), at: batch).openBody().records
        }
        let tally = try EntryTally(
            blocks, repeats: room.forms.catalog.repeats, entry: room.entry)
        let all = max(only.operations - tally.parts, 1)
        return (all, min(tally.entries, all))
    }

    /// How far entries of these authors have come to any other device, as far as is known.
    package func reach(of authors: Set<DeviceKey>) throws -> [RecordQuery.Reach] {
        try authors.compactMap { author in
            try file.room.devices.find(author).map {
                RecordQuery.Reach(
                    author: $0,
                    number: try file.room.log.delivery.reached(by: author, besides: authors))
            }
        }
    }
}
