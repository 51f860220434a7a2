import ShareCore
import ShareCrypto

/// What the file says of control operations, members and definitions.
extension RoomWriter {
    /// Brings the file's notes up to date, those on operations for the control batches at these
    /// places; after an opening all of them are written.
    func noteControl(changed: [Int]) throws {
        let notes = controlNotes()
        let old = state.notes ?? ControlNotes()
        if state.notes == nil {
            try database.execute("DELETE FROM _definition; DELETE FROM _member")
            for record in state.controls { try note(record) }
        } else {
            for place in changed { try note(state.controls[place]) }
        }
        for (name, note) in notes.definitions where old.definitions[name] != note {
            try write(note, of: name)
        }
        for (name, note) in old.definitions where notes.definitions[name] == nil {
            try database.run(
                "DELETE FROM _definition WHERE operation = ?1", .integer(note.local.rawValue))
        }
        let (now, before) = Member.unlike(notes.members, old.members)
        for member in before {
            try database.run("DELETE FROM _member WHERE key = ?1", .blob(member.device.bytes))
        }
        for member in now {
            try database.run(
                "INSERT OR REPLACE INTO _member(key, role) VALUES(?1, ?2)",
                .blob(member.device.bytes), .integer(Int64(member.role.rawValue)))
        }
        state.notes = notes
    }

    /// Writes what the operations of a control batch come to. What is accepted, and nothing else,
    /// advances the clock.
    private func note(_ record: ControlRecord) throws {
        let range = LocalName.range(of: record.batch)
        for table in ["_refused", "_waiting"] {
            try database.run(
                "DELETE FROM \(table) WHERE operation BETWEEN ?1 AND ?2", .integer(range.first),
                .integer(range.last))
        }
        guard let outcome = record.outcome else { return }
        for note in outcome.notes + record.foreign {
            let local = LocalName(batch: record.batch, index: note.places.lowerBound)
            switch note.verdict {
            case .waiting(let waiting, let key):
                try wait(local, count: note.count, for: waiting, key: key)
            case .refused(let refusal, let what):
                try refuse(local, count: note.count, refusal, what: what)
            }
        }
        guard outcome.acceptsAny else { return }
        for (index, entry) in record.entries where outcome.verdict(at: index) == .accepted {
            state.clock.observe(entry.clock)
        }
    }

    private func write(_ note: ControlNotes.Definition, of name: OperationName) throws {
        guard let definition = state.catalog.definitions[name] else { return }
        let form = definition.form
        try database.run(
            """
            INSERT INTO _definition(operation, form_id, version, verdict, in_force, json)
            VALUES(?1, ?2, ?3, ?4, ?5, ?6)
            ON CONFLICT(operation) DO UPDATE SET verdict = ?4, in_force = ?5
            """, .integer(definition.local.rawValue), .text(form.formID), .text(form.version),
            .text(note.verdict), .integer(note.isInForce ? 1 : 0), .text(form.json))
    }

    private func controlNotes() -> ControlNotes {
        var notes = ControlNotes()
        notes.members = state.judgement.members
        for definition in state.catalog.definitions.values {
            let inForce = state.catalog.plans[definition.form.formID]?.inForce.name
            notes.definitions[definition.name] = ControlNotes.Definition(
                local: definition.local, verdict: definition.verdict.word,
                isInForce: definition.isAccepted && inForce == definition.name)
        }
        return notes
    }
}
