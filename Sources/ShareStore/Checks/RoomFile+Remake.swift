import ShareCore
import ShareCrypto

/// Making a damaged file anew.
extension RoomFile {

    /// The answer to whether a file has to be made anew.
    enum Remaking {
        /// It is sound, and nothing was done.
        case notNeeded
        /// It was made anew; it is kept as it was where anything in it is lost.
        case done(kept: String?, lost: LostEntries)
    }

    /// Where a file is made anew before it takes the place of one.
    static func scratch(of path: String) -> String { path + ".remade" }

    /// Makes the file anew if its batches, or what notes them, are not as they should be. Where
    /// one of this device's own is lost thereby, nothing is sealed until members have given it
    /// back: they may hold what came after it.
    func remakeWhereDamaged(progress: @Sendable (Int, Int) -> Void) throws -> Remaking {
        let scratch = RoomFile.scratch(of: path)
        RoomFiles.remove(scratch)
        defer { RoomFiles.remove(scratch) }
        guard try isDamaged(scratch: scratch) else {
            // What the disk did not give for a moment may have been called damage.
            committer.isDamaged = false
            return .notNeeded
        }
        RoomFiles.remove(scratch)
        database.forgetStatements()
        let made = try RoomFile.remade(
            from: database, at: scratch, room: room.id, identity: room.identity
        ) { progress($0, $1) }
        let kept = made.findings.hasLoss ? try RoomFiles.copyAside(path) : nil
        let ends = LogKind.allCases.flatMap {
            room.log.logs[LogName(author: room.identity.key, kind: $0)]?.heads ?? []
        }
        try database.become(made.file.database)
        try load()
        if try ends.contains(where: { try room.log.row(of: $0.batch) == nil }),
            hasOtherMembers || made.findings.mayLackMembers
        {
            committer.isRefilling = true
        }
        committer.isDamaged = false
        return .done(kept: kept, lost: made.lost)
    }

    /// A new file of what is true in a damaged one, to take its place.
    ///
    /// - Parameters: as those of `RoomSalvage`.
    static func remade(
        from source: Database, at path: String, room: RoomID, identity: DeviceIdentity,
        earlier: Set<DeviceKey>? = nil, founding: Batch? = nil, progress: (Int, Int) throws -> Void
    ) throws -> (file: RoomFile, findings: FindingList, lost: LostEntries) {
        let made = try RoomCheck.remake(
            from: source, at: path, room: room, identity: identity, earlier: earlier,
            founding: founding, progress: progress)
        // What is pending follows without a gap, as it does in a sealed batch.
        if !made.lost.isEmpty {
            try made.file.change { try PendingRewrite.run(&$0, dropping: [:]) }
        }
        return made
    }

    /// Whether somebody else may hold what is lost here.
    private var hasOtherMembers: Bool {
        room.policy.members.contains { $0.device != room.identity.key }
    }

    /// Whether something other than derived tables is wrong.
    private func isDamaged(scratch: String) throws -> Bool {
        guard try isSound("integrity_check(1)") else { return true }
        let target = try Database.scratch(scratch)
        let salvage = RoomSalvage(
            from: database, into: target, room: room.id, own: room.identity.key,
            progress: { _, _ in })
        try salvage.run()
        if salvage.findings.hasDamage { return true }
        var comparison = TableComparison(database, with: target)
        try comparison.runOverBookkeeping()
        return comparison.findings.hasDamage
    }

    /// Whether SQLite finds nothing wrong by a check of its own.
    ///
    /// - Throws: `SQLiteError` where the system failed at it.
    func isSound(_ check: String) throws -> Bool {
        // What the disk does not give for a moment, the check calls wrong as well.
        for _ in 0..<2 {
            do {
                if try database.rows("PRAGMA \(check)").first?.first == .text("ok") { return true }
            } catch {
                guard !error.isPassing else { throw error }
            }
        }
        return false
    }
}
