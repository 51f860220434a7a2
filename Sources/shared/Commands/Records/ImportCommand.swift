internal import ControlClient
internal import JSON
internal import ShareControl
import Glibc

/// `shared import`
enum ImportCommand: Command {
    static let syntax = CommandSyntax(
        name: "import", summary: "read entries from a file: CSV, XLSX, ZIP, JSON or GeoJSON",
        operands: [.init(name: "FORM"), .init(name: "FILE")],
        options: [
            .init(
                name: "--dates", value: "dmy|mdy|ymd",
                help: "the order of day, month and year in its dates"),
            .init(name: "--decimal", value: "SIGN", help: ", where 38,2 is a number"),
            .init(
                name: "--map", value: "COLUMN=FIELD", repeats: true,
                help: "what the form calls a column; COLUMN= leaves it out"),
            .init(name: "--dry-run", help: "only say what would be done"),
            .init(
                name: "--keep-good", value: "FILE",
                help: "import the good rows, and put the others into FILE"),
            .init(
                name: "--as-kept",
                help: "entries of another room, with their ids, also what breaks the form by now"),
            .init(name: "--raw", help: "keep a ' before text that a spreadsheet would run"),
            .init(
                name: "--over-newer",
                help: "also over changes made after the file was written"),
        ],
        notes: [
            "The first line of CSV names the fields, by their names or labels, or as ODK Central",
            "and KoboToolbox do. FILE - is standard input. Rows of repeats come from files named",
            "like FORM-REPEAT.csv in a ZIP, from sheets, or from within JSON. All rows are taken",
            "or, where one is wrong, none; the message names its line. What",
            "--keep-good puts aside can be mended and imported. Importing a file twice adds nothing",
            "the second time where the form has a key.",
        ],
        examples: [
            "shared import common-viruses common-viruses.csv",
            "shared import household sheet.csv --dates dmy --decimal , --dry-run",
        ],
        interrupted: ("interrupted; nothing was imported", "Start it again: `shared import`."),
        look: { "shared list \(Shell.quoted($0.operand(0))) --since today" })

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let path = session.arguments.operand(1)
        let aside = try session.arguments.value("--keep-good").map { (kept) throws(Problem) in
            try ImportFiles.checkKept(kept, of: path)
            guard !OutputFile.replaces(kept) else {
                throw Problem(
                    .fileUnwritable, "\(kept) is there already; nothing was imported",
                    hint: "What is wrong is put into a new file: name another one.")
            }
            // Whether it can be written is known before any row is.
            return try OutputFile(kept)
        }
        if path != "-", access(path, F_OK) != 0, access(session.arguments.operand(0), F_OK) == 0 {
            throw Problem(
                .usage, "import: FORM comes first, and then FILE",
                hint: "`shared import \(Shell.quoted(path))"
                    + " \(Shell.quoted(session.arguments.operand(0)))`")
        }
        if let files = try ImportFiles(session, path) { return try files.run(aside: aside) }
        let query = try query(session.arguments)
        let form = session.arguments.operand(0)
        let mayGuess = !session.wantsJSON && Question.canBeAsked && path != "-"
        // What a first try has written of the good rows would be there twice.
        let isTried = mayGuess && session.arguments.has("--keep-good")
        var reading = query
        var answer = try send(session, form, path, isTried ? query + dryRun : query)
        if mayGuess, answer.guess?.openDate != nil {
            throw rejected(answer, path, session)
        }
        if mayGuess, answer.rejectedRows > 0, let habits = guessed(answer.guess, query) {
            tell(habits, session)
            reading += habits
            answer = try send(session, form, path, reading)
        } else if isTried {
            answer = try send(session, form, path, query)
        }
        if session.wantsJSON { session.output.line(answer.jsonText) }
        let unkept = putAside(answer, into: aside)
        let isWritten =
            answer.rejectedCount == 0
            || answer.rejectedCSV != nil && answer.rejectedRows < answer.rows
        if isWritten, !session.wantsJSON { show(answer, session) }
        if let unkept { throw unkept }
        guard answer.rejectedCount == 0 else {
            throw rejected(answer, path, session, readSo: reading)
        }
        return .done
    }

    /// Writes the rows that `--keep-good` puts aside into their file.
    ///
    /// - Returns: why they are not in it, with all that is wrong with them.
    static func putAside(_ answer: ImportAnswer, into file: OutputFile?) -> Problem? {
        guard let rejected = answer.rejectedCSV, !answer.isDryRun, let file else { return nil }
        Array(rejected.utf8).withUnsafeBytes { file.output.write($0) }
        do {
            try file.commit()
            return nil
        } catch {
            return Problem(
                error.code, "\(error.detail); the rows that are wrong are named here alone",
                hint: error.hint, errors: answer.rejected)
        }
    }

    static func query(
        _ arguments: ParsedArguments
    ) throws(Problem) -> [(name: String, value: String)] {
        var query: [(name: String, value: String)] = []
        if let dates = arguments.value("--dates") { query.append(("dates", dates)) }
        if let decimal = arguments.value("--decimal") { query.append(("decimal", decimal)) }
        for pair in arguments.values("--map") { query.append(("map", pair)) }
        if arguments.has("--dry-run") { query.append(("dry_run", "true")) }
        if arguments.has("--keep-good") { query.append(("keep_good", "true")) }
        if arguments.has("--as-kept") { query.append(("as_kept", "true")) }
        if arguments.has("--raw") { query.append(("raw", "true")) }
        if arguments.has("--over-newer") { query.append(("over_newer", "true")) }
        return query
    }

    /// Says how a file is read.
    static func tell(_ habits: [(name: String, value: String)], _ session: Session) {
        let options = habits.map { "--\($0.name) \($0.value)" }.joined(separator: " ")
        session.diagnostics.note("read as the whole file allows it: \(options)")
    }

    static let dryRun = [(name: "dry_run", value: "true")]

    /// Sends the rows of a file, as entries of a form.
    static func send(
        _ session: Session, _ form: String, _ path: String,
        _ query: [(name: String, value: String)] = []
    ) throws(Problem) -> ImportAnswer {
        let file = try InputFile(path)
        var left = file.length ?? .max
        // Who types into standard input, or pipes from slow work, may take a while.
        let request = session.request(
            "POST", ["import", form], query: query,
            body: .stream(
                mediaType: query.contains { $0.name == "format" }
                    ? "application/x-ndjson" : "text/csv",
                length: file.length,
                read: { (buffer) throws(Problem) in
                    let count = try file.read(buffer)
                    left -= count
                    // What is there whole may be imported before somebody can stop it.
                    if count == 0 || left <= 0, !query.contains(where: { $0 == dryRun[0] }) {
                        session.interrupted = unknown(session)
                    }
                    return count
                }),
            silence: file.length == nil ? .seconds(86_400) : .seconds(120))
        return try session.work(request, "importing")
    }

    /// What is said of an import that was interrupted when all of a file had been sent.
    private static func unknown(_ session: Session) -> (what: String, hint: String) {
        let look = syntax.look.map { $0(session.arguments) } ?? "shared list"
        return ("interrupted; whether the rows were imported is not known", "Look: `\(look)`.")
    }

    /// The one way of reading dates and decimals that the shape of all of them allows; nil where there
    /// is none, or somebody has said how.
    static func guessed(
        _ guess: ImportGuess?, _ query: [(name: String, value: String)]
    ) -> [(name: String, value: String)]? {
        guard let guess else { return nil }
        let said = query.map(\.name)
        var habits: [(name: String, value: String)] = []
        if !said.contains("dates"), let order = guess.dates.first {
            habits.append(("dates", order))
        }
        if !said.contains("decimal"), guess.decimalComma { habits.append(("decimal", ",")) }
        return habits.isEmpty ? nil : habits
    }

    /// - Parameter table: what was imported, where a file has several tables.
    static func show(_ answer: ImportAnswer, _ session: Session, of table: String? = nil) {
        var parts: [String] = []
        let would = answer.isDryRun ? "would add" : "added"
        if answer.added > 0 {
            // Rows of a repeat lie in entries that are there.
            let areRows = (table ?? session.arguments.operand(0)).contains("/")
            let added =
                areRows ? Text.count(answer.added, "row", "rows") : Text.entries(answer.added)
            parts.append("\(would) \(added)")
        }
        if answer.updated > 0 {
            parts.append(
                "\(answer.isDryRun ? "would update" : "updated") \(Text.number(answer.updated))")
        }
        if answer.unchanged > 0 { parts.append("\(Text.number(answer.unchanged)) unchanged") }
        if answer.older > 0 { parts.append("\(Text.number(answer.older)) left alone") }
        if answer.deleted > 0 { parts.append("\(Text.number(answer.deleted)) left out") }
        let prefix = table.map { Terminal.plain($0) + ": " } ?? ""
        session.output.line(
            prefix
                + (parts.isEmpty
                    ? answer.rows > 0 ? "no row was taken" : "the file has no rows"
                    : parts.joined(separator: ", ")))
        tell(answer.changes, of: answer.updated, session)
        session.output.flush()
        for warning in answer.warnings.prefix(Self.warningsShown) {
            session.diagnostics.note(Diagnostics.text(warning))
        }
        if answer.warningCount > Self.warningsShown {
            session.diagnostics.note(
                "and \(Text.number(answer.warningCount - Self.warningsShown)) more are unusual")
        }
        let same = answer.duplicates
        let places = [
            (same.inFile, "in another row of the file"), (same.own, "in an entry of this device"),
            (same.others, "in an entry of another device"),
            (same.alike, "but for upper and lower case"),
        ].filter { $0.0 > 0 }.map { "\(Text.number($0.0)) \($0.1)" }
        guard !places.isEmpty else { return }
        let count = same.inFile + same.own + same.others + same.alike
        let keys =
            same.keys.isEmpty
            ? ""
            : ": " + same.keys.map { Terminal.plain($0) }.joined(separator: ", ")
                + (count > ImportDuplicates.keysNamed ? ", ..." : "")
        session.diagnostics.note(
            (answer.isDryRun ? "would be added" : "added")
                + " although their key is there already: \(Text.list(places))\(keys); see "
                + "`shared list \(session.arguments.operand(0)) --duplicates`")
    }

    /// Names the first entries that are updated: who mistypes a key sees whose entry it hits.
    private static func tell(_ changes: [ImportChange], of all: Int, _ session: Session) {
        func line(_ text: String) {
            guard session.output.isTerminal else { return session.output.line("    " + text) }
            session.output.text(text, indent: 4)
        }
        for change in changes.prefix(changesShown) {
            let name = change.key.map(Terminal.plain) ?? Text.shortRecord(change.id)
            let fields = change.changes.map { "\(Terminal.plain($0.field)) \(Text.change($0))" }
            let more = change.changeCount - fields.count
            line(
                "\(name) (line \(change.line)): "
                    + (fields + (more > 0 ? ["\(more) more"] : [])).joined(separator: "; "))
        }
        if all > changesShown { line("and \(Text.number(all - changesShown)) more") }
    }

    private static let changesShown = 10
    private static let warningsShown = 10

    /// - Parameters:
    ///   - isRest: whether other tables of the file were imported before these rows.
    ///   - hasTables: whether the file has several tables, of which none is put aside.
    ///   - habits: how the file was read: what is put aside of it is written so, too.
    static func rejected(
        _ answer: ImportAnswer, _ path: String, _ session: Session, isRest: Bool = false,
        hasTables: Bool = false, readSo habits: [(name: String, value: String)] = []
    ) -> Problem {
        let name = path == "-" ? "standard input" : path
        let isKept = answer.rejectedCSV != nil && !answer.isDryRun
        let isAllWrong = answer.rejectedRows == answer.rows
        let rest =
            isKept && !isAllWrong
            ? answer.added + answer.updated > 0
                ? "the others were imported" : "the others change nothing"
            : isRest
                ? "what comes before them was imported, these rows not" : "nothing was imported"
        let rows = answer.rejectedRows
        // In JSON the first line is a row.
        let inHeader = rows == 0 && answer.rejected.allSatisfy { $0.line == 1 }
        let what =
            if answer.rejectedCount == 1, let only = answer.rejected.first {
                Diagnostics.sentence(only)
            } else if inHeader {
                "\(Text.count(answer.rejectedCount, "column is", "columns are")) wrong"
            } else {
                "\(Text.count(rows, "row", "rows")) of \(Text.number(answer.rows)) "
                    + (rows == 1 ? "is wrong" : "are wrong")
            }
        let keptFile = session.arguments.value("--keep-good").map(Shell.quoted) ?? ""
        let form = session.arguments.operand(0)
        let hint: String
        if isKept {
            let options =
                habits.filter { ["dates", "decimal", "map"].contains($0.name) }
                .map { " --\($0.name) \(Shell.quoted($0.value))" }.joined()
                + (habits.contains { $0.name == "raw" } ? " --raw" : "")
            hint =
                "Mend what is in \(keptFile) and import it: shared import \(form) \(keptFile)"
                + options
        } else if let open = answer.guess?.openDate {
            hint =
                "say how its dates are read: \(open.cell) (line \(open.line), column"
                + " \(open.column)) is \(open.dmy) with --dates dmy, \(open.mdy) with --dates mdy"
        } else if inHeader {
            hint = "correct the first line, which names the fields, and import the file again"
        } else {
            let what = rows == 1 ? "the row" : "the rows"
            let again = "correct \(what) and import the file again"
            hint =
                again
                + (isRest
                    ? ": what is here already is left alone"
                    : hasTables ? "" : ", or the others: --keep-good FILE")
        }
        return Problem(
            .rowsRejected, "\(name): \(what); \(rest)", hint: hint, errors: answer.rejected)
    }
}
