package import ShareCore
package import ShareCrypto

/// Checks a room's file, as it was at one moment, against what its batches come to: over a
/// connection and on a queue of its own, so that the room's work goes on meanwhile.
package actor RoomCheck {
    private let path: String
    private let source: Database
    private let room: RoomID?
    private let identity: DeviceIdentity
    /// Whether SQLite's own check has found nothing.
    package private(set) var isSound = true
    private let executor: QueueExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    /// Takes hold of the file as it is now.
    ///
    /// - Parameter room: what the device knows the room by; nil to believe the file.
    /// - Throws: `StoreError.newerSchema`; `SQLiteError` for what cannot be read at all.
    package init(
        path: String, room: RoomID?, identity: DeviceIdentity, vfs: String? = nil
    ) throws {
        executor = QueueExecutor(label: "room check")
        self.path = path
        self.room = room
        self.identity = identity
        let source = try Database(path: path, access: .readOnly, vfs: vfs)
        try Schema.room.check(source)
        source.endsWhenCancelled()
        try source.execute("BEGIN")
        _ = try source.integer("SELECT count(*) FROM sqlite_schema")
        self.source = source
    }

    /// Checks everything; cancelling the task ends it within moments.
    ///
    /// - Parameters:
    ///   - scratch: a file that does not exist yet; it becomes as large as the room's own, and is
    ///     removed.
    ///   - progress: called with how many batches of how many are done.
    package func run(
        scratch: String, progress: @Sendable (Int, Int) -> Void
    ) throws -> [StoreFinding] {
        defer {
            RoomFiles.remove(scratch)
            RoomFiles.remove(scratch + ".reapplied")
        }
        var findings = FindingList()
        // Each batch is looked at twice: by itself, and for what it comes to.
        let outcome = try RoomCheck.remake(
            from: source, at: scratch, room: room, identity: identity
        ) { done, total in
            try Task.checkCancellation()
            progress(done, total)
        }
        findings.add(outcome.findings)
        do {
            try RoomCheck.untilCancelled {
                try compareTables(with: outcome.file.database, scratch, &findings)
            }
        } catch let error as SQLiteError where error.isCorrupt {
            isSound = false
            findings.add(
                path, "the file cannot be read to its end: \(error.message)", .rebuildFetch)
        }
        return findings.list(of: path)
    }

    private func compareTables(
        with made: Database, _ scratch: String, _ findings: inout FindingList
    ) throws {
        let check = "PRAGMA integrity_check(20)"
        var rows = try source.rows(check)
        // What the disk does not give for a moment, the check calls wrong as well.
        if rows.first?.first != .text("ok") { rows = try source.rows(check) }
        for row in rows {
            guard case .text(let text)? = row.first, text != "ok" else { continue }
            if isSound {
                isSound = false
                findings.add(path, "the file is damaged, as SQLite finds", .rebuildFetch)
            }
            findings.add(path, text, .rebuildFetch, follows: true)
        }
        let reapplied = try reappliedCopy(at: scratch + ".reapplied")
        var comparison = TableComparison(reapplied?.database ?? source, with: made)
        try comparison.run()
        findings.add(comparison.findings)
    }

    /// Runs `body`; what SQLite gave up because the task was cancelled is told as that.
    private static func untilCancelled<R>(_ body: () throws -> R) throws -> R {
        do {
            return try body()
        } catch let error as SQLiteError where error.isInterrupted {
            throw CancellationError()
        }
    }

    /// What the file comes to when a change of authority that is under way has been worked
    /// through; nil where none is.
    private func reappliedCopy(at path: String) throws -> RoomFile? {
        guard let left = try? source.integer("SELECT 1 FROM _reindex LIMIT 1"), left == 1 else {
            return nil
        }
        try Database.scratch(path).become(source)
        let copy = try RoomFile(path: path, identity: identity)
        while try copy.reapply() { try Task.checkCancellation() }
        return copy
    }

    /// Makes a room's file anew from the batches and the pending operations in another.
    ///
    /// - Parameters: as those of `RoomSalvage`.
    static func remake(
        from source: Database, at target: String, room: RoomID?, identity: DeviceIdentity,
        earlier: Set<DeviceKey>? = nil, founding: Batch? = nil, progress: (Int, Int) throws -> Void
    ) throws -> (file: RoomFile, findings: FindingList, lost: LostEntries) {
        try untilCancelled {
            var (findings, lost) = try withoutActuallyEscaping(progress) { progress in
                let database = try Database.scratch(target)
                database.endsWhenCancelled()
                let salvage = RoomSalvage(
                    from: source, into: database, room: room, own: identity.key,
                    earlier: earlier, founding: founding,
                    progress: { try progress($0, 2 * $1) })
                try salvage.run()
                return (salvage.findings, salvage.lost)
            }
            let made = try RoomFile(path: target, identity: identity)
            made.database.endsWhenCancelled()
            try made.rebuild { done, total in try progress(total + done, 2 * total) }
            try made.change { try $0.mergeOrphans() }
            while try made.reapply() { try Task.checkCancellation() }
            if try made.room.log.row(of: BatchID(made.room.id.digest)) == nil {
                findings.add(
                    "_batch", "the batch that founded the room is missing or damaged", .restore)
            }
            return (made, findings, lost)
        }
    }
}
