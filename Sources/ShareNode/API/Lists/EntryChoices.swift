import Expressions
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
        /// Reads what people type for a field of the key.
        let parser: ValueParser
        /// What people look for an entry by: first its key.
        var searched: [String] {
            form.key + form.stored.map(\.name).filter { !form.key.contains($0) }
        }
    }

    private struct Key: Hashable {
        let lists: ObjectIdentifier
        let definition: Int64
    }

    private let known = Mutex<[Key: Chosen]>([:])
    private static let limit = 64
    private static let prefix = "@form:"

    /// The entries that a list means: `@form:FORM`, or an entity list that a form writes; nil for a
    /// list of another kind.
    static func entries(of list: String, in lists: RoomLists) -> RoomEntries? {
        if list.hasPrefix(prefix) {
            return lists.entries(of: String(list.dropFirst(prefix.utf8.count)))
        }
        return lists.list(list) == nil ? lists.entries(ofEntityList: list) : nil
    }

    func chosen(
        _ entries: RoomEntries, _ lists: RoomLists, _ surroundings: EntrySurroundings
    ) -> Chosen? {
        let key = Key(lists: ObjectIdentifier(lists), definition: entries.definition)
        if let found = known.withLock({ $0[key] }) { return found }
        guard let json = lists.json(of: entries),
            let form = (try? Form(json: Array(json.utf8)))?.asChosen()
        else { return nil }
        let questionnaire = Questionnaire(form)
        let made = Chosen(
            lists: lists, form: form,
            namer: EntryNamer(questionnaire, lists, surroundings, isInner: true),
            parser: ValueParser(form))
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
    let areEntries = true
    /// An entry is read in 5 microseconds.
    let cost = 50
    private(set) var isCut = false
    private let lists: RoomLists
    private let entries: RoomEntries
    /// Nil while an entry's own name is made, which has no names of others in it.
    private let chosen: ChosenForms.Chosen?
    /// The entries that have been asked for.
    private var rows: [Int64] = []
    private var positions: [Int64: Int] = [:]
    /// The positions of those that are looked through where nothing is looked up.
    private var first: (positions: [Int], isCut: Bool)?
    private var recent: [Int64: RoomEntry] = [:]
    /// As many as are looked through at once.
    private static let kept = RoomLists.entries

    init(_ entries: RoomEntries, in lists: RoomLists, _ chosen: ChosenForms.Chosen?) {
        self.entries = entries
        self.lists = lists
        self.chosen = chosen
        // As XLSForms look into lists; a field of that name goes first.
        columns = (RoomEntries.own + entries.names + ["label"]).map { Array($0.utf8) }
    }

    var all: [Int] {
        if let first {
            isCut = first.isCut
            return first.positions
        }
        let found = positions(lists.rows(of: entries))
        first = (found, isCut)
        return found
    }

    func text(row: Int, column: Int) -> [UInt8] {
        guard let entry = entry(row) else { return [] }
        switch column {
        case 0: return Array(entry.id.utf8)
        case 1: return Array(entry.state.utf8)
        case 2: return Array(entry.author.utf8)
        default:
            let position = column - RoomEntries.own.count
            guard entry.values.indices.contains(position) else {
                return Array(EntryChoices.label(of: entry, entries, chosen).utf8)
            }
            return Array(entry.values[position].plainText.utf8)
        }
    }

    func label(row: Int, language: String?) -> String? {
        entry(row).map { EntryChoices.label(of: $0, entries, chosen) }
    }

    var count: Int { min(entries.count, Self.kept) }

    func rows(where column: Int, equals text: [UInt8], limit: Int) -> [Int]? {
        // What has no value is none of those that have an empty one.
        guard !text.isEmpty else { return nil }
        return lists.rows(
            of: entries, where: String(decoding: columns[column], as: UTF8.self),
            equals: String(decoding: text, as: UTF8.self)
        ).map { Array(positions($0).prefix(limit)) }
    }

    /// What is neither the id nor begins the key has no index: all entries are read.
    func lookupCost(_ column: Int) -> LookupCost {
        let field = column - RoomEntries.own.count
        let isFound =
            column == 0
            || entries.fields.indices.contains(field)
                && entries.fields[field] == chosen?.form.key.first
        return LookupCost(steps: isFound ? 8 : 8 + entries.count, eighths: 1 + cost)
    }

    func rows(matching typed: String, limit: Int) -> (rows: [Int], count: Int)? {
        let words = typed.split(separator: " ").map(String.init)
        let found =
            words.isEmpty
            ? lists.rows(of: entries, limit: limit) ?? FoundEntries()
            : lists.rows(
                of: entries, containing: words, in: chosen?.searched ?? entries.fields,
                limit: max(limit, RoomLists.entries))
        let positions = positions(found)
        if words.isEmpty {
            isCut = false
            return (positions, entries.count)
        }
        return (Array(positions.prefix(limit)), positions.count)
    }

    /// The positions of entries that were found, among all that were asked for.
    private func positions(_ found: FoundEntries?) -> [Int] {
        isCut = found?.isCut ?? false
        return found?.rows.map { row in
            if let known = positions[row] { return known }
            positions[row] = rows.count
            rows.append(row)
            return rows.count - 1
        } ?? []
    }

    private func entry(_ position: Int) -> RoomEntry? {
        guard rows.indices.contains(position) else { return nil }
        if let known = recent[rows[position]] { return known }
        guard let entry = lists.entry(rows[position], of: entries) else { return nil }
        if recent.count >= Self.kept { recent.removeAll(keepingCapacity: true) }
        recent[rows[position]] = entry
        return entry
    }

    /// What people call an entry: by the name that its form gives it as a choice, else its key, else
    /// what it begins with.
    static func label(
        of entry: RoomEntry, _ entries: RoomEntries, _ chosen: ChosenForms.Chosen?
    ) -> String {
        guard let chosen else { return entry.id }
        if let name = chosen.namer?.name(
            of: chosen.form.stored.map { entries.value(of: $0.name, in: entry) },
            at: entry.created), !name.isEmpty
        {
            return name
        }
        let names =
            chosen.form.key.isEmpty
            ? chosen.form.stored.filter { $0.kind == .text }.prefix(1).map(\.name)
            : chosen.form.key
        let shown = names.map { entries.value(of: $0, in: entry).plainText }
            .filter { !$0.isEmpty }
        return shown.isEmpty ? entry.id : shown.joined(separator: " ")
    }
}
