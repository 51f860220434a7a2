import ShareCore
import ShareCrypto

/// One record with all that is told of it.
extension RecordTables {
    /// Whether it has a change that its review had not seen, as it was noted for lists too.
    private func isNotedAsChanged(_ name: RecordName) throws -> Bool {
        let noted = try database.integer(
            """
            SELECT r.changed_since_review FROM _record r JOIN _form f USING(form)
            JOIN _device d ON d.device = r.creator
            WHERE f.form_id = ?1 AND d.key = ?2 AND r.id = ?3
            """, .text(name.form), .blob(name.creator.bytes), .blob(name.id.bytes))
        return noted == 1
    }

    /// Whether a row in its repeats was made or changed after its review.
    private func hasLaterRows(
        _ name: RecordName, _ form: FormInfo, _ outcome: RecordOutcome
    ) throws -> Bool {
        guard outcome.review != nil, !form.repeats.isEmpty else { return false }
        let statement = try database.prepare(
            """
            SELECT \(RecordColumns.rowsChangedSinceReview(form)) FROM \(SQLName.quote(form.table))
            WHERE _id = ?1 AND \(DeviceTable.authorID) = ?2
            """)
        try statement.bind([.text(name.id.text), .text(name.creator.text)])
        defer { statement.clear() }
        return try statement.step() && statement.integer(0) == 1
    }

    /// The details of a record beside its values.
    ///
    /// - Throws: `StoreError.unknownRecord`.
    func detail(of name: RecordName, in forms: FormTables) throws -> RecordDetail {
        let outcome = try RecordOutcome(try allVersions(of: name, in: forms), in: versions)
        guard outcome.isCreated, let form = forms.form(name.form) else {
            throw StoreError.unknownRecord(name.id.text)
        }
        func remark(_ position: Int, in stored: StoredVersions) throws -> RecordDetail.Remark {
            let content = try versions.content(of: position, in: stored)
            return RecordDetail.Remark(
                author: stored.versions.author(of: position),
                at: Int64(try versions.wall(of: position, in: stored).milliseconds),
                state: content.state,
                text: content.note)
        }
        let comments = try allVersions(of: name, in: forms, comments: .alone)
        let told = comments.ordered(
            0..<comments.versions.count, limit: RecordDetail.maxComments)
        let conflicts = try outcome.conflicts(in: versions)
        return RecordDetail(
            name: name, form: form, isDeleted: outcome.isDeleted,
            values: form.columns.map { column in
                column.shown(outcome.value(of: column.field, or: column.whole))
            },
            change: try outcome.lastChange.map { try remark($0, in: outcome.stored) },
            review: try outcome.review.map { try remark($0.version, in: outcome.stored) },
            isChangedSinceReview: try isNotedAsChanged(name)
                || hasLaterRows(name, form, outcome),
            comments: try told.map { try remark($0, in: comments) },
            conflicts: try conflicts.map { try self.conflicts.conflict($0, of: name, outcome) },
            parallel: conflicts.isEmpty ? try self.conflicts.parallelUpdate(of: name, outcome) : nil
        )
    }
}
