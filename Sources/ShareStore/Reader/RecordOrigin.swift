import ShareCore

/// Under which version of its form a record was made, as SQL.
enum RecordOrigin {
    /// The place in `FormInfo.accepted` of the definition that the record's batch uses; NULL where it
    /// uses none of them. Where its author got a new version while the batch was being filled, it
    /// uses several, and the oldest is meant.
    static func sql(_ form: FormInfo) -> String {
        let row = "\(SQLName.quote(form.table))._version"
        let names = form.accepted.map { "x'\(Hex.encode($0.definition.key))'" }
        let places = names.enumerated().map { "WHEN \($1) THEN \($0)" }
        return """
            (SELECT max(CASE u.definition \(places.joined(separator: " ")) END) FROM _uses u
            WHERE u.definition IN (\(names.joined(separator: ", "))) AND u.batch = (
                CASE WHEN \(row) < 0 THEN (
                    SELECT min(v.version) FROM _version v
                    WHERE v.record = -\(row) AND v.kind = \(RecordsBlock.Kind.put.rawValue))
                ELSE \(row) END) / 8192)
            """
    }
}
