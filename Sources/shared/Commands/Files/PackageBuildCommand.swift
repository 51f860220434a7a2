internal import ControlClient
internal import JSON
internal import ShareControl
import Glibc

/// `shared package build`
enum PackageBuildCommand: Command {
    static let syntax = CommandSyntax(
        name: "package build", summary: "make a package of a room: a folder, or one ZIP",
        operands: [.init(name: "FOLDER|FILE.zip")],
        options: [.init(name: "--no-data", help: "without the entries")],
        notes: [
            "It has the lists, the forms in force, the entries with their ids, and the views, so",
            "that `shared package install` sets up a room like it. Reviews are left out, and what",
            "the forms in force do not ask any more, and told.",
            "FOLDER must not be there yet.",
        ],
        examples: ["shared package build water-sanitation.zip"],
        interrupted: ("interrupted; the package is not whole", "Start it again."))

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let path = session.arguments.operand(0)
        try session.settleRoom()
        if path.lowercased().hasSuffix(".zip") {
            let folder = try ScratchFolder(beside: path)
            let files = try fill(folder.path, session)
            let parts = files.map { name -> JSONValue in
                ["name": .string(name), "file": .string("\(folder.path)/\(name)")]
            }
            try ExportFiles(session: session, query: []).helped(
                "archive", ["parts": .array(parts)], to: path)
            return .done
        }
        guard mkdir(path, 0o777) == 0 else {
            throw Problem(
                .fileUnwritable, "cannot make \(path): \(String(cString: strerror(errno)))",
                hint: "Name a folder that is not there yet.")
        }
        let files: [String]
        do throws(Problem) {
            files = try fill(path, session)
        } catch {
            // Half a package is of no use, and would stand in the way of the next one.
            ScratchFolder.remove(path)
            throw error
        }
        if session.wantsJSON {
            session.answer(["folder": .string(path), "files": .integer(Int64(files.count))])
        } else {
            session.output.line(
                "wrote \(Text.count(files.count, "file", "files")) to \(Terminal.plain(path))")
        }
        return .done
    }

    /// Writes all files into a folder, and returns their paths in it.
    private static func fill(_ folder: String, _ session: Session) throws(Problem) -> [String] {
        let client = try session.client()
        let forms: [FormAnswer] = try client.answer(session.request("GET", ["forms"]))
        let views: ViewsAnswer = try client.answer(session.request("GET", ["views"]))
        let lists: [ListAnswer] = try client.answer(session.request("GET", ["lists"]))
        let settings: RoomSettingsAnswer = try client.answer(
            session.request("GET", ["settings", "room"]))
        var files: [String] = []
        func write(_ name: String, _ bytes: [UInt8]) throws(Problem) {
            let file = try OutputFile("\(folder)/\(name)")
            file.output.line(bytes)
            try file.commit()
            files.append(name)
        }
        func save(_ request: ControlRequest, _ name: String) throws(Problem) {
            _ = try Download.save(session, request, to: "\(folder)/\(name)", "writing, bytes")
            files.append(name)
        }
        /// A path that no file has so far; signs that lead elsewhere are not in it.
        func place(_ part: String, _ text: String, _ ending: String) -> String {
            var path = "\(part)/\(fileName(text))"
            while files.contains(path + ending) { path += "_" }
            return path + ending
        }
        for part in ["lists", "forms", "data"] { mkdir("\(folder)/\(part)", 0o777) }
        var listed = JSONObject()
        for list in lists {
            let path = place("lists", list.name, ".csv")
            try save(
                session.request("GET", ["lists", list.name, "csv"], silence: .reading), path)
            listed.members.append(.init(key: list.name, value: .string(path)))
        }
        var formed: [JSONValue] = []
        var data = JSONObject()
        for form in forms {
            let definition: JSONValue = try client.answer(
                session.request("GET", ["forms", form.formID]))
            let path = place("forms", form.formID, ".json")
            try write(path, definition.text)
            formed.append(.string(path))
            guard form.records > 0, !session.arguments.has("--no-data") else { continue }
            let tables = try FormTable.all(of: form.formID, session)
            try tellFormer(tables, session)
            for table in tables {
                let path = place("data", form.formID + table.suffix, ".csv")
                // A name with a comma in it goes by itself.
                let whole = table.columns.filter { $0.contains(",") }
                let plain = table.columns.filter { !$0.contains(",") }.joined(separator: ",")
                let columns = ([plain] + whole).map { (name: "columns", value: $0) }
                try save(
                    session.request(
                        "GET", ["export", table.form], query: columns, silence: .reading),
                    path)
                data[table.form] = .string(path)
            }
            let reviewed: FiguresAnswer = try client.answer(
                session.request(
                    "GET", ["count", form.formID], query: [(name: "where", value: "_state!=")],
                    silence: .reading))
            if reviewed.entries > 0 {
                let have = reviewed.entries == 1 ? "has" : "have"
                session.note(
                    "\(Terminal.plain(form.formID)): \(Text.entries(reviewed.entries)) \(have) a"
                        + " review, which the package leaves out: a review is its reviewer's word")
            }
        }
        let room: JSONObject = [
            "name": .string(views.room.name), "hidden": .bool(settings.isHidden),
        ]
        var package: JSONObject = [
            "name": .string(views.room.name), "room": .object(room), "lists": .object(listed),
            "forms": .array(formed), "data": .object(data), "kept": .bool(true),
        ]
        if !views.views.isEmpty {
            try write("views.json", JSONValue.object(["views": .array(views.views)]).text)
            package["views"] = "views.json"
        }
        try write("package.json", JSONValue.object(package).text)
        return files
    }

    /// Says what entries have that their forms do not ask any more: no table of the package has it.
    private static func tellFormer(
        _ tables: [FormTable], _ session: Session
    ) throws(Problem) {
        func count(_ form: String, _ condition: String?) throws(Problem) -> Int {
            let figures: FiguresAnswer = try session.client().answer(
                session.request(
                    "GET", ["count", form],
                    query: condition.map { [(name: "where", value: $0)] } ?? [],
                    silence: .reading))
            return figures.entries
        }
        func tell(_ form: String, _ count: Int, _ one: String, _ more: String, _ name: String) {
            guard count > 0 else { return }
            let (asks, are) = count == 1 ? (one, "is") : (more, "are")
            session.note(
                "\(Terminal.plain(form)): \(Text.number(count)) \(asks) of \(Terminal.plain(name)),"
                    + " which the form does not ask any more, \(are) left out of the package")
        }
        for table in tables {
            let list: [JSONValue] = try session.client().answer(
                session.request(
                    "GET", ["records", table.form],
                    query: [("where", "false()"), ("head", "true")], silence: .reading))
            let head: ListHead = try ControlClient.understood(list.first?.text ?? [])
            for name in head.former {
                tell(table.form, try count(table.form, "\(name)!="), "value", "values", name)
            }
            let asked = tables.filter { $0.path.count == table.path.count + 1 }
                .compactMap(\.path.last)
            let fields = Set(table.columns + head.former + ["_parent"])
            for name in head.columns where !fields.contains(name) && !asked.contains(name) {
                tell(table.form, try count("\(table.form)/\(name)", nil), "row", "rows", name)
            }
        }
    }

    /// The name of a form or a list as that of a file.
    private static func fileName(_ text: String) -> String {
        var name = String.UnicodeScalarView()
        if text.unicodeScalars.first == "." { name.append("_") }
        for sign in text.unicodeScalars {
            name.append("/\\".unicodeScalars.contains(sign) ? "_" : sign)
        }
        return String(name)
    }
}
