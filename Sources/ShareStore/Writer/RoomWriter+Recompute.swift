import ShareCore
import ShareCrypto

/// Working out what records with a past come to.
extension RoomWriter {
    /// Brings all records that were touched up to date, each once.
    func recomputeDirty() throws {
        while let record = state.dirty.popFirst() { try recompute(record) }
    }

    private func recompute(_ record: Int64) throws {
        guard
            let row = try database.row(
                "SELECT form, creator, id, hidden, item FROM _record WHERE record = ?1",
                .integer(record)),
            case .integer(let formNumber) = row[0], case .integer(let creator) = row[1],
            case .blob(let bytes) = row[2], let id = RecordID(bytes)
        else { return }
        let wasShown = row[3] == 0
        if case .blob(let item) = row[4], let old = StateDigest(item) { state.recordSum -= old }
        let place = ConflictTrace.Place(form: formNumber, creator: creator, id: id)
        let key = try devices.key(of: creator)
        let stored = try versions(of: record)
        guard let form = state.catalog.byNumber[formNumber], stored.versions.count > 0 else {
            if wasShown, let form = state.catalog.byNumber[formNumber] {
                try deleteRow(id, key, form)
            }
            try noteConflicts(of: nil, record, at: place)
            if try database.integer(
                "SELECT 1 FROM _version WHERE record = ?1 LIMIT 1", .integer(record)) == nil
            {
                try database.run("DELETE FROM _record WHERE record = ?1", .integer(record))
            } else {
                try note(record, created: false, hidden: true, item: nil)
            }
            return
        }
        let name = RecordName(form: form.formID, creator: key, id: id)
        let accepted = try RecordOutcome(stored.sealed, in: self)
        let shown = stored.hasPending ? try RecordOutcome(stored, in: self) : accepted
        let item = accepted.isCreated ? accepted.digest(of: name, items) : nil
        if let item { state.recordSum += item }

        let isShown = shown.isCreated && !shown.isDeleted
        if isShown {
            try writeRow(shown, record, name, form, exists: wasShown)
        } else if wasShown {
            try deleteRow(id, key, form)
        }
        try noteConflicts(of: shown.isCreated ? shown : nil, record, at: place)
        try note(record, created: shown.isCreated, hidden: !isShown, item: item)
    }

    private func note(
        _ record: Int64, created: Bool, hidden: Bool, item: StateDigest?
    ) throws {
        try database.run(
            "UPDATE _record SET created = ?2, hidden = ?3, item = ?4 WHERE record = ?1",
            .integer(record), .integer(created ? 1 : 0), .integer(hidden ? 1 : 0),
            item.map { .blob($0.bytes) } ?? .null)
    }

    func deleteRow(_ id: RecordID, _ creator: DeviceKey, _ form: FormTable) throws {
        try database.run(
            "DELETE FROM \(form.quoted) WHERE _id = ?1 AND _author = ?2", .text(id.text),
            .text(creator.text))
        state.count(shown: -database.changes, in: form.number)
    }

    private func writeRow(
        _ outcome: RecordOutcome, _ record: Int64, _ name: RecordName, _ form: FormTable,
        exists: Bool
    ) throws {
        let columns =
            ["_created", "_updated", "_state", "_version", "_clock"] + form.columns.map(\.name)
        let sql: String
        if exists {
            let assignments = columns.enumerated()
                .map { "\(SQLName.quote($1)) = ?\($0 + 3)" }.joined(separator: ",")
            sql = "UPDATE \(form.quoted) SET \(assignments) WHERE _id = ?1 AND _author = ?2"
        } else {
            let places = (1...columns.count + 2).map { "?\($0)" }.joined(separator: ",")
            let names = columns.map { SQLName.quote($0) }.joined(separator: ",")
            sql = "INSERT INTO \(form.quoted)(_id,_author,\(names)) VALUES(\(places))"
            state.count(shown: 1, in: form.number)
        }
        let statement = try database.cached(sql)
        try statement.bind(
            [
                .text(name.id.text), .text(name.creator.text),
                .integer(Int64(outcome.created.milliseconds)),
                .integer(Int64(outcome.updated.milliseconds)),
                outcome.review?.state.map { .text($0) } ?? .null, .integer(-record),
                .integer(Int64(outcome.updated.rawValue)),
            ] + form.columns.map { outcome.values[$0.field]?.value.sql ?? .null })
        try statement.step()
        statement.clear()
    }
}
