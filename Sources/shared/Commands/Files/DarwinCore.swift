internal import ControlClient
internal import JSON
internal import ShareControl

/// An archive of Darwin Core: what biodiversity databases take. A file says which term of theirs
/// each column has (docs/analysis.md).
struct DarwinCore {
    /// A table of the archive.
    private struct Table {
        let type: String
        /// The repeat whose rows it has; nil for the entries.
        let rows: String?
        let terms: [(name: String, source: Source)]
        /// Which one of its type it is, from 1.
        var number = 1

        var file: String { type.lowercased() + (number > 1 ? "\(number)" : "") + ".csv" }
    }

    /// Where the value of a term comes from.
    private indirect enum Source {
        case constant(String)
        case field(String)
        /// The first that has a value.
        case first([Source])
        /// Other words for some values.
        case words(Source, [String: String])
        /// With a capital in front.
        case capital(Source)
        /// A number of a place: latitude first.
        case part(String, Int)
        /// A column of the list that a choice is from, for instance its scientific name.
        case column(String, list: ChoiceLookup, String)
    }

    private let form: String
    private let description: DatasetDescription
    /// The entries first.
    private let tables: [Table]

    static func export(
        _ session: Session, _ mapping: String, to path: String?
    ) throws(Problem) -> ExitCode {
        guard let path, path != "-" else {
            throw ExportCommand.syntax.problem("--darwin-core needs --output FILE.zip")
        }
        let form = session.arguments.operand(0)
        let definition: JSONObject = try session.client().answer(
            session.request("GET", ["forms", form]))
        let core = try DarwinCore(mapping, definition, session)
        let folder = try ScratchFolder(beside: path)
        let query = try Conditions.query(session, session.arguments.operands.dropFirst())
        try core.write(session, query, into: folder.path)
        let parts =
            (core.tables.map(\.file) + ["meta.xml", "eml.xml"]).map { name -> JSONValue in
                ["name": .string(name), "file": .string("\(folder.path)/\(name)")]
            }
        try ExportFiles(session: session, query: query).helped(
            "archive", ["parts": .array(parts)], to: path)
        return .done
    }

    // MARK: Mapping

    private init(
        _ path: String, _ definition: JSONObject, _ session: Session
    ) throws(Problem) {
        let tree: JSONValue
        do {
            tree = try JSONValue(text: try InputFile(path).json(limit: 1 << 20))
        } catch let problem as Problem {
            throw problem
        } catch {
            throw Problem(.badFile, "\(path): \(error)", hint: "It is one JSON object.")
        }
        form = definition["form_id"]?.string ?? ""
        description = try DatasetDescription(tree.object ?? [:], of: form, path)
        guard let core = tree.object?["core"]?.object else {
            throw Problem(
                .badFile, "\(path) has no core",
                hint: #"For instance {"core": {"type": "Event", "terms": {"eventID": "_id"}}}."#)
        }
        let others = (tree.object?["extensions"]?.array ?? []).compactMap(\.object)
        var tables: [Table] = []
        for tree in [core] + others {
            var table = try DarwinCore.table(tree, definition, path, session)
            table.number += tables.count { $0.type.lowercased() == table.type.lowercased() }
            tables.append(table)
        }
        self.tables = tables
    }

    private static func table(
        _ tree: JSONObject, _ definition: JSONObject, _ path: String, _ session: Session
    ) throws(Problem) -> Table {
        guard let type = tree["type"]?.string, let terms = tree["terms"]?.object,
            type.utf8.allSatisfy({ (65...90).contains($0) || (97...122).contains($0) })
        else {
            throw Problem(
                .badFile, "\(path): a table has a type and terms",
                hint: #"For instance {"type": "Occurrence", "terms": {"occurrenceID": "_id"}}."#)
        }
        let rows = tree["repeat"]?.string
        let fields = try Self.fields(of: definition, rows, path)
        return Table(
            type: type, rows: rows,
            terms: try terms.members.map { member throws(Problem) in
                (
                    member.key,
                    try source(
                        member.value, fields, definition, "\(path): \(member.key)", session)
                )
            })
    }

    /// The fields of the entries, or of a repeat, with what is known of each.
    private static func fields(
        of definition: JSONObject, _ rows: String?, _ path: String
    ) throws(Problem) -> [String: JSONObject] {
        func fields(_ json: JSONValue?) -> [JSONObject] {
            (json?.array ?? []).compactMap(\.object).flatMap { field in
                field["type"] == "group" ? fields(field["fields"]) : [field]
            }
        }
        var found = fields(definition["fields"])
        if let rows {
            guard let inner = found.first(where: { $0["name"]?.string == rows }) else {
                throw Problem(
                    .badFile, "\(path): the form has no repeat \(rows)",
                    hint: "See `shared form show FORM`.")
            }
            found = fields(inner["fields"])
        }
        return Dictionary(
            found.compactMap { field in field["name"]?.string.map { ($0, field) } },
            uniquingKeysWith: { first, _ in first })
    }

    private static func source(
        _ json: JSONValue, _ fields: [String: JSONObject], _ definition: JSONObject,
        _ place: String, _ session: Session
    ) throws(Problem) -> Source {
        func known(_ name: String) throws(Problem) -> String {
            guard name.hasPrefix("_") || fields[name] != nil else {
                throw Problem(
                    .badFile, "\(place): the form has no field \(name)",
                    hint: "See `shared form show FORM`; a text is {\"value\": TEXT}.")
            }
            return name
        }
        if let name = json.string { return .field(try known(name)) }
        if let choice = json.array {
            return .first(
                try choice.map { json throws(Problem) in
                    try source(json, fields, definition, place, session)
                })
        }
        guard let object = json.object else {
            throw Problem(
                .badFile, "\(place) is neither a field nor an object", hint: "Name a field.")
        }
        if let value = object["value"]?.string { return .constant(value) }
        let name = try known(object["field"]?.string ?? "")
        // What is done to a text comes after what it is taken from.
        func without(_ member: String) throws(Problem) -> Source {
            var plain = object
            plain[member] = nil
            return try source(.object(plain), fields, definition, place, session)
        }
        if object["capital"] == .bool(true) { return .capital(try without("capital")) }
        if let words = object["words"]?.object {
            return .words(
                try without("words"),
                Dictionary(
                    words.members.map { ($0.key, $0.value.string ?? "") },
                    uniquingKeysWith: { first, _ in first }))
        }
        if let part = object["part"]?.string {
            let parts = ["latitude", "longitude", "altitude", "accuracy"]
            guard let index = parts.firstIndex(of: part) else {
                throw Problem(
                    .badFile, "\(place): a place has no \(part)", hint: Text.list(parts) + ".")
            }
            return .part(name, index)
        }
        guard let column = object["column"]?.string else { return .field(name) }
        return .column(
            name, list: ChoiceLookup(fields[name]?["list"]?.string ?? "", definition, session),
            column)
    }

    // MARK: Writing

    /// Writes the tables while the entries are read, and what describes them.
    private func write(
        _ session: Session, _ query: ExportFiles.Query, into folder: String
    ) throws(Problem) {
        var files: [OutputFile] = []
        for table in tables {
            let file = try OutputFile("\(folder)/\(table.file)")
            file.output.line(Self.line(["id"] + table.terms.map(\.name)))
            files.append(file)
        }
        var missing: [String: [String: Int]] = [:]
        let request = session.request(
            "GET", ["export", form], query: query + [("format", "ndjson")], silence: .reading)
        try session.client().lines(request) { [tables] (line) throws(Problem) in
            let entry: JSONObject = try ControlClient.understood(line)
            let id = entry["_id"]?.string ?? ""
            for (table, file) in zip(tables, files) {
                let rows = table.rows.map { entry[$0]?.array?.compactMap(\.object) ?? [] }
                for row in rows ?? [entry] {
                    var cells = [id]
                    for term in table.terms { cells.append(try Self.value(term.source, row)) }
                    for (place, term) in table.terms.enumerated()
                    where Self.required.contains(term.name) && cells[place + 1].isEmpty {
                        missing["\(table.file)", default: [:]][term.name, default: 0] += 1
                    }
                    file.output.line(Self.line(cells))
                }
            }
            return true
        }
        for file in files { try file.commit() }
        for (file, terms) in missing.sorted(by: { $0.key < $1.key }) {
            for (term, count) in terms.sorted(by: { $0.key < $1.key }) {
                session.note(
                    "\(file): \(Text.count(count, "row has", "rows have")) no \(term), without which"
                        + " GBIF takes none")
            }
        }
        try save(meta, at: "\(folder)/meta.xml")
        if !description.missing.isEmpty {
            session.note(
                "eml.xml has no \(description.missing.joined(separator: ", ")), which GBIF asks for:"
                    + " members of these names in the mapping say it")
        }
        try save(description.eml, at: "\(folder)/eml.xml")
    }

    private func save(_ text: String, at path: String) throws(Problem) {
        let file = try OutputFile(path)
        file.output.line(text)
        try file.commit()
    }

    /// What GBIF asks of each row that has it.
    private static let required: Set = [
        "scientificName", "occurrenceID", "basisOfRecord", "eventID", "eventDate",
    ]

    private static func value(_ source: Source, _ row: JSONObject) throws(Problem) -> String {
        switch source {
        case .constant(let text): return text
        case .field(let name): return text(row[name])
        case .first(let sources):
            for source in sources {
                let text = try value(source, row)
                if !text.isEmpty { return text }
            }
            return ""
        case .words(let source, let words):
            let text = try value(source, row)
            return words[text] ?? text
        case .capital(let source):
            let text = try value(source, row)
            return text.prefix(1).uppercased() + text.dropFirst()
        case .part(let name, let part):
            let numbers = text(row[name]).split(separator: " ")
            return part < numbers.count ? String(numbers[part]) : ""
        case .column(let name, let list, let column):
            return text(try list.choice(text(row[name]))?[column])
        }
    }

    private static func text(_ value: JSONValue?) -> String {
        switch value {
        case .string(let text)?: text
        // Several values of one term are told apart so.
        case .array(let values)?: values.map { text($0) }.joined(separator: " | ")
        case .object(let texts)?: text(texts.members.first?.value)
        case .null?, nil: ""
        case let other?: String(decoding: other.text, as: UTF8.self)
        }
    }

    /// Signs, not letters: a quote with an accent is a quote.
    private static func line(_ cells: [String]) -> String {
        cells.map { cell in
            guard cell.utf8.contains(where: { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }) else {
                return cell
            }
            let doubled = cell.utf8.flatMap { $0 == 0x22 ? [0x22, 0x22] : [$0] }
            return "\"" + String(decoding: doubled, as: UTF8.self) + "\""
        }.joined(separator: ",")
    }

    // MARK: Description

    /// The tables and their columns (Darwin Core Text Guide).
    private var meta: String {
        let namespace = "http://rs.tdwg.org/dwc/text/"
        var xml = #"<?xml version="1.0" encoding="UTF-8"?>"# + "\n"
        xml += "<archive xmlns=\"\(namespace)\" metadata=\"eml.xml\">\n"
        for (index, table) in tables.enumerated() {
            let element = index == 0 ? "core" : "extension"
            xml += "  <\(element) encoding=\"UTF-8\" fieldsTerminatedBy=\",\""
            xml += " linesTerminatedBy=\"\\n\" fieldsEnclosedBy=\"&quot;\" ignoreHeaderLines=\"1\""
            xml += " rowType=\"http://rs.tdwg.org/dwc/terms/\(table.type)\">\n"
            xml += "    <files><location>\(table.file)</location></files>\n"
            xml += "    <\(index == 0 ? "id" : "coreid") index=\"0\"/>\n"
            for (column, term) in table.terms.enumerated() {
                xml += "    <field index=\"\(column + 1)\""
                xml += " term=\"http://rs.tdwg.org/dwc/terms/\(Self.escaped(term.name))\"/>\n"
            }
            xml += "  </\(element)>\n"
        }
        return xml + "</archive>"
    }

    static func escaped(_ text: String) -> String {
        text.unicodeScalars.map { sign in
            switch sign {
            case "&": "&amp;"
            case "<": "&lt;"
            case ">": "&gt;"
            case "\"": "&quot;"
            // XML has no such signs, however they are written.
            case "\0"..<" ", "\u{FFFE}", "\u{FFFF}": " "
            default: String(sign)
            }
        }.joined()
    }
}
