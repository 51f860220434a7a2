import ShareCore
import ShareCrypto

/// What the file says of control operations, members and definitions.
extension RoomWriter {
    /// Brings the file's notes up to date; after an opening all of them are written.
    func noteControl() throws {
        let notes = controlNotes()
        var old = state.notes ?? ControlNotes()
        if state.notes == nil {
            try database.execute("DELETE FROM _definition; DELETE FROM _member")
            for record in state.controls { try forgetNotes(of: record.batch) }
        }
        for (local, note) in notes.operations where old.operations[local] != note {
            try forget(local)
            if let key = note.key {
                try wait(local, count: note.count, reason: note.reason, key: key)
            } else {
                try refuse(local, count: note.count, reason: note.reason, what: note.what)
            }
        }
        for local in old.operations.keys where notes.operations[local] == nil { try forget(local) }
        for (name, note) in notes.definitions where old.definitions[name] != note {
            try write(note, of: name)
        }
        for (device, role) in notes.members {
            guard old.members.removeValue(forKey: device) != role else { continue }
            try database.run(
                "INSERT OR REPLACE INTO _member(key, role) VALUES(?1, ?2)", .blob(device.bytes),
                .integer(Int64(role.rawValue)))
        }
        for device in old.members.keys {
            try database.run("DELETE FROM _member WHERE key = ?1", .blob(device.bytes))
        }
        state.notes = notes
    }

    private func forgetNotes(of batch: Int64) throws {
        let range = LocalName.range(of: batch)
        for table in ["_refused", "_waiting"] {
            try database.run(
                "DELETE FROM \(table) WHERE operation BETWEEN ?1 AND ?2", .integer(range.first),
                .integer(range.last))
        }
    }

    private func forget(_ local: LocalName) throws {
        for table in ["_refused", "_waiting"] {
            try database.run(
                "DELETE FROM \(table) WHERE operation = ?1", .integer(local.rawValue))
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

    /// What the notes should be. What is accepted, and nothing else, advances the clock.
    private func controlNotes() -> ControlNotes {
        var notes = ControlNotes()
        for member in state.judgement.members { notes.members[member.device] = member.role }
        for definition in state.catalog.definitions.values {
            let inForce = state.catalog.plans[definition.form.formID]?.inForce.name
            notes.definitions[definition.name] = ControlNotes.Definition(
                verdict: definition.refusal ?? "accepted",
                isInForce: definition.isAccepted && inForce == definition.name)
        }
        for record in state.controls {
            func local(_ index: Int) -> LocalName { LocalName(batch: record.batch, index: index) }
            guard let body = record.body else {
                notes.operations[local(0)] = ControlNotes.Operation(
                    count: 1, reason: "malformed", what: "batch", key: nil)
                continue
            }
            for (index, entry) in record.entries {
                let name = record.name(index)
                let reason =
                    state.judgement.refusal(of: name) ?? state.catalog.definitions[name]?.refusal
                guard let reason else {
                    state.clock.observe(entry.clock)
                    continue
                }
                notes.operations[local(index)] =
                    state.judgement.isWaiting(name)
                    ? ControlNotes.Operation(
                        count: 1, reason: "author", what: "", key: record.author.bytes)
                    : ControlNotes.Operation(
                        count: 1, reason: reason, what: entry.operation.word, key: nil)
            }
            for block in body.blocks {
                switch block {
                case .unknown(let kind, let first, let count) where kind.isMultiple(of: 2):
                    // Of a kind that only a newer release knows.
                    notes.operations[local(first)] = ControlNotes.Operation(
                        count: count, reason: "kind", what: "", key: [])
                case .misplaced(_, let first, let count):
                    notes.operations[local(first)] = ControlNotes.Operation(
                        count: count, reason: "misplaced", what: "operation", key: nil)
                case .unknown, .records, .control: continue
                }
            }
        }
        return notes
    }
}
