import ShareCore
import ShareFormats
import ShareForms
import ShareStore
import Synchronization

/// The forms whose entries others choose from, each read once: a name of a list `@form:FORM` leads
/// to them.
final class ChosenForms: Sendable {
    /// What is needed to call an entry by its name.
    struct Chosen: Sendable {
        /// Kept, so that no others can be taken for them.
        let lists: RoomLists
        let form: Form
        let namer: EntryNamer?
    }

    private struct Key: Hashable {
        let lists: ObjectIdentifier
        let definition: Int64
    }

    private let known = Mutex<[Key: Chosen]>([:])
    private static let limit = 64
    private static let prefix = "@form:"

    /// The form that a list means; nil for a list of another kind.
    static func formID(in list: String) -> String? {
        list.hasPrefix(prefix) ? String(list.dropFirst(prefix.utf8.count)) : nil
    }

    func chosen(
        _ entries: RoomEntries, _ lists: RoomLists, _ surroundings: EntrySurroundings
    ) -> Chosen? {
        let key = Key(lists: ObjectIdentifier(lists), definition: entries.definition)
        if let found = known.withLock({ $0[key] }) { return found }
        guard let json = lists.json(of: entries), let form = try? Form(json: Array(json.utf8))
        else { return nil }
        let questionnaire = Questionnaire(form)
        let made = Chosen(
            lists: lists, form: form,
            namer: EntryNamer(questionnaire, lists, surroundings, isInner: true))
        known.withLock { known in
            if known.count >= Self.limit { known = [:] }
            known[key] = made
        }
        return made
    }
}

/// The entries of another form as choices: what is stored is an entry's id, so that what chooses it
/// can be told from all others, and looks into it.
final class EntryChoices: ChoiceRows {
    let columns: [[UInt8]]
    private let lists: RoomLists
    private let entries: RoomEntries
    /// Nil while an entry's own name is made, which has no names of others in it.
    private let chosen: ChosenForms.Chosen?
    /// The entries that have been asked for; all there are once their count is.
    private var rows: [Int64] = []
    private var places: [Int64: Int] = [:]
    private var isWhole = false
    private var recent: [Int64: RoomEntry] = [:]
    private static let kept = 256

    init(_ entries: RoomEntries, in lists: RoomLists, _ chosen: ChosenForms.Chosen?) {
        self.entries = entries
        self.lists = lists
        self.chosen = chosen
        columns = (RoomEntries.own + entries.names).map { Array($0.utf8) }
    }

    var count: Int {
        if !isWhole {
            isWhole = true
            for row in lists.rows(of: entries) ?? [] { _ = place(row) }
        }
        return rows.count
    }

    func text(row: Int, column: Int) -> [UInt8] {
        guard let entry = entry(row) else { return [] }
        switch column {
        case 0: return Array(entry.id.utf8)
        case 1: return Array(entry.state.utf8)
        case 2: return Array(entry.author.utf8)
        default:
            let place = column - RoomEntries.own.count
            guard entry.values.indices.contains(place) else { return [] }
            return Array(entry.values[place].plainText.utf8)
        }
    }

    func label(row: Int, language: String?) -> String? {
        entry(row).map { EntryChoices.label(of: $0, entries, chosen) }
    }

    func rows(where column: Int, equals text: [UInt8]) -> [Int]? {
        let found = lists.rows(
            of: entries, where: String(decoding: columns[column], as: UTF8.self),
            equals: String(decoding: text, as: UTF8.self))
        return found?.map(place)
    }

    func rows(matching typed: String, limit: Int) -> (rows: [Int], count: Int)? {
        let found =
            typed.isEmpty
            ? lists.rows(of: entries) ?? [] : lists.rows(of: entries, containing: typed)
        return (found.prefix(limit).map(place), found.count)
    }

    private func place(_ row: Int64) -> Int {
        if let known = places[row] { return known }
        places[row] = rows.count
        rows.append(row)
        return rows.count - 1
    }

    private func entry(_ place: Int) -> RoomEntry? {
        guard rows.indices.contains(place) else { return nil }
        if let known = recent[rows[place]] { return known }
        guard let entry = lists.entry(rows[place], of: entries) else { return nil }
        if recent.count >= Self.kept { recent.removeAll(keepingCapacity: true) }
        recent[rows[place]] = entry
        return entry
    }

    /// What people call an entry: by the name that its form gives it, else its key, else what it
    /// begins with.
    static func label(
        of entry: RoomEntry, _ entries: RoomEntries, _ chosen: ChosenForms.Chosen?
    ) -> String {
        guard let chosen else { return entry.id }
        func value(_ name: String) -> FieldValue {
            entries.names.firstIndex { $0.utf8.elementsEqual(name.utf8) }
                .map { entry.values[$0] } ?? .absent
        }
        if let name = chosen.namer?.name(
            of: chosen.form.stored.map { value($0.name) }, at: entry.created), !name.isEmpty
        {
            return name
        }
        let names =
            chosen.form.key.isEmpty
            ? chosen.form.stored.filter { $0.kind == .text }.prefix(1).map(\.name)
            : chosen.form.key
        let shown = names.map { value($0).plainText }.filter { !$0.isEmpty }
        return shown.isEmpty ? entry.id : shown.joined(separator: " ")
    }
}

/// Finds an entry of another form by what people type: its id or the end of it, its name, its key.
struct EntryChoiceLookup: ChoiceLookup {
    let lists: RoomLists
    let entries: RoomEntries
    let chosen: ChosenForms.Chosen?

    private static let looked = 200

    func name(exactly bytes: UnsafeBufferPointer<UInt8>) -> String? {
        row(String(decoding: bytes, as: UTF8.self))?.id
    }

    func name(meant typed: String) -> String? {
        if let entry = row(typed) ?? keyed(typed) { return entry.id }
        let wanted = FoldedText.fold(typed)
        var (named, ended): (Set<String>, Set<String>) = ([], [])
        let candidates = found(typed)
        // Among more than are looked at, another may be meant as well.
        guard candidates.count < Self.looked else { return nil }
        for entry in candidates {
            if FoldedText.fold(label(of: entry)) == wanted || isKey(wanted, of: entry) {
                named.insert(entry.id)
            }
            if wanted.utf8.count >= 8, entry.id.hasSuffix(wanted) { ended.insert(entry.id) }
        }
        // Where several are meant by it, none is.
        for meant in [named, ended] where meant.count == 1 { return meant.first }
        return nil
    }

    func label(of name: String, in languages: [String?]) -> String? {
        row(name).map { label(of: $0) }
    }

    func names(like typed: String) -> [String] {
        found(String(typed.prefix(3))).map { label(of: $0) }
    }

    func names(containing text: String, limit: Int, fold: (String) -> String) -> [String] {
        lists.rows(of: entries, containing: text).prefix(limit)
            .compactMap { lists.entry($0, of: entries)?.id }
    }

    /// The entry with exactly that key, of a form whose key is one field.
    private func keyed(_ typed: String) -> RoomEntry? {
        guard let key = chosen?.form.key, key.count == 1,
            let rows = lists.rows(of: entries, where: key[0], equals: typed), rows.count == 1
        else { return nil }
        return lists.entry(rows[0], of: entries)
    }

    private func isKey(_ wanted: String, of entry: RoomEntry) -> Bool {
        guard let key = chosen?.form.key, !key.isEmpty else { return false }
        let values = key.map { name in
            entries.names.firstIndex(of: name).map { entry.values[$0].plainText } ?? ""
        }
        return FoldedText.fold(values.joined(separator: " ")) == wanted
    }

    private func found(_ typed: String) -> [RoomEntry] {
        // A name is made of several fields: one of its words stands in one of them.
        let word = typed.split(separator: " ").max { $0.utf8.count < $1.utf8.count }
        return lists.rows(of: entries, containing: word.map(String.init) ?? typed)
            .prefix(Self.looked).compactMap { lists.entry($0, of: entries) }
    }

    private func label(of entry: RoomEntry) -> String {
        EntryChoices.label(of: entry, entries, chosen)
    }

    private func row(_ id: String) -> RoomEntry? {
        guard id.utf8.count == 36 else { return nil }
        return lists.rows(of: entries, where: "name", equals: id)?.first
            .flatMap { lists.entry($0, of: entries) }
    }
}
