internal import JSON
internal import ShareControl
import Glibc

/// Which columns a list of entries has, and how wide they are.
struct ListLayout {
    static let isOnTerminal = isatty(STDOUT_FILENO) == 1

    /// One column.
    private struct Column {
        var name: String
        var title: String
        var width: Int
        var isNumeric = false
        /// Longer cells are cut.
        var limit: Int?
    }

    /// Where all is shown, a longer cell widens its column no further.
    private static let widestCell = 40
    /// Nor does a name, by which people find the entry in its line.
    private static let widestName = 120
    /// On a terminal no column but the first takes more.
    private static let widestFitted = 24
    private static let gap = 2
    private static let narrowestFitted = 6
    /// So many fields behind the key are there before all others, at least so wide each.
    private static let leading = 2
    private static let narrowestLeading = 10
    private static let narrowestNote = 12
    private static let widestNote = 60

    private var shown: [Column]
    private let left: [String]
    private let isFitted: Bool

    /// - Parameters:
    ///   - records: some of the list, which show how wide its cells are.
    ///   - columns: those that somebody asks for.
    ///   - asked: fields that conditions name; they come before others.
    ///   - width: of the terminal; nil for a file or a pipe.
    /// - Throws: `Problem` for a column that is not there.
    init(
        _ head: ListHead, _ records: [JSONObject], columns: [String]?, asked: [String] = [],
        isWide: Bool, isInvalid: Bool, width: Int?
    ) throws(Problem) {
        let former = head.former.filter { name in records.contains { $0[name] != nil } }
        let fields = head.columns.filter { !head.former.contains($0) } + former
        if let columns = columns.map({ head.wanted ?? $0 }) {
            let names = try columns.map { (name) throws(Problem) in
                try Self.named(name, among: head)
            }
            (left, isFitted) = ([], width != nil)
            shown = names.map {
                Self.column($0, records, limit: nil, isFitted: width != nil)
            }
            // The widest are cut first.
            var limit = Self.widestCell
            while let width, !isWide, Self.total(shown) > width, limit >= Self.narrowestFitted {
                shown = names.map { Self.column($0, records, limit: limit, isFitted: true) }
                limit -= 1
            }
            return
        }
        guard let width, !isWide else {
            shown =
                (["_id"] + (head.isNamed ? ["_name"] : [])).map {
                    Self.column($0, records, limit: nil, isFitted: false)
                }
                + fields.map { Self.column($0, records, limit: nil, isFitted: false) }
                + (["_updated_by", "_updated"] + (isInvalid ? ["_problems"] : [])).map {
                    Self.column($0, records, limit: nil, isFitted: false)
                }
            (left, isFitted) = ([], false)
            return
        }
        isFitted = true
        let limit = max(8, min(Self.widestFitted, width / 3))
        let names = head.isNamed ? ["_name"] : head.key
        let needsID =
            names.isEmpty
            || records.contains { record in names.allSatisfy { record[$0] == nil } }
            || Set(records.map { record in names.map { Text.value(record[$0]) } }).count
                < records.count
        var first = (needsID ? ["_id"] : []) + names
        guard !isInvalid else {
            // How they break it comes last, in full.
            shown = first.map { Self.column($0, records, limit: limit, isFitted: true) }
            shown.append(Self.column("_problems", records, limit: nil, isFitted: true))
            left = []
            return
        }
        var last = ["_updated_by", "_updated"]
        if records.contains(where: { !Self.notes($0).isEmpty }) { last.append("_notes") }
        func made(_ names: [String], cutTo cut: Int? = nil) -> [Column] {
            names.map { Self.column($0, records, limit: cut ?? limit, isFitted: true) }
        }
        while Self.total(made(first)) > width, first.count > 1 { first.removeLast() }
        // Empty columns say nothing; they come last, and mostly do not.
        let rest = fields.filter { !first.contains($0) }
        let filled = rest.filter { name in records.contains { $0[name] != nil } }
        let wanted = Set(asked.map { $0.lowercased() })
        let ordered =
            filled.filter { wanted.contains($0.lowercased()) }
            + filled.filter { !wanted.contains($0.lowercased()) }
        let isOfDeleted = records.first?["_deleted_by"] != nil
        // What people know an entry by, who changed it when, and what there is to note come before
        // any narrow field further on: the first and the notes are cut, and then the others give way.
        var middle = Array(ordered.prefix(Self.leading))
        var (cut, note) = (limit, limit)
        func all() -> [Column] {
            made(first) + made(middle, cutTo: cut)
                + last.flatMap { made([$0], cutTo: $0 == "_notes" ? note : nil) }
        }
        while Self.total(all()) > width, cut > Self.narrowestLeading { cut -= 1 }
        while Self.total(all()) > width, note > Self.narrowestNote { note -= 1 }
        // Of what was deleted, who did it when is what people look for.
        let fewest = isOfDeleted ? 0 : 1
        while Self.total(all()) > width, middle.count > fewest { middle.removeLast() }
        let trail = last.count
        while Self.total(all()) > width, !last.isEmpty { last.removeFirst() }
        while Self.total(all()) > width, !middle.isEmpty { middle.removeLast() }
        // A note is read as a whole before there is any further field.
        while note < Self.widestNote {
            note += 1
            guard Self.total(all()) > width else { continue }
            note -= 1
            break
        }
        shown = all()
        for name in ordered where last.count == trail && !middle.contains(name) {
            guard Self.total(shown + made([name])) <= width else { continue }
            middle.append(name)
            shown = all()
        }
        left = rest.filter { !middle.contains($0) }
    }

    var header: String {
        line(
            shown.map { column in
                column.limit.map { Terminal.cut(column.title, $0) } ?? column.title
            })
    }

    func line(_ record: JSONObject) -> String {
        line(
            shown.map { column in
                let text = Self.cell(column.name, record, isFitted: isFitted)
                return column.limit.map { Terminal.cut(text, $0) } ?? text
            })
    }

    /// How many entries these are, and what is not shown of them; for a terminal.
    ///
    /// - Parameter kept: those of them that no other device is sent; the head does not count these.
    func footer(_ count: Int, kept: Int = 0, of head: ListHead, width: Int) -> [String] {
        let entries = ListLayout.shown(count, kept: kept, of: head)
        guard !left.isEmpty else { return [entries] }
        let fields = Text.count(left.count, "more field", "more fields")
        let lines = [3, 2, 1].map { shown in
            let names = left.prefix(shown).map(Terminal.plain).joined(separator: ",")
            let dots = left.count > shown ? ",\(Terminal.dots)" : ""
            return "\(Terminal.dots) \(fields): --columns \(names)\(dots) or --wide"
        }
        let fitting = lines.first { Terminal.width($0) <= width }
        return [entries, fitting ?? "\(Terminal.dots) \(fields): --wide"]
    }

    /// `3 of 54 entries`, or `3 shown of 16 found; 54 entries in all` where a limit leaves some out;
    /// of very many `3 shown of more than 10,000 found`.
    private static func shown(_ count: Int, kept: Int, of head: ListHead) -> String {
        guard kept == 0 else {
            let all = count - kept == head.total
            return all
                ? "\(Text.entries(count)), \(Text.number(kept)) of them only here"
                : "\(shown(count - kept, kept: 0, of: head)), and \(Text.number(kept)) only here"
        }
        let total = Text.entries(head.total)
        if let fitting = head.fitting, fitting > count {
            let more = head.fitsMore ? "more than " : ""
            return "\(Text.number(count)) shown of \(more)\(Text.number(fitting)) found; "
                + "\(total) in all"
        }
        return count == head.total ? total : "\(Text.number(count)) of \(total)"
    }

    private func line(_ cells: [String]) -> String {
        var line = ""
        for (index, column) in shown.enumerated() {
            if index > 0 { line += String(repeating: " ", count: Self.gap) }
            let isLast = index == shown.count - 1
            line +=
                isLast && !column.isNumeric
                ? cells[index] : Terminal.pad(cells[index], column.width, right: column.isNumeric)
        }
        while line.last == " " { line.removeLast() }
        return line
    }

    private static func column(
        _ name: String, _ records: [JSONObject], limit: Int?, isFitted: Bool
    ) -> Column {
        let isDeletion = name == "_updated_by" && records.first?["_deleted_by"] != nil
        let title = isDeletion ? "DELETED BY" : title(name)
        let cells = records.map { cell(name, $0, isFitted: isFitted) }
        let filled = cells.filter { !$0.isEmpty }
        let isName = ["_name", "_author", "_parent"].contains(name)
        let widest = limit ?? (isName ? widestName : widestCell)
        let width = cells.reduce(Terminal.width(title)) { max($0, Terminal.width($1)) }
        return Column(
            name: name, title: title,
            width: limit == nil
                ? max(Terminal.width(title), min(width, widest)) : min(width, widest),
            // An id may look like a number.
            isNumeric: !name.hasPrefix("_") && !filled.isEmpty
                && filled.allSatisfy { Double($0) != nil },
            limit: limit)
    }

    private static func title(_ name: String) -> String {
        switch name {
        case "_id": "ID"
        case "_parent": "IN"
        case "_name": "NAME"
        case "_problems": "WHY"
        case "_author", "_author_name": "MADE BY"
        case "_updated_by": "LAST BY"
        case "_updated": "WHEN"
        case "_notes": "NOTE"
        case "_created": "MADE"
        case "_state": "REVIEW"
        default: Terminal.plain(name)
        }
    }

    private static func cell(_ name: String, _ record: JSONObject, isFitted: Bool) -> String {
        if name == "_problems" { return problems(record) }
        if name == "_notes" { return notes(record) }
        // Of a repeat, how many rows it has.
        if let rows = record[name]?.array, rows.first?.object != nil { return "\(rows.count)" }
        if let called = record["_called"]?.object?[name]?.string { return Terminal.plain(called) }
        let text = Text.value(record[name])
        switch name {
        case "_id": return Text.shortRecord(text)
        // Creator and id of the entry that a row is in: the id tells it.
        case "_parent" where text.hasPrefix("dev:"):
            return Text.shortRecord(String(text.split(separator: "/").last ?? ""))
        // People know devices by their names.
        case "_author", "_author_name":
            return Text.name(record["_author_name"]?.string, record["_author"]?.string ?? "")
        case "_updated_by" where text.isEmpty:
            return cell("_author_name", record, isFitted: isFitted)
        case "_updated", "_created": return isFitted ? Text.shortTime(text) : Text.time(text)
        default: return Terminal.plain(text)
        }
    }

    private static func total(_ columns: [Column]) -> Int {
        columns.reduce(0) { $0 + $1.width } + max(0, columns.count - 1) * gap
    }

    /// Whether an entry stays on this device, whose role does not allow it.
    static func isKept(_ record: JSONObject) -> Bool {
        record["_state"] == "withheld" && record["_sent"] == nil
    }

    /// What stands beside an entry, first what somebody has to do about it: a narrow terminal cuts
    /// the rest.
    private static func notes(_ record: JSONObject) -> String {
        var notes: [String] = []
        if isKept(record) { notes.append("only here") }
        if record["_change_withheld"] == .bool(true) { notes.append("a change only here") }
        if record["_in_conflict"] == .bool(true) { notes.append("in conflict") }
        // What its author has to look at again.
        if let state = record["_state"]?.string, ["hasIssues", "rejected"].contains(state) {
            notes.append(state)
        }
        if record["_changed_since_review"] == .bool(true) {
            notes.append("changed since the review")
        }
        if record["_sent"] == .bool(false) { notes.append("not sent") }
        if record["_alone"] == .bool(true) { notes.append("nobody else has it") }
        if case .integer(let count)? = record["_comment_count"] {
            notes.append(Text.count(Int(count), "comment", "comments"))
        }
        return notes.joined(separator: ", ")
    }

    /// How an entry breaks its form, in one line.
    private static func problems(_ record: JSONObject) -> String {
        let lines = (record["_problems"]?.array ?? []).compactMap { problem -> String? in
            guard let object = problem.object, let message = object["message"]?.string else {
                return nil
            }
            let path = object["path"]?.string ?? ""
            return EntryProblem.names(path, in: message) ? message : "\(path): \(message)"
        }
        return Terminal.plain(lines.joined(separator: "; "))
    }

    private static func named(_ name: String, among head: ListHead) throws(Problem) -> String {
        let own = [
            "_id", "_author", "_author_name", "_created", "_updated_by", "_updated", "_state",
            "_name", "_problems", "_sent", "_notes",
        ]
        if let found = (head.columns + own).first(where: { $0 == name }) { return found }
        if let found = head.columns.first(where: { $0.lowercased() == name.lowercased() }) {
            return found
        }
        let near = NearestWord.guess(name, among: head.columns)
        throw Problem(
            .unknownField, "the form \(head.form) has no field \"\(Terminal.plain(name))\"",
            hint: near.map { "Did you mean \($0)?" } ?? "See `shared form show \(head.form)`.")
    }
}
