import ShareCore
import ShareCrypto

/// What people ask of a room, as far as the writer's own tables answer it.
extension RoomWriter {
    func counts() throws -> RoomCounts {
        var counts = RoomCounts()
        counts.records = inForce.reduce(0) { $0 + (state.shown[$1.number] ?? 0) }
        func count(_ sql: String) throws -> Int { Int(try database.integer(sql) ?? 0) }
        counts.pending = try count("SELECT sum(count) FROM _pending")
        // What waits for its author is kept where it came before a grant fell, and nowhere else.
        counts.waiting =
            try count(
                "SELECT sum(count) FROM _waiting WHERE reason <> '\(Waiting.author.rawValue)'")
            + count(
                """
                SELECT count(*) FROM _record r JOIN _version v ON v.record = r.record
                WHERE NOT r.created
                """)
        counts.blocked = try blockedCount()
        // What is refused here and not sealed nobody else has refused: it can count yet.
        let kept = try refusedPending()
        counts.withheld = try kept + waitingWithheld()
        counts.refused = try count("SELECT sum(count) FROM _refused") - kept
        counts.conflicts = try count(
            "SELECT count(*) FROM (SELECT DISTINCT record, field, type FROM _conflict)")
        counts.parallel = try count("SELECT count(*) FROM _parallel")
        counts.apart = try count("SELECT count(*) FROM _apart")
        counts.digest = state.digest
        counts.settling = progress
        return counts
    }

    /// The forms that there are: not those that are on their way out.
    private var inForce: [FormTable] {
        state.catalog.forms.values.filter(\.inForce.isAccepted)
    }

    /// All forms, by id.
    func forms() -> [FormInfo] { inForce.map { info($0) }.sorted { $0.formID < $1.formID } }

    func form(_ formID: String) -> FormInfo? {
        guard let form = state.catalog.forms[formID], form.inForce.isAccepted else { return nil }
        return info(form)
    }

    private func info(_ form: FormTable) -> FormInfo {
        let current = form.inForce.form.fields
        let isCurrent = Set(current)
        let rest = form.columns.map(\.field).filter { !isCurrent.contains($0) }
        return FormInfo(
            definition: form.inForce.name, form: form.inForce.form,
            records: state.shown[form.number] ?? 0, table: form.table,
            columns: (current + rest).compactMap { field in
                form.names[field].map { FormInfo.Column(field: field, name: $0) }
            })
    }

    /// Where an accepted definition of a form has a field; nil if none has.
    func place(of field: FormField, in formID: String) -> FieldPlace? {
        state.catalog.definitions.values.filter { $0.isAccepted && $0.form.formID == formID }
            .sorted { $0.name < $1.name }.lazy
            .compactMap { definition in
                definition.form.fields.firstIndex(of: field).map {
                    FieldPlace(definition: definition.name, place: $0)
                }
            }.first
    }
}
