package import ShareCore
package import ShareCrypto

/// A record that is deleted, and what deleted it.
package struct DeletedRecord: Sendable {
    package let name: RecordName
    /// Milliseconds since 1970, by the clock of who made it.
    package let created: Int64
    package let deletedBy: DeviceKey
    /// Milliseconds since 1970, by that device's clock.
    package let deletedAt: Int64
    /// Whether the deletion was sent.
    package let isSent: Bool
    /// Whether somebody has changed it meanwhile, unseen by who deleted it, or the reverse.
    package let isInConflict: Bool
}

extension RoomReader {
    /// The deleted records of a form, those that were deleted last first.
    ///
    /// - Parameter since: milliseconds since 1970, before which deletions are left out.
    /// - Complexity: O(deleted records of the form).
    package func deletions(
        of form: FormInfo, since: Int64? = nil, limit: Int
    ) throws -> [DeletedRecord] {
        let statement = try database.prepare(
            """
            SELECT r.id, r.creator, v.wall, b.author, b.state, (
                SELECT w.wall FROM _version w
                WHERE w.record = r.record AND w.kind = \(RecordsBlock.Kind.put.rawValue) LIMIT 1),
                EXISTS (SELECT 1 FROM _conflict c WHERE c.record = r.record)
            FROM \(RoomReader.deletions) ORDER BY v.wall DESC, r.id DESC LIMIT ?3
            """)
        try statement.bind([
            .integer(form.number), .integer(since ?? .min), .integer(Int64(limit)),
        ])
        var found: [DeletedRecord] = []
        while try statement.step() {
            guard let id = RecordID(statement.blob(0)) else { continue }
            found.append(
                DeletedRecord(
                    name: RecordName(
                        form: form.formID, creator: try devices.key(of: statement.integer(1)),
                        id: id),
                    created: statement.integer(5),
                    deletedBy: try devices.key(of: statement.integer(3)),
                    deletedAt: statement.integer(2), isSent: statement.integer(4) != 1,
                    isInConflict: statement.integer(6) == 1))
        }
        return found
    }

    /// How many records of a form are deleted, or were since then and are.
    ///
    /// - Complexity: as `deletions`.
    package func countDeletions(of form: FormInfo, since: Int64? = nil) throws -> Int {
        let statement = try database.prepare("SELECT count(*) FROM \(RoomReader.deletions)")
        try statement.bind([.integer(form.number), .integer(since ?? .min)])
        return try statement.step() ? Int(statement.integer(0)) : 0
    }

    /// The deleted records of a form with the version that decided it: a restore knows of every
    /// deletion that it undoes, so of a deleted record it is the last deletion by the clocks.
    private static let deletions = """
        _record r JOIN _version v ON v.version = (
            SELECT w.version FROM _version w
            WHERE w.record = r.record AND w.kind = \(RecordsBlock.Kind.delete.rawValue)
            ORDER BY w.clock DESC LIMIT 1)
        JOIN _batch b ON b.batch = v.version / 8192
        WHERE r.form = ?1 AND r.hidden AND r.created AND v.wall >= ?2
        """
}
