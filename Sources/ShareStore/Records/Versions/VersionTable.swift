import ShareCore
import ShareCrypto

/// The operations on records with a past: more than one, or none that is shown. It owns `_version`.
///
/// A record's versions are read packed, as far as they decide between each other; their contents
/// are read one at a time. What a record comes to is not known here.
struct VersionTable {
    let database: Database
    let names: BatchNames

    /// Which operations on a record are looked at.
    enum Remarks: Int64 {
        /// All but comments.
        case left = 0
        /// Comments alone.
        case alone = 1
    }

    /// The versions of a record that are allowed by role and type.
    func all(of record: Int64, comments: Remarks = .left) throws -> StoredVersions {
        var stored = StoredVersions(record: record)
        let statement = try database.cached(
            """
            SELECT version, kind, clock, content FROM _version
            WHERE record = ?1 AND (kind = 42) = ?2 ORDER BY version
            """)
        defer { statement.clear() }
        try statement.bind([.integer(record), .integer(comments.rawValue)])
        var shapes = VersionShapes()
        var isKnown = false
        while try statement.step() {
            let local = LocalName(rawValue: statement.integer(0))
            guard let kind = RecordsBlock.Kind(rawValue: UInt64(max(statement.integer(1), 0)))
            else { throw StoreError.damaged("a version of record \(record)") }
            if stored.rows.last != local.batch {
                isKnown = try begin(local.batch, of: &stored)
            }
            guard isKnown else { continue }
            let shape = try statement.withBlob(3) {
                try shapes.shape(kind, $0, in: &stored.versions)
            }
            stored.versions.append(
                at: local.index,
                clock: Timestamp(rawValue: UInt64(max(statement.integer(2), 0))) ?? .latest,
                shape: shape)
        }
        try addParents(to: &stored, of: record)
        return stored
    }

    /// Adds the batch in a row; false where there is none.
    private func begin(_ row: Int64, of stored: inout StoredVersions) throws -> Bool {
        guard let batch = try names.batch(row) else { return false }
        stored.versions.addBatch(batch.id ?? .open(row), by: batch.author)
        stored.rows.append(row)
        stored.isOpen.append(batch.id == nil)
        return true
    }

    private func addParents(to stored: inout StoredVersions, of record: Int64) throws {
        let batches = Dictionary(
            stored.versions.batches.enumerated().map { ($1, $0) }, uniquingKeysWith: { $1 })
        let rows = Dictionary(
            stored.rows.enumerated().map { ($1, $0) }, uniquingKeysWith: { $1 })
        let statement = try database.cached(
            """
            SELECT version, parents FROM _version WHERE record = ?1 AND length(parents) > 0
            ORDER BY version
            """)
        defer { statement.clear() }
        try statement.bind(.integer(record), at: 1)
        while try statement.step() {
            let local = LocalName(rawValue: statement.integer(0))
            guard let batch = rows[local.batch],
                let position = stored.versions.position(batch: batch, index: local.index)
            else { continue }
            let parents = statement.withBlob(1) { OperationName.names($0) }
            stored.versions.setParents(
                of: position,
                parents.compactMap { parent in
                    // A batch that was open then may have been sealed since.
                    let batch = parent.batch.openBatch.map { rows[$0] } ?? batches[parent.batch]
                    return batch.flatMap {
                        stored.versions.position(batch: $0, index: parent.index)
                    }
                })
        }
    }

    // MARK: What they say

    /// The content of one version.
    func content(of position: Int, in stored: StoredVersions) throws -> VersionContent {
        if let plain = stored.plain { return plain.content }
        let statement = try database.cached("SELECT content FROM _version WHERE version = ?1")
        defer { statement.clear() }
        try statement.bind(.integer(stored.local(position).rawValue), at: 1)
        guard try statement.step() else {
            throw StoreError.damaged("version \(stored.local(position).rawValue)")
        }
        return try statement.withBlob(0) { try VersionContent(encoded: $0) }
    }

    /// Calls `body` with some of the versions, by ascending place.
    func eachContent(
        of stored: StoredVersions, where isWanted: (Int) -> Bool,
        _ body: (Int, VersionContentReader) throws -> Void
    ) throws {
        guard let record = stored.record else { return }
        let statement = try database.prepare(
            "SELECT version, content FROM _version WHERE record = ?1 ORDER BY version")
        try statement.bind(.integer(record), at: 1)
        var position = 0
        while position < stored.versions.count, try statement.step() {
            guard statement.integer(0) == stored.local(position).rawValue else { continue }
            if isWanted(position) {
                try statement.withBlob(1) { try body(position, VersionContentReader($0)) }
            }
            position += 1
        }
    }

    /// The time on the author's own clock when it made a version.
    func wall(of position: Int, in stored: StoredVersions) throws -> WallTime {
        if let plain = stored.plain { return plain.wall }
        let local = stored.local(position)
        guard
            let wall = try database.integer(
                "SELECT wall FROM _version WHERE version = ?1", .integer(local.rawValue))
        else { throw StoreError.damaged("version \(local.rawValue)") }
        return WallTime(milliseconds: UInt64(max(wall, 0)))
    }

    /// One version with all that is known of it.
    func version(_ position: Int, in stored: StoredVersions) throws -> StoredVersion {
        if let plain = stored.plain { return plain }
        let versions = stored.versions
        let local = stored.local(position)
        guard
            case .blob(let bytes)? = try database.row(
                "SELECT parents FROM _version WHERE version = ?1", .integer(local.rawValue))?.first,
            let kind = versions.kind(of: position)
        else { throw StoreError.damaged("version \(local.rawValue)") }
        let parents = try bytes.withUnsafeBytes { OperationName.names($0) }.map { parent in
            guard let open = parent.batch.openBatch else { return parent }
            return try names.sealedName(LocalName(batch: open, index: parent.index)) ?? parent
        }
        return StoredVersion(
            local: local,
            version: RecordVersion(
                name: versions.name(of: position), author: versions.author(of: position),
                clock: versions.clock(of: position), parents: parents,
                writes: versions.fields(of: position).map { versions.fields[Int($0)] }),
            kind: kind, wall: try wall(of: position, in: stored),
            isPending: stored.isPending(position), content: try content(of: position, in: stored))
    }

    // MARK: Adding and taking out

    /// Adds an operation to a record's versions, where it is not among them yet.
    func add(
        _ local: LocalName, of record: Int64, kind: RecordsBlock.Kind, clock: Timestamp,
        wall: WallTime, parents: some Sequence<OperationName>, content: VersionContent
    ) throws {
        try database.run(
            """
            INSERT OR IGNORE INTO _version(version, record, kind, clock, wall, parents, content)
            VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)
            """, .integer(local.rawValue), .integer(record), .integer(Int64(kind.rawValue)),
            .integer(Int64(clock.rawValue)), .integer(Int64(wall.milliseconds)),
            .blob(parents.flatMap(\.key)), .blob(content.encoded))
    }

    /// How many versions of a record lie in one batch.
    func operations(on record: Int64, in batch: Int64) throws -> Int {
        let range = LocalName.range(of: batch)
        return Int(
            try database.integer(
                """
                SELECT count(*) FROM _version WHERE record = ?1 AND version BETWEEN ?2 AND ?3
                """, .integer(record), .integer(range.first), .integer(range.last)) ?? 0)
    }

    /// Whether a record has any operation, remarks included.
    func hasAny(on record: Int64) throws -> Bool {
        try database.integer(
            "SELECT 1 FROM _version WHERE record = ?1 LIMIT 1", .integer(record)) != nil
    }

    /// The versions that lie in a batch, each with its record.
    func inBatch(_ batch: Int64) throws -> [(version: LocalName, record: Int64)] {
        let range = LocalName.range(of: batch)
        return try database.rows(
            "SELECT version, record FROM _version WHERE version BETWEEN ?1 AND ?2",
            .integer(range.first), .integer(range.last)
        ).compactMap { row in
            guard case .integer(let version) = row[0], case .integer(let record) = row[1] else {
                return nil
            }
            return (LocalName(rawValue: version), record)
        }
    }

    /// Takes out the versions that lie in a batch.
    ///
    /// - Returns: the records that they were of.
    func remove(inBatch batch: Int64) throws -> Set<Int64> {
        let records = Set(try inBatch(batch).map(\.record))
        let range = LocalName.range(of: batch)
        try database.run(
            "DELETE FROM _version WHERE version BETWEEN ?1 AND ?2", .integer(range.first),
            .integer(range.last))
        return records
    }

    func removeAll() throws { try database.execute("DELETE FROM _version") }
}
