import ShareControl
import ShareCore
import ShareFormats
import ShareStore

/// Rows of repeats, and the entries that they belong to.
extension CSVImport {
    /// Rows of a repeat with the entries that they belong to, which have to be here.
    mutating func withParents(_ entries: [ImportedEntry]) async throws -> [ImportedEntry] {
        guard let parentForm = FormDefinition.parentForm(of: schema.info.formID),
            let info = await room.store.form(parentForm), !entries.isEmpty
        else { return entries }
        if parents == nil { parents = try RoomReader(path: room.store.path) }
        if places == nil, entries.contains(where: { $0.parentPlace != nil }) {
            places = try await RowIndexes(of: parentForm, in: room)
        }
        let keys = entries.map { entry in
            entry.parentPlace.map { places?.row($0, in: entry.parentKey) } ?? entry.parentKey
        }
        let creators =
            try await parents?.creators(of: Set(keys.compactMap(\.self)), in: info) ?? [:]
        let unknown = zip(entries, keys).filter { entry, key in
            entry.parentPlace == nil && key.map { creators[$0] == nil } == true
        }
        let called = try await parents(called: Set(unknown.map(\.0.parentText)), of: parentForm)
        let goneKeys = try await deletedParents(
            called: Set(unknown.map(\.0.parentText)).subtracting(called.keys))
        let gone = try await deleted(
            Set(
                zip(entries, keys).filter { $1.map { creators[$0] == nil } ?? true }
                    .flatMap { [$0.parentKey, $1].compactMap(\.self) }))
        let lost = try await deletedRows(
            of: Set(
                zip(entries, keys).filter { $0.parentPlace != nil && $1 == nil }
                    .map(\.0.parentText)), parentForm)
        return try zip(entries, keys).compactMap { entry, key in
            guard let parent = entry.parentKey else { return nil }
            let keyed = called[entry.parentText] ?? []
            let key = keyed.first?.id ?? key
            if key == nil, !gone.contains(parent), let id = lost[entry.parentText] {
                orphans.append(ImportMatcher.LeftOut(line: entry.line, id: id))
                return nil
            }
            if keyed.isEmpty, key.map({ creators[$0] == nil }) ?? true,
                let id = [key, parent].compactMap(\.self).first(where: gone.contains)
            {
                orphans.append(ImportMatcher.LeftOut(line: entry.line, id: id))
                return nil
            }
            if let id = goneKeys[entry.parentText], entry.parentPlace == nil, keyed.isEmpty {
                orphans.append(
                    ImportMatcher.LeftOut(line: entry.line, id: id, key: entry.parentText))
                return nil
            }
            func reject(_ reason: String, _ hint: String) throws -> ImportedEntry? {
                try found.reject(
                    [
                        ImportProblem(
                            line: entry.line, column: ImportColumns.parentKey, reason: reason,
                            hint: hint)
                    ], entry.raw)
                return nil
            }
            guard let key else {
                return try reject(
                    "the entry has no row \(entry.parentPlace ?? 0) of \(parentForm) here",
                    "Import all of what KoboToolbox exports in one file.")
            }
            guard keyed.count < 2 else {
                return try reject(
                    "\(keyed.count) entries of \(parentForm) are called \(entry.parentText)",
                    "Name one by its _id: `shared list \(parentForm) --duplicates` shows them.")
            }
            let creators = keyed.first.map { [$0.creator] } ?? creators[key] ?? []
            let wanted = creators.contains(own.key) ? own.key : creators.first
            guard let creator = wanted, creators.count == 1 || creator == own.key else {
                return try reject(
                    creators.isEmpty
                        ? "no entry of \(parentForm) has this key here"
                        : "several devices have an entry of this key",
                    "Import the entries first: `shared import \(parentForm) FILE`.")
            }
            guard creator == own.key || mayChangeOthers else {
                return try reject(
                    "the entry is another device's; only an editor may add to it",
                    "Leave the row out, or ask an editor of the room.")
            }
            var entry = entry
            entry.values[0] = .text(ParentName(creator: creator, id: key).text)
            return entry
        }
    }

    /// Which of these are ids of deleted entries, or of deleted rows of their repeats.
    private func deleted(_ ids: Set<RecordID>) async throws -> Set<RecordID> {
        guard !ids.isEmpty else { return [] }
        var gone: Set<RecordID> = []
        var form = schema.info.formID
        while let above = FormDefinition.parentForm(of: form) {
            gone.formUnion(try await parents?.deleted(ids, of: above).keys ?? [:].keys)
            form = above
        }
        return gone
    }

    /// Of entries as KoboToolbox calls them a row each that was deleted, of rows which it tells apart
    /// by their places: what belongs to none that is here belonged to it, or to another such.
    private func deletedRows(
        of entries: Set<String>, _ form: String
    ) async throws -> [String: RecordID] {
        guard let parents, let info = await room.store.form(form) else { return [:] }
        var lost: [String: RecordID] = [:]
        for entry in entries {
            for place in 1...Int64.max {
                guard let id = ImportedEntry.id(ofPlace: place, in: form, of: entry) else { break }
                if try await !parents.creators(of: [id], in: info).isEmpty { continue }
                if try await !parents.deleted([id], of: form).isEmpty { lost[entry] = id }
                break
            }
        }
        return lost
    }

    /// The entries that have the form's key as people write it, by these texts; nothing for a form
    /// whose key has several fields, or none.
    private func parents(
        called texts: Set<String>, of form: String
    ) async throws -> [String: [RecordName]] {
        guard let root, root.info.formID == form, root.keyPlaces.count == 1,
            let parents
        else { return [:] }
        var found: [String: [RecordName]] = [:]
        for text in texts {
            let lookup = try EntryLookup(root, [text], at: entering.wall())
            do {
                let names = try await lookup.shown(parents, part: false)
                if !names.isEmpty { found[text] = names }
            } catch is ValueError {
                // What is no value of the key's field is no key.
            }
        }
        return found
    }

    /// The deleted entries that have the form's key as people write it, by these texts.
    private mutating func deletedParents(
        called texts: Set<String>
    ) async throws -> [String: RecordID] {
        guard let root, let place = root.keyPlaces.first, root.keyPlaces.count == 1,
            let parents, !texts.isEmpty
        else { return [:] }
        if deletedKeys == nil { deletedKeys = try await deletedKeys(of: root, parents) }
        var found: [String: RecordID] = [:]
        for text in texts {
            if let value = try? root.parser.value(text, at: place), value != .absent {
                found[text] = deletedKeys?[value]
            }
        }
        return found
    }
}
