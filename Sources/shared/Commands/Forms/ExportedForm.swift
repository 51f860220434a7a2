internal import ControlClient
internal import JSON
internal import ShareControl

/// A form as other programs take it: what it chooses from the room's lists becomes part of it, as
/// they know the lists of a form alone, and files beside it.
struct ExportedForm {
    private(set) var definition: JSONObject
    /// What lies beside the file, or is another thing there.
    private(set) var notes: [String] = []

    private var lists: JSONObject
    /// Lists of the room that lie beside the form: those that a field reads from a file, and those
    /// that are too long to be part of it.
    private var files: Set<String> = []
    /// Those that fields and expressions choose from as the form's own.
    private var chosen: [String] = []
    /// Lists that were looked for.
    private var known: Set<String> = []
    private let session: Session

    /// Of a longer list a sheet would be a burden: it goes into a file, as XLSForm has it.
    private static let mostRows = 1_000
    private static let entries = "@form:"

    /// - Throws: `Problem`, but not for a list that is not there.
    init(_ definition: JSONObject, _ session: Session) throws(Problem) {
        self.definition = definition
        self.session = session
        lists = definition["lists"]?.object ?? JSONObject()
        try look(at: definition["fields"])
        let text = String(decoding: JSONValue.object(definition).text, as: UTF8.self)
        for name in chosen + Self.instances(in: text).map({ String(text[$0]) }) { try take(name) }
        guard !known.isEmpty else { return }
        if !lists.members.isEmpty { self.definition["lists"] = .object(lists) }
        self.definition["fields"] = definition["fields"].map(asFiles)
    }

    /// The same for an XForm, whose expressions know entries by the name of their file.
    var withoutMarks: [UInt8] {
        var text = String(decoding: JSONValue.object(definition).text, as: UTF8.self)
        for name in Self.instances(in: text).reversed() where text[name].hasPrefix(Self.entries) {
            text.removeSubrange(
                name.lowerBound..<text.index(name.lowerBound, offsetBy: Self.entries.count))
        }
        return Array(text.utf8)
    }

    // MARK: Lists

    private mutating func look(at fields: JSONValue?) throws(Problem) {
        for field in (fields?.array ?? []).compactMap(\.object) {
            try look(at: field["fields"])
            guard let list = field["list"]?.string, !list.contains("${") else { continue }
            if list.hasPrefix(Self.entries) {
                let form = String(list.dropFirst(Self.entries.count))
                guard known.insert(list).inserted else { continue }
                notes.append(
                    "put \(Terminal.plain(form)).csv beside it, with columns name and label: here"
                        + " these choices are the entries of \(Terminal.plain(form))")
            } else if list.hasSuffix(".csv") || field["type"]?.string?.hasSuffix("_file") == true {
                let name = list.hasSuffix(".csv") ? String(list.dropLast(4)) : list
                guard lists[name] == nil, known.insert(name).inserted,
                    try rows(of: name, limit: 1) != nil
                else { continue }
                files.insert(name)
                notes.append(Self.beside(name))
            } else {
                chosen.append(list)
            }
        }
    }

    /// Makes a list of the room one of the form.
    private mutating func take(_ name: String) throws(Problem) {
        guard lists[name] == nil, !name.hasPrefix(Self.entries), known.insert(name).inserted else {
            return
        }
        let plain = Terminal.plain(name)
        guard let list = try rows(of: name, limit: Self.mostRows) else {
            return notes.append(
                "the room has no list \(plain), and other programs refuse a form without it:"
                    + " shared lists add \(Shell.quoted(plain)).csv")
        }
        guard list.rows <= Self.mostRows else {
            files.insert(name)
            return notes.append(Self.beside(name))
        }
        lists[name] = .array(list.cells.map { choice($0, list.columns) })
        notes.append(
            "\(plain) is a list of the room, and part of the file as it is now:"
                + " \(Text.count(list.rows, "choice", "choices"))")
    }

    private static func beside(_ name: String) -> String {
        let file = Shell.quoted("\(Terminal.plain(name)).csv")
        return "put \(file) beside it: shared lists export \(Shell.quoted(Terminal.plain(name)))"
            + " --raw --output \(file)"
    }

    /// Nil where the room has no such list.
    private func rows(of name: String, limit: Int) throws(Problem) -> ListRowsAnswer? {
        do throws(Problem) {
            return try session.client().answer(
                session.request("GET", ["lists", name], query: [("limit", "\(limit)")]))
        } catch {
            guard error.code == .notFoundList else { throw error }
            return nil
        }
    }

    /// A row as a choice of a form.
    private func choice(_ cells: [String], _ columns: [String]) -> JSONValue {
        var choice = JSONObject()
        var labels = JSONObject()
        for (column, cell) in zip(columns, cells) where !cell.isEmpty {
            if column == "label" {
                labels[""] = .string(cell)
            } else if column.hasPrefix("label:") {
                labels[String(column.drop { $0 != ":" }.drop { $0 == ":" })] = .string(cell)
            } else {
                choice[column] = .string(cell)
            }
        }
        if let plain = labels[""] {
            if labels.members.count == 1 {
                choice["label"] = plain
                return .object(choice)
            }
            let language = definition["default_language"]?.string ?? "default"
            labels[""] = nil
            if labels[language] == nil { labels[language] = plain }
        }
        if !labels.members.isEmpty { choice["label"] = .object(labels) }
        return .object(choice)
    }

    /// Fields that choose from a list that is a file beside the form read it from there.
    private func asFiles(_ fields: JSONValue) -> JSONValue {
        guard !files.isEmpty, let array = fields.array else { return fields }
        return .array(
            array.map { field in
                guard var object = field.object else { return field }
                if let inner = object["fields"] { object["fields"] = asFiles(inner) }
                if let list = object["list"]?.string, files.contains(list),
                    let type = object["type"]?.string, !type.hasSuffix("_from_file")
                {
                    object["list"] = .string(list + ".csv")
                    object["type"] = .string(type + "_from_file")
                }
                return .object(object)
            })
    }

    /// The names of the lists that expressions of a form in JSON look into, in either quotes: double
    /// ones stand escaped.
    private static func instances(in text: String) -> [Range<String.Index>] {
        text.ranges(of: "instance(").compactMap { call in
            let argument = text[call.upperBound...].drop { $0 == " " }
            guard let quote = ["'", "\\\""].first(where: { argument.hasPrefix($0) }) else {
                return nil
            }
            let name = argument.dropFirst(quote.count)
            return name.firstRange(of: quote).map { name.startIndex..<$0.lowerBound }
        }
    }
}
