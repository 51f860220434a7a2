import ShareCore

/// Values that a later one has taken the place of under another type.
extension RecordTables {
    /// Shown records of a form in which what was said last of one field takes the place of what was
    /// said of the other: where that one is asked again, these show an older value.
    ///
    /// - Complexity: O(versions of the form's records that have several).
    func countEclipsed(
        _ earlier: FormField, by later: FormField, in form: FormTable
    ) throws -> Int {
        let records = try database.rows(
            "SELECT record FROM _record WHERE form = ?1 AND NOT hidden", .integer(form.number))
        return try records.count { row in
            guard case .integer(let record) = row[0] else { return false }
            let outcome = try RecordOutcome(try versions.all(of: record), in: versions)
            guard let old = outcome.values[earlier], old.value != .absent,
                let new = outcome.values[later]
            else { return false }
            return outcome.stored.versions.beats(new.winner, old.winner)
                && new.value != .decimal(old.value.number ?? .nan)
        }
    }
}

extension FieldValue {
    fileprivate var number: Double? {
        guard case .integer(let number) = self else { return nil }
        return Double(number)
    }
}
