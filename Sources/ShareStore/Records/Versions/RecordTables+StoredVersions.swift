import ShareCore
import ShareCrypto

/// Reading the versions of a record: what decides between them packed, what they say one at a time.
extension RecordTables {
    /// Which operations on a record are looked at.
    enum Remarks: Int64 {
        /// All but comments.
        case left = 0
        /// Comments alone.
        case alone = 1
    }

    /// The versions of a record that are allowed by role and type.
    func versions(of record: Int64, comments: Remarks = .left) throws -> StoredVersions {
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

    /// A record's versions, also where it is only a row.
    ///
    /// - Throws: `StoreError.unknownRecord`.
    func allVersions(
        of name: RecordName, in forms: FormTables, comments: Remarks = .left
    ) throws -> StoredVersions {
        guard let form = forms.catalog.forms[name.form],
            let creator = try devices.find(name.creator)
        else { throw StoreError.unknownRecord(name.id.text) }
        if let record = try sideRecord(name.id, creator, form) {
            return try versions(of: record, comments: comments)
        }
        guard let row = try plainRow(name, in: form) else {
            throw StoreError.unknownRecord(name.id.text)
        }
        var stored = StoredVersions(record: nil)
        guard comments == .left else { return stored }
        let content = VersionContent(values: row.values.sorted { $0.field < $1.field })
        let sealed = try names.sealedName(row.local)
        let version = RecordVersion(
            name: sealed ?? OperationName(batch: .open(row.local.batch), index: row.local.index),
            author: name.creator, clock: row.clock, parents: [], writes: content.writes(as: .put))
        stored.versions.addBatch(version.name.batch, by: version.author)
        stored.versions.append(
            at: row.local.index, clock: row.clock,
            shape: stored.versions.shape(.put, writing: version.writes))
        stored.rows = [row.local.batch]
        stored.isOpen = [sealed == nil]
        stored.plain = StoredVersion(
            local: row.local, version: version, kind: .put,
            wall: WallTime(ofPut: name.id, clock: row.clock), isPending: sealed == nil,
            content: content)
        return stored
    }
}
