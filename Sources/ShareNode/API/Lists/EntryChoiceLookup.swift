import ShareCore
import ShareCrypto
import ShareFormats
import ShareStore

/// Finds an entry of another form by what people type: its id or the end of it, its key, its name.
struct EntryChoiceLookup: ChoiceLookup {
    let lists: RoomLists
    let entries: RoomEntries
    let chosen: ChosenForms.Chosen?
    let surroundings: EntrySurroundings

    /// Entries with the words of a name in them that are looked at.
    private static let looked = 200
    /// Deleted entries that are looked at, the latest made.
    private static let deletedLooked = 1_000
    /// Entries of one name that are told apart.
    private static let told = 4
    /// Ways to read a text as the values of a key with several fields.
    private static let readings = 32

    func name(exactly bytes: UnsafeBufferPointer<UInt8>) -> String? {
        row(String(decoding: bytes, as: UTF8.self))?.id
    }

    func name(meant typed: String) -> String? {
        // Where several are meant by it, none is.
        let meant = meant(typed)
        return meant.count == 1 ? meant.first : nil
    }

    /// The ids of those that a text may mean.
    private func meant(_ typed: String) -> Set<String> {
        if let entry = row(typed) { return [entry.id] }
        for text in [typed, typed.uppercased()] {
            let keyed = keyed(text)
            if !keyed.isEmpty { return Set(keyed.compactMap { id($0) }) }
        }
        let wanted = FoldedText.fold(typed)
        var (named, ended): (Set<String>, Set<String>) = ([], [])
        guard let candidates = found(typed) else { return [] }
        for entry in candidates {
            if [label(of: entry), key(of: entry)].contains(where: { FoldedText.fold($0) == wanted })
            {
                named.insert(entry.id)
            }
            if wanted.utf8.count >= 8, entry.id.hasSuffix(wanted) { ended.insert(entry.id) }
        }
        return named.count == 1 || ended.count != 1 ? named : ended
    }

    /// One that was deleted is still known by the name that it had.
    func label(of name: String, in languages: [String?]) -> String? {
        (row(name) ?? lists.deleted(name, of: entries)).map { label(of: $0) }
    }

    func gone(meant typed: String) -> String? {
        let wanted = FoldedText.fold(typed)
        let meant = lists.deleted(of: entries, limit: Self.deletedLooked).filter { entry in
            [label(of: entry), key(of: entry)].contains { FoldedText.fold($0) == wanted }
        }
        return meant.count == 1 ? meant[0].id : nil
    }

    func labels(of name: String) -> [String] { label(of: name, in: []).map { [$0] } ?? [] }

    /// None: what shares some letters with a key is mostly another one.
    func names(like typed: String, in languages: [String?]) -> [String] { [] }

    func advice(for typed: String) -> String {
        let form = entries.formID
        return "Name the entry of \(form) by its key, its name or its id: `shared list \(form)`."
    }

    func several(meant typed: String) -> SeveralChoices? {
        let ids = meant(typed).sorted()
        guard ids.count > 1 else { return nil }
        let rows = ids.prefix(Self.told).compactMap { row($0) }
        let apart = chosen?.form.stored.indices.first { place in
            Set(rows.map { value(at: place, in: $0) }).count > 1
        }
        let told = rows.map { entry in
            "\(entry.id.suffix(8)) by \(surroundings.called(entry.author)), "
                + RecordTimestamp.local(entry.created)
                + (apart.map { answer(at: $0, in: entry) } ?? "")
        }
        return SeveralChoices(
            what: "\(ids.count) entries of \(entries.formID)", told: told,
            example: String(ids[0].suffix(8)), hasMore: ids.count > told.count, names: ids)
    }

    private func value(at place: Int, in entry: RoomEntry) -> FieldValue {
        chosen.map { entries.value(of: $0.form.stored[place].name, in: entry) } ?? .absent
    }

    /// `, Nets 3`
    private func answer(at place: Int, in entry: RoomEntry) -> String {
        guard let chosen else { return "" }
        let field = chosen.form.stored[place]
        let label = field.label.text(in: nil, chosen.form.defaultLanguage) ?? field.name
        let value = chosen.parser.label(value(at: place, in: entry), at: place).shortened(to: 60)
        return ", \(label) \(value.isEmpty ? "(nothing)" : value)"
    }

    func names(containing text: String, limit: Int, fold: (String) -> String) -> [String] {
        rows(containing: text).rows.prefix(limit).compactMap { id($0) }
    }

    /// The entries whose key is that: its values with spaces between them.
    private func keyed(_ typed: String) -> Set<Int64> {
        guard let chosen, !chosen.form.key.isEmpty else { return [] }
        var found: Set<Int64> = []
        for texts in Self.readings(typed, as: chosen.form.key.count) {
            let values = zip(chosen.form.key, texts).compactMap { field, text in
                (try? chosen.parser.value(text, at: chosen.parser.position(of: field)))
                    .map { (field: field, value: $0) }
            }
            // What is no value of its field means no entry.
            guard values.count == texts.count else { continue }
            found.formUnion(lists.rows(of: entries, key: values, limit: Self.told + 1)?.rows ?? [])
        }
        return found
    }

    /// Its key as it is written here; what is typed may differ in case and marks.
    private func key(of entry: RoomEntry) -> String {
        (chosen?.form.key ?? []).map { entries.value(of: $0, in: entry).plainText }
            .joined(separator: " ")
    }

    /// The first ways to part a text at its spaces into so many parts.
    static func readings(_ text: String, as parts: Int) -> [[String]] {
        let spaces = text.indices.filter { text[$0] == " " }
        guard parts > 1 else { return [[text]] }
        guard parts - 1 <= spaces.count else { return [] }
        // Which spaces: as the digits of a number that is counted up.
        var chosen = Array(0..<(parts - 1))
        var found: [[String]] = []
        while found.count < Self.readings {
            var start = text.startIndex
            var reading: [String] = []
            for place in chosen {
                reading.append(String(text[start..<spaces[place]]))
                start = text.index(after: spaces[place])
            }
            found.append(reading + [String(text[start...])])
            let last = chosen.indices.last { chosen[$0] < spaces.count - (chosen.count - $0) }
            guard let last else { break }
            chosen[last] += 1
            for next in chosen.indices where next > last { chosen[next] = chosen[next - 1] + 1 }
        }
        return found
    }

    /// The entries with these words in them; nil where they are more than are looked at, and others
    /// may be meant as well.
    private func found(_ typed: String) -> [RoomEntry]? {
        var found = rows(containing: typed)
        if found.rows.isEmpty, Self.words(typed).count > 1,
            let word = Self.words(typed).max(by: { $0.utf8.count < $1.utf8.count })
        {
            // Of a choice the name has the label, and the field has another text.
            found = rows(containing: word)
        }
        return found.isCut ? nil : found.rows.compactMap { lists.entry($0, of: entries) }
    }

    private func rows(containing typed: String) -> FoundEntries {
        let words = Self.words(typed)
        return lists.rows(
            of: entries, containing: words.isEmpty ? [typed] : words,
            in: chosen?.searched ?? entries.fields, limit: Self.looked)
    }

    /// Signs between the fields of a name stand in none of them.
    private static func words(_ typed: String) -> [String] {
        typed.split { !($0.isLetter || $0.isNumber || "-_./:".contains($0)) }
            .filter { $0.contains { $0.isLetter || $0.isNumber } }.map(String.init)
    }

    private func label(of entry: RoomEntry) -> String {
        EntryChoices.label(of: entry, entries, chosen)
    }

    private func id(_ row: Int64) -> String? { lists.entry(row, of: entries)?.id }

    private func row(_ id: String) -> RoomEntry? {
        guard id.utf8.count == 36 else { return nil }
        return lists.rows(of: entries, where: "name", equals: id, limit: 1)?.rows.first
            .flatMap { lists.entry($0, of: entries) }
    }
}
