import ShareControl
import ShareCore
import ShareFormats
import ShareStore

/// Finding the entry that a key means: as it is typed before it is tried in capitals, so that what
/// one household is called never means another one, whether it is deleted or not.
struct EntryNaming {
    let service: RecordsService
    let room: OpenRoom
    let reader: RoomReader
    let use: EntryUse

    /// Records of one form.
    private typealias Found = (schema: FormSchema, names: [RecordName])

    /// The entry with that key, whatever its form, as far as the end of an id need not be tried
    /// first; nil where there is none. A whole key goes before a part of one.
    ///
    /// - Parameter word: the key as it is typed.
    /// - Throws: `Problem` where several have it, it is deleted, or it is written otherwise.
    func keyed(_ lookups: [EntryLookup], _ word: String) async throws -> RecordName? {
        let capitals = lookups.compactMap(\.inCapitals)
        switch use {
        case .restore:
            for lookups in [lookups, capitals] {
                if let gone = try await only(gone(lookups), word) { return gone }
                if let shown = try await only(shown(lookups), word) { return shown }
            }
        case .undo:
            for lookups in [lookups, capitals] {
                let all = try await shown(lookups) + gone(lookups)
                if !all.isEmpty { return try await lastChanged(of: all, word) }
            }
        case .look, .review, .edit, .resolve, .delete:
            if let found = try await only(shown(lookups), word) { return found }
            let otherwise = try await shown(capitals)
            if !otherwise.isEmpty {
                if let gone = try await deleted(lookups, word) { return gone }
                return try await written(otherwise, word)
            }
            guard use.takesPart else { return nil }
            for lookups in [lookups, capitals] {
                let parts = try await shown(lookups.filter(\.isPart), part: true)
                if let found = try await only(parts, word) { return found }
            }
        }
        return nil
    }

    /// The deleted entry with that key, or with it in capitals; nil where there is none.
    ///
    /// - Throws: `Problem` where a deleted one is not meant, and where several have it.
    func deleted(_ lookups: [EntryLookup], _ word: String) async throws -> RecordName? {
        for lookups in [lookups, lookups.compactMap(\.inCapitals)] {
            guard let found = try await only(gone(lookups), word) else { continue }
            guard use.takesDeleted else { throw RecordsService.isDeleted(word, found) }
            return found
        }
        return nil
    }

    /// What is no value of a form's key is no key of its entries.
    private func shown(_ lookups: [EntryLookup], part: Bool = false) async throws -> [Found] {
        var found: [Found] = []
        for lookup in lookups {
            let names =
                try await RecordsService.ifNamed { try await lookup.written(reader, part: part) }
                ?? []
            if !names.isEmpty { found.append((lookup.schema, names)) }
        }
        return found
    }

    private func gone(_ lookups: [EntryLookup]) async throws -> [Found] {
        var found: [Found] = []
        for lookup in lookups {
            let names =
                try await RecordsService.ifNamed {
                    try await lookup.deleted(reader, part: use.takesPart)
                } ?? []
            if !names.isEmpty { found.append((lookup.schema, names)) }
        }
        return found
    }

    private func only(_ found: [Found], _ word: String) async throws -> RecordName? {
        try await service.only(found, called: word, reader)
    }

    /// The entry whose key is written otherwise, where that is enough.
    private func written(_ found: [Found], _ word: String) async throws -> RecordName? {
        guard let name = try await only(found, word) else { return nil }
        guard use.isExact, let schema = found.first?.schema else { return name }
        let row = try await reader.record(name, in: schema.info)
        let key = (row.flatMap { schema.key(of: $0.values) } ?? "").prefix(120)
        let short = name.id.text.suffix(8)
        throw Problem(
            .otherCase,
            "no entry is written \(word.prefix(120)); there is \(name.form) \(key) (\(short))",
            hint: "Where that one is meant, write its key so, or give its id: \(short).")
    }

    /// The one among several of one key that this device has changed last.
    private func lastChanged(of found: [Found], _ word: String) async throws -> RecordName? {
        let all = found.flatMap { one in one.names.map { (name: $0, schema: one.schema) } }
        guard all.count > 1 else { return all.first?.name }
        let keys = service.own.keys
        let moments = try await room.store.perform { store in
            try all.map { one -> Int64? in
                let own = try store.history(of: one.name)
                let rows = try EntryPart.all(of: one.name, one.schema, in: store)
                let made = own.first { $0.kind == .put }?.at
                return (own + rows.flatMap(\.history)).filter {
                    keys.contains($0.author) && $0.refusal == nil && $0.at != made
                        && $0.kind != .comment && $0.kind != .review
                }.map(\.at).max()
            }
        }
        if let last = moments.compactMap(\.self).max() {
            let those = zip(all, moments).filter { $0.1 == last }.map(\.0)
            if those.count == 1 { return those[0].name }
        }
        // One list for each form, shown and deleted ones together.
        let forms = Dictionary(grouping: all) { $0.schema.info.formID }.sorted { $0.key < $1.key }
        return try await only(forms.map { ($0.value[0].schema, $0.value.map(\.name)) }, word)
    }
}
