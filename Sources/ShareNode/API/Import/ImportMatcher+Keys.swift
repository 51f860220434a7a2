import ShareControl
import ShareCore
import ShareFormats

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
            if lines.indices.contains(row), wrong.contains(Int(lines[row])) { continue }
            let (digest, like) = try rows.withRow(row) { bytes in
                let digest = RowDigest(bytes, width: rows.width, picks: isKey)
                return (digest, cased?.like(bytes, digest))
            }
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

    /// What the form's key calls the entry of a row; nil without one.
    func name(of row: Int) throws -> String? {
        guard let isKey else { return nil }
        return Self.keyText(try rows.values(row), isKey)
    }

    static func keyText(_ cells: [FieldValue], _ isKey: [Bool]) -> String {
        zip(cells, isKey).filter(\.1).map(\.0.plainText).joined(separator: " ")
    }

    /// What is to be said of the key of a row that is wrong, where entries have it too; nil where
    /// none do.
    ///
    /// - Returns: also whether this device may change one of these.
    func namesake(of row: Int) throws -> (what: String, mayChange: Bool)? {
        guard let isKey else { return nil }
        let digest = try rows.withRow(row) { RowDigest($0, width: rows.width, picks: isKey) }
        guard let key = keys[digest], key.records + key.foreign > 0,
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
