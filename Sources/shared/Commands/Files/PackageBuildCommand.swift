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
            "It has the forms in force, the entries with their ids, and the views, so that",
            "`shared package install` sets up a room like it. FOLDER must not be there yet.",
        ],
        examples: ["shared package build water-sanitation.zip"],
        interrupted: ("the package is not whole", "Start it again."))

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let path = session.arguments.operand(0)
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
        let files = try fill(path, session)
        if session.wantsJSON {
            session.output.line(["folder": .string(path), "files": .integer(Int64(files.count))])
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
        var files: [String] = []
        func write(_ name: String, _ bytes: [UInt8]) throws(Problem) {
            let file = try OutputFile("\(folder)/\(name)")
            file.output.line(bytes)
            try file.commit()
            files.append(name)
        }
        for part in ["forms", "data"] { mkdir("\(folder)/\(part)", 0o777) }
        var data = JSONObject()
        for form in forms {
            let definition: JSONValue = try client.answer(
                session.request("GET", ["forms", form.formID]))
            try write("forms/\(fileName(form.formID)).json", definition.text)
            guard form.records > 0, !session.arguments.has("--no-data") else { continue }
            for table in try FormTable.all(of: form.formID, session) {
                let name = "data/\(fileName(form.formID + table.suffix)).csv"
                let request = session.request(
                    "GET", ["export", table.form],
                    query: [("columns", table.columns.joined(separator: ","))],
                    silence: .seconds(120))
                _ = try Download.save(session, request, to: "\(folder)/\(name)", "writing, bytes")
                data[table.form] = .string(name)
                files.append(name)
            }
        }
        var package: JSONObject = [
            "name": .string(views.room.name), "room": ["name": .string(views.room.name)],
            "forms": .array(forms.map { .string("forms/\(fileName($0.formID)).json") }),
            "data": .object(data),
        ]
        if !views.views.isEmpty {
            try write("views.json", JSONValue.object(["views": .array(views.views)]).text)
            package["views"] = "views.json"
        }
        try write("package.json", JSONValue.object(package).text)
        return files
    }

    /// A form's id as the name of a file: ids may have signs that lead elsewhere.
    private static func fileName(_ text: String) -> String {
        let safe = text.map { "/\\".contains($0) ? "_" : $0 }
        return safe.first == "." ? "_" + String(safe) : String(safe)
    }
}
