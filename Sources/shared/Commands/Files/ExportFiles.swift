internal import ControlClient
internal import JSON
internal import ShareControl

/// Writes the entries of a form, and the rows of its repeats, into files.
struct ExportFiles {
    typealias Query = [(name: String, value: String)]

    let session: Session
    /// What is said of entries and columns.
    let query: Query

    private var form: String { session.arguments.operand(0) }

    /// Whether not everything is wanted.
    var isChosen: Bool { query.contains { Self.choosing.contains($0.name) } }

    private static let choosing = ["where", "since", "author", "state", "columns"]

    // MARK: Kinds of files

    /// One document.
    func one(as format: String, to path: String) throws(Problem) {
        let isThere = OutputFile.replaces(path)
        let bytes = try save(form, [("format", format)] + query, to: path)
        try say(path, bytes, entries: try count(), replaces: isThere)
    }

    /// The entries as CSV, and the rows of each repeat beside them.
    func csv(to path: String) throws(Problem) {
        // The entries alone where the form has no repeats, or is one.
        let tables = form.contains("/") ? [] : try FormTable.all(of: form, session)
        let dot = ending(of: path)
        let isThere = OutputFile.replaces(path)
        try say(path, try save(form, query, to: path), entries: try count(), replaces: isThere)
        for table in tables.dropFirst() {
            let file = "\(path[..<dot])\(table.suffix)\(path[dot...])"
            let isThere = OutputFile.replaces(file)
            try say(file, try save(table.form, rowQuery, to: file), replaces: isThere)
        }
    }

    /// All tables as CSV in one archive.
    func archive(to path: String) throws(Problem) {
        let folder = try ScratchFolder(beside: path)
        var parts: [JSONValue] = []
        let tables = try FormTable.all(of: form, session)
        let isCentral = session.arguments.value("--like") == "central"
        let central = FormTable.namesOfCentral(tables)
        for (index, table) in tables.enumerated() {
            let own = "\(table.form.split(separator: "/")[0])\(table.suffix)"
            let name = (isCentral ? central[index] : own) + ".csv"
            let file = "\(folder.path)/\(parts.count)"
            _ = try save(table.form, table.path.isEmpty ? query : rowQuery, to: file)
            parts.append(["name": .string(name), "file": .string(file)])
        }
        try helped("archive", ["parts": .array(parts)], to: path)
    }

    /// A workbook with a sheet for each table.
    func workbook(to path: String) throws(Problem) {
        guard session.arguments.value("--like") == nil else {
            throw ExportCommand.syntax.problem("--like is for CSV: --output FILE.zip")
        }
        let folder = try ScratchFolder(beside: path)
        var sheets: [JSONValue] = []
        for table in try FormTable.all(of: form, session) {
            let file = "\(folder.path)/\(sheets.count)"
            // Texts stand in cells of text, and numbers without their units.
            let cells = (table.path.isEmpty ? query : rowQuery).filter {
                !["bom", "crlf", "units", "raw"].contains($0.name)
            }
            guard table.path.isEmpty || session.arguments.value("--columns") == nil else {
                continue
            }
            _ = try save(table.form, cells + [("raw", "true")], to: file)
            sheets.append([
                "name": .string(table.path.last ?? table.form), "file": .string(file),
                "types": .object(table.types),
            ])
        }
        try helped(
            "workbook", ["sheets": .array(sheets), "folder": .string(folder.path)], to: path)
    }

    // MARK: Parts

    /// For rows of repeats: those of the entries that are wanted.
    private var rowQuery: Query {
        query.filter { $0.name != "columns" } + [("of_entries", "true")]
    }

    private func save(_ form: String, _ query: Query, to path: String) throws(Problem) -> Int {
        let request = session.request(
            "GET", ["export", form], query: query, silence: .reading)
        return try Download.save(session, request, to: path, "exporting, bytes")
    }

    /// Lets the helper put files together, under the name that is wanted when all is written.
    func helped(
        _ word: String, _ request: JSONObject, to path: String
    ) throws(Problem) {
        let isThere = OutputFile.replaces(path)
        let file = try OutputFile(path)
        guard let temporary = file.temporaryPath else {
            throw Problem(
                .fileUnwritable, "\(path) is no ordinary file", hint: "Name a file in a folder.")
        }
        var request = request
        request["output"] = .string(temporary)
        let answer = try FormHelper.ask([word], input: JSONValue.object(request).text)
        try file.commit()
        guard case .integer(let bytes)? = answer["bytes"] else { return }
        try say(path, Int(bytes), entries: try count(), replaces: isThere)
    }

    private func ending(of path: String) -> String.Index {
        let name = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        return path[name...].lastIndex(of: ".") ?? path.endIndex
    }

    /// How many entries are wanted, those with them that are on this device alone; nil for rows of
    /// a repeat, and where no form is meant.
    func count() throws(Problem) -> Counted? {
        guard !form.contains("/"), session.arguments.syntax.name == "export" else { return nil }
        let which = query.filter { Self.choosing.contains($0.name) }
        let figures: FiguresAnswer = try session.client().answer(
            session.request("GET", ["count", form], query: which, silence: .reading))
        let limit = query.first { $0.name == "limit" }.flatMap { Int($0.value) }
        // Those come last.
        let withheld = figures.withheld ?? 0
        let all = min(figures.entries + withheld, limit ?? .max)
        return Counted(
            all: all, withheld: max(all - figures.entries, 0),
            notes: (figures.earlier ?? []).map(Text.earlierField)
                + [figures.alike.map(Text.alike)].compactMap(\.self))
    }

    struct Counted {
        let all: Int
        let withheld: Int
        /// What is to be said of them beside the answer.
        let notes: [String]
    }

    private func say(
        _ path: String, _ bytes: Int, entries: Counted? = nil, replaces: Bool
    ) throws(Problem) {
        if !session.wantsJSON {
            let size = Text.count(bytes, "byte", "bytes")
            let what = entries.map { "\(Text.entries($0.all)), \(size)" } ?? size
            session.output.line(
                "wrote \(what) to \(Terminal.plain(path))"
                    + (replaces ? ", in place of the file that was there" : ""))
        }
        entries?.notes.forEach(session.note)
        if let entries, entries.withheld > 0 {
            session.note(
                "\(Text.number(entries.withheld)) of them only here: your role does not allow"
                    + " \(entries.withheld == 1 ? "it" : "them"), and nobody else has"
                    + " \(entries.withheld == 1 ? "it" : "them")")
        }
        guard session.wantsJSON else { return }
        var answer: JSONObject = ["file": path.json, "bytes": bytes.json]
        if let entries { answer["entries"] = entries.all.json }
        session.answer(answer)
    }
}
