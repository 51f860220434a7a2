internal import ControlClient
internal import JSON
internal import ShareControl

/// A file with more than one table in it: an archive, a workbook, or JSON.
struct ImportFiles {
    private typealias Habits = [(name: String, value: String)]

    private struct Part {
        let form: String
        let file: String
        let query: [(name: String, value: String)]
        /// Of a sheet from which rows on its rows stand in other lines, and from which lines on.
        var shifts: [(row: Int, line: Int)] = []

        /// The row of the sheet that people see for a line of the file.
        func row(ofLine line: Int) -> Int {
            shifts.last { $0.line <= line }.map { line - $0.line + $0.row } ?? line
        }
    }

    private let session: Session
    private let path: String
    private let parts: [Part]
    /// Where what was in the file lies meanwhile.
    private let folder: ScratchFolder?

    /// Nil for a file that is one table of CSV.
    ///
    /// - Throws: `Problem` where it cannot be read.
    init?(_ session: Session, _ path: String) throws(Problem) {
        self.session = session
        self.path = path
        let form = session.arguments.operand(0)
        let query = try ImportCommand.query(session.arguments)
        let ending = Self.ending(of: path)
        // All of its tables come into one room.
        if ["zip", "xlsx"].contains(ending) || Self.json.contains(ending) {
            try session.settleRoom()
        }
        switch ending {
        case "zip", "xlsx":
            let folder = try ScratchFolder()
            let answer = try FormHelper.unpack(path, into: folder.path)
            let files = (answer["files"]?.array ?? []).compactMap(\.object)
            let isWorkbook = answer["kind"] == "workbook"
            // A workbook's texts stand in cells of text: nothing was put before them.
            parts = try Self.parts(
                files, of: try FormTable.all(of: form, session), path,
                isWorkbook ? query + [("raw", "true")] : query, session)
            self.folder = folder
        case let ending where Self.json.contains(ending):
            folder = nil
            let tables = form.contains("/") ? [] : try FormTable.all(of: form, session)
            parts = ([form] + tables.dropFirst().map(\.form)).map {
                Part(form: $0, file: path, query: query + [("format", "ndjson")])
            }
        default: return nil
        }
        guard parts.count == 1 || !session.arguments.has("--keep-good") else {
            throw ImportCommand.syntax.problem("--keep-good takes one table: a CSV file")
        }
    }

    /// Refuses a name for what is put aside under which an import would not read it: of JSON lines of
    /// JSON, of all other files CSV.
    static func checkKept(_ kept: String, of path: String) throws(Problem) {
        let ending = ending(of: kept)
        let isJSON = json.contains(Self.ending(of: path))
        guard isJSON != json.contains(ending) || !isJSON && ["zip", "xlsx"].contains(ending) else {
            return
        }
        let stem = ending.isEmpty ? kept : String(kept.dropLast(ending.utf8.count + 1))
        let name = "\(stem).\(isJSON ? "ndjson" : "csv")"
        throw Problem(
            .usage,
            "import: what is put aside of \(path == "-" ? "standard input" : path) is \(isJSON ? "JSON" : "CSV"),"
                + " and \(kept) would be read as another file; nothing was imported",
            hint: "Name it so: --keep-good \(Shell.quoted(name))")
    }

    private static let json: Set = ["json", "ndjson", "jsonl", "geojson"]

    /// What stands behind the last dot of a file's name; empty where there is none.
    private static func ending(of path: String) -> String {
        path.lowercased().split(separator: "/").last?.split(separator: ".").dropFirst().last
            .map(String.init) ?? ""
    }

    /// The files of the tables, by their names.
    private static func parts(
        _ files: [JSONObject], of tables: [FormTable], _ path: String,
        _ query: [(name: String, value: String)], _ session: Session
    ) throws(Problem) -> [Part] {
        let named = files.compactMap { file in
            file["name"]?.string.flatMap { name in file["file"]?.string.map { (name, $0) } }
        }.filter { name, _ in !name.hasSuffix(".xml") && !name.hasPrefix("media/") }
        let form = tables[0].form
        let central = Dictionary(
            zip(tables.map(\.form), FormTable.namesOfCentral(tables)),
            uniquingKeysWith: { first, _ in first })
        func last(_ name: String) -> String {
            let stem = name.hasSuffix(".csv") ? String(name.dropLast(4)) : name
            return stem.split(separator: "/").last.map(String.init) ?? stem
        }
        func isCalled(_ name: String, _ table: FormTable) -> Bool {
            [form + table.suffix, central[table.form] ?? form, table.path.last ?? form]
                .contains { last(name) == $0 || last(name) == $0.prefix(31) }
        }
        func endsAs(_ name: String, _ table: FormTable) -> Bool {
            !table.path.isEmpty && last(name).hasSuffix(table.suffix)
        }
        // Each file is one table's: the form's own name may end as a repeat's does.
        var left = named
        var found: [String: String] = [:]
        for isMeant in [isCalled, endsAs] {
            for table in tables where found[table.form] == nil {
                guard let place = left.firstIndex(where: { isMeant($0.0, table) }) else { continue }
                found[table.form] = left.remove(at: place).1
            }
        }
        // KoboToolbox calls the entries by the form's title.
        if found[form] == nil, let first = left.first, tables.count == 1 || left.count == 1 {
            found[form] = first.1
        }
        func part(_ table: FormTable, _ file: String) -> Part {
            let shifts = files.first { $0["file"]?.string == file }?["shifts"]?.array ?? []
            return Part(
                form: table.form, file: file, query: query,
                shifts: shifts.compactMap { shift in
                    guard let pair = shift.array, pair.count == 2, case .integer(let row) = pair[0],
                        case .integer(let line) = pair[1]
                    else { return nil }
                    return (Int(row), Int(line))
                })
        }
        let parts = tables.compactMap { table in found[table.form].map { part(table, $0) }
        }
        guard parts.first?.form == form else {
            throw Problem(
                .badFile, "\(path) has no table of \(form)",
                hint: "Call it \(form).csv, or the sheet \(form).")
        }
        let read = Set(parts.map(\.file))
        let unread = named.filter { !read.contains($1) }.map { Terminal.plain($0.0) }
        if !unread.isEmpty {
            session.diagnostics.note(
                "not read, as \(form) has no such table: \(Text.firstOf(unread))")
        }
        return parts
    }

    /// How all of the tables write dates and numbers, where that is guessed: what one of them shows
    /// counts for the others. Nothing is written.
    private func guess() throws(Problem) -> ImportGuess? {
        var guesses: [ImportGuess?] = []
        for part in parts {
            let query = part.query.filter { $0.name != "keep_good" && $0.name != "dry_run" }
            var guess =
                try ImportCommand.send(
                    session, part.form, part.file, query + ImportCommand.dryRun
                ).guess
            if let line = guess?.openDate?.line {
                guess?.openDate?.line = part.row(ofLine: line)
            }
            guesses.append(guess)
        }
        return ImportGuess(guesses)
    }

    /// Sends a table, as the one before it was read; where some of it cannot be read so, and nothing
    /// was guessed yet, once more as all of the tables allow it.
    ///
    /// - Parameter habits: how the tables are read; nil where that is not guessed yet.
    private func send(
        _ part: Part, readSo habits: inout Habits?, isRest: Bool
    ) throws(Problem) -> ImportAnswer {
        func sent(_ more: Habits) throws(Problem) -> ImportAnswer {
            var answer = try ImportCommand.send(session, part.form, part.file, part.query + more)
            guard !part.shifts.isEmpty else { return answer }
            for index in answer.rejected.indices {
                answer.rejected[index].line = part.row(ofLine: answer.rejected[index].line)
            }
            for index in answer.warnings.indices {
                answer.warnings[index].line = part.row(ofLine: answer.warnings[index].line)
            }
            for index in answer.changes.indices {
                answer.changes[index].line = part.row(ofLine: answer.changes[index].line)
            }
            return answer
        }
        if let habits { return try sent(habits) }
        // What a first try has written of the good rows would be there twice.
        let isTried = session.arguments.has("--keep-good")
        var answer = try sent(isTried ? ImportCommand.dryRun : [])
        guard answer.rejectedRows > 0 else { return isTried ? try sent([]) : answer }
        let guess = try guess()
        guard guess?.openDate == nil else {
            answer.guess = guess
            throw ImportCommand.rejected(answer, path, session, isRest: isRest)
        }
        let found = ImportCommand.guessed(guess, part.query) ?? []
        habits = found
        guard !found.isEmpty else { return isTried ? try sent([]) : answer }
        ImportCommand.tell(found, session)
        return try sent(found)
    }

    /// Imports the tables one after the other.
    ///
    /// - Parameter aside: where the rows go that are wrong.
    func run(aside: OutputFile?) throws(Problem) -> ExitCode {
        defer { _ = folder }
        let isDry = session.arguments.has("--dry-run")
        let mayGuess =
            !session.wantsJSON && Question.canBeAsked
            && !parts[0].query.contains { $0.name == "format" }
        var habits: Habits? = mayGuess ? nil : []
        for (index, part) in parts.enumerated() {
            if isDry, index > 0 {
                session.diagnostics.note(
                    "rows of repeats are looked at when their entries are here")
                break
            }
            let answer = try send(part, readSo: &habits, isRest: index > 0)
            let unkept = ImportCommand.putAside(answer, into: aside)
            session.interrupted = (
                "interrupted; the tables up to \(Terminal.plain(part.form)) were imported",
                "Import the file again: what is here already is left alone where the form has a key."
            )
            if session.wantsJSON {
                session.output.line(answer.jsonText)
            } else if answer.rejectedCount == 0
                || answer.rejectedCSV != nil && answer.rejectedRows < answer.rows,
                parts.count == 1 || answer.rows > 0
            {
                ImportCommand.show(answer, session, of: parts.count == 1 ? nil : part.form)
            }
            if let unkept { throw unkept }
            guard answer.rejectedCount == 0 else {
                throw ImportCommand.rejected(
                    answer, path, session, isRest: index > 0, hasTables: parts.count > 1,
                    readSo: part.query + (habits ?? []))
            }
        }
        return .done
    }
}
