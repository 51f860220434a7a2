import ShareCore
import ShareCrypto

/// Making a damaged file anew, and taking in again what had to wait for that.
extension RoomWriter {
    /// What came of looking whether a file has to be made anew.
    enum Remaking {
        /// It is sound, and nothing was done.
        case notNeeded
        /// It was made anew; it is kept as it was where anything in it is lost.
        case done(kept: String?)
    }

    /// Makes the file anew if its batches, or what notes them, are not as they should be. Where
    /// one of this device's own is lost thereby, nothing is sealed until members have given it
    /// back: they may hold what came after it.
    ///
    func remakeWhereDamaged(progress: @Sendable (Int, Int) -> Void) throws -> Remaking {
        let scratch = path + ".remade"
        RoomFiles.remove(scratch)
        defer { RoomFiles.remove(scratch) }
        guard try isDamaged(scratch: scratch) else { return .notNeeded }
        RoomFiles.remove(scratch)
        database.forgetStatements()
        let made = try RoomCheck.remake(
            from: database, at: scratch, room: room, identity: identity
        ) { progress($0, $1) }
        let kept = made.findings.hasLoss ? try RoomFiles.copyAside(path) : nil
        let ends = LogKind.allCases.flatMap {
            state.logs[LogName(author: identity.key, kind: $0)]?.heads ?? []
        }
        try database.become(made.writer.database)
        devices.forget()
        try load()
        if try ends.contains(where: { try row(of: $0.batch) == nil }), hasOtherMembers {
            isRefilling = true
        }
        return .done(kept: kept)
    }

    /// Whether somebody else may hold what is lost here.
    private var hasOtherMembers: Bool {
        state.judgement.authority.members.contains { $0.device != identity.key }
    }

    /// Whether something other than derived tables is wrong.
    private func isDamaged(scratch: String) throws -> Bool {
        guard case .text("ok")? = try? database.rows("PRAGMA quick_check(1)").first?.first else {
            return true
        }
        let target = try Database.scratch(scratch)
        let salvage = RoomSalvage(
            from: database, into: target, room: room, own: identity.key, progress: { _, _ in })
        try salvage.run()
        if salvage.findings.hasDamage { return true }
        var comparison = TableComparison(database, with: target)
        try comparison.runOverBookkeeping()
        return comparison.findings.hasDamage
    }

    /// Takes in batches that came after a damaged one, where that has come back.
    func mergeBehind() throws {
        guard try database.integer("SELECT 1 FROM _behind LIMIT 1") != nil else { return }
        var hasMoved = true
        while hasMoved {
            hasMoved = false
            for row in try database.rows("SELECT behind FROM _behind ORDER BY behind") {
                guard
                    case .blob(let bytes)? = try database.row(
                        "SELECT bytes FROM _behind WHERE behind = ?1", row[0])?.first
                else { continue }
                let batch = try readBatch(bytes, at: 0)
                let isHeld = try self.row(of: batch.id) != nil
                guard try isHeld || holdsPrevious(of: batch) else { continue }
                try database.run("DELETE FROM _behind WHERE behind = ?1", row[0])
                if !isHeld { _ = try mergeGroup([IncomingBatch(batch)]) }
                hasMoved = true
            }
        }
    }
}
