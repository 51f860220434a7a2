import ShareControl
import ShareCore
import ShareFormats
import ShareStore

/// Keys that rows share with each other and with records.
extension ImportMatcher {
    /// Rows that are added although their key is there already, or one that differs in upper and
    /// lower case alone.
    ///
    /// - Parameter wrong: lines whose rows are not taken.
    func duplicates(without wrong: BitSet) throws -> ImportDuplicates {
        var duplicates = ImportDuplicates()
        guard let isKey,
            cased?.areThere == true
                || keys.values.contains(where: { $0.rows > 1 || $0.others + $0.own > 0 })
        else { return duplicates }
        var seen: Set<RowDigest> = []
        for row in fates.indices where fates[row] == .added && ids[Int32(row)] == nil {
            if changes.lines.indices.contains(row), wrong.contains(changes.line(of: row)) {
                continue
            }
            let digest = try key(of: row, isKey)
            let like = try rows.withRow(row) { bytes in cased?.like(bytes, digest) }
            guard let key = keys[digest] else { continue }
            var other: String?
            if key.rows > 1, !seen.insert(digest).inserted {
                duplicates.inFile += 1
            } else if key.others > 0 {
                duplicates.others += 1
            } else if key.own > 0 {
                duplicates.own += 1
            } else if let like, let name = try like.record ?? like.row.flatMap(name(of:)) {
                duplicates.alike += 1
                other = name
            } else {
                continue
            }
            guard duplicates.keys.count < ImportDuplicates.keysNamed,
                let name = try name(of: row)?.prefix(60)
            else { continue }
            let told = other.map { "\(name) (like \($0.prefix(60)))" } ?? String(name)
            if !duplicates.keys.contains(told) { duplicates.keys.append(told) }
        }
        return duplicates
    }

    /// What the key of a row is found by.
    func key(of row: Int, _ isKey: [Bool]) throws -> RowDigest {
        try keysByName[Int32(row)]
            ?? rows.withRow(row) { RowDigest($0, width: rows.width, picks: isKey) }
    }

    /// Whether rows may name entries by choices that are not offered any more.
    var mayNameOthers: Bool {
        guard let isKey, !changes.texts.isEmpty else { return false }
        return zip(fields, isKey).contains { $1 && parser.fields[$0].kind.isChoice }
    }

    /// The key of a record, where it has choices that are not offered any more.
    func keyByName(of record: RecordRow) -> RowDigest? {
        guard let isKey,
            zip(fields, isKey).contains(where: { field, isKey in
                isKey && !parser.notOffered(in: record.values[field], at: field).isEmpty
            })
        else { return nil }
        return digest(record.values, isKey)
    }

    /// Takes rows for those entries that have just the choices that they name.
    ///
    /// - Parameter there: the keys of entries that have such.
    mutating func nameKeys(_ there: Set<RowDigest>) throws {
        guard let isKey, !there.isEmpty else { return }
        for row in 0..<rows.count {
            let named = try changes.named(of: row)
            guard !named.isEmpty else { continue }
            var values = [FieldValue](repeating: .absent, count: parser.fields.count)
            for (field, cell) in zip(fields, try rows.values(row)) {
                values[field] = named[field] ?? cell
            }
            let digest = digest(values, isKey)
            if there.contains(digest) { keysByName[Int32(row)] = digest }
        }
    }

    /// - Parameter values: by the form's fields.
    private func digest(_ values: [FieldValue], _ isKey: [Bool]) -> RowDigest {
        var bytes: [UInt8] = []
        ImportRows.write(values, at: fields, to: &bytes)
        return bytes.withUnsafeBytes { RowDigest($0, width: rows.width, picks: isKey) }
    }

    /// What the form's key calls the entry of a row; nil without one.
    func name(of row: Int) throws -> String? {
        guard let isKey else { return nil }
        return Self.keyText(try rows.values(row), of: fields, isKey, parser)
    }

    static func keyText(
        _ cells: [FieldValue], of fields: [Int], _ isKey: [Bool], _ parser: ValueParser
    ) -> String {
        cells.indices.filter { isKey[$0] }.map { parser.called(cells[$0], at: fields[$0]) }
            .joined(separator: " ")
    }

    /// What is to be said of the key of a row that is wrong, where entries have it too; nil where
    /// none do.
    ///
    /// - Returns: also whether this device may change one of these.
    func namesake(of row: Int) throws -> (what: String, mayChange: Bool)? {
        guard let isKey else { return nil }
        guard let key = try keys[key(of: row, isKey)], key.records + key.foreign > 0,
            let name = try name(of: row)
        else { return nil }
        let what =
            if key.records + key.foreign > 1 {
                "\(key.records + key.foreign) entries are called \(name)"
            } else if key.foreign > 0 {
                "The key \(name) is there already, in an entry of another device"
            } else {
                "\(key.rows) rows of the file are called \(name), and one entry here"
            }
        return (what, key.records > 0)
    }
}
