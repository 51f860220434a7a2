internal import ControlClient
internal import JSON
internal import ShareControl

/// `shared package install`
enum PackageInstallCommand: Command {
    static let syntax = CommandSyntax(
        name: "package install", summary: "set a room up: lists, forms, data, views",
        operands: [.init(name: "FOLDER|FILE.zip")],
        options: [.init(name: "--no-data", help: "without the entries of the package")],
        notes: [
            "A package has a package.json that names its files. It founds the room that the package",
            "names; with --room, it goes into one that is here, where what is there already stays.",
        ],
        examples: ["shared package install examples/water-sanitation"],
        interrupted: ("not all of the package is installed", "Start it again."))

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let path = session.arguments.operand(0)
        var unpacked: ScratchFolder?
        if path.lowercased().hasSuffix(".zip") {
            unpacked = try ScratchFolder()
            _ = try FormHelper.ask(["unpack", path, unpacked?.path ?? ""])
        }
        defer { _ = unpacked }
        let package = try Package(folder: unpacked?.path ?? path)
        var answer = InstalledAnswer()
        if session.room == nil {
            let body = CreateRequest(room: package.room, isHidden: package.isHidden)
            let founded: JoinAnswer = try session.client().answer(
                ControlRequest("POST", ["rooms"], body: .value(body)))
            if !session.wantsJSON { JoinCommand.show(founded, session) }
            (answer.room, answer.recovery) = (founded.room, founded.recovery)
            answer.installed.append("room \(package.room)")
            // The current room may change meanwhile.
            session.room = founded.room.id
        }
        do throws(Problem) {
            try fill(package, session) { answer.installed.append($0) }
        } catch {
            // Nobody tells the recovery code once more.
            if session.wantsJSON, answer.room != nil { session.output.line(answer.json) }
            throw error
        }
        if session.wantsJSON { session.output.line(answer.json) }
        return .done
    }

    /// Puts into a room what the package has.
    private static func fill(
        _ package: Package, _ session: Session, _ note: (String) -> Void
    ) throws(Problem) {
        for list in package.lists {
            let answer = try ListsAddCommand.send(session, list.name, list.path)
            note("list \(list.name)")
            if !session.wantsJSON { ListsAddCommand.show(answer, session) }
        }
        for file in package.forms {
            let source = try FormSource.read(file)
            let added = try source.add(session)
            let answer: FormAddedAnswer = try ControlClient.understood(added.text)
            note("form \(answer.formID)")
            if !session.wantsJSON {
                session.output.line("form \(Terminal.plain(answer.formID))")
                answer.warnings.forEach { session.diagnostics.note($0) }
            }
        }
        for (form, path) in session.arguments.has("--no-data") ? [] : package.data {
            let answer = try ImportCommand.send(session, form, path)
            guard answer.rejected.isEmpty, answer.rejectedCount == 0 else {
                throw Problem(
                    .rowsRejected, "\(path): \(Text.number(answer.rejectedCount)) rows are wrong",
                    hint: "See them: shared import \(form) \(path)", errors: answer.rejected)
            }
            note("data \(form)")
            if !session.wantsJSON {
                let unchanged =
                    answer.unchanged > 0 ? ", \(Text.number(answer.unchanged)) unchanged" : ""
                session.output.line(
                    "\(Terminal.plain(form)): added \(Text.entries(answer.added))\(unchanged)")
            }
        }
        if let views = package.views {
            let body = try InputFile(views).contents(limit: ControlLimits.bodyBytes)
            let answer: ViewsAnswer = try session.client().answer(
                session.request("PUT", ["views"], body: .json(body)))
            note("views")
            if !session.wantsJSON {
                session.output.line(
                    "\(Text.count(answer.views.count, "view", "views")): shared view")
            }
        }
    }

    /// What `--json` prints.
    private struct InstalledAnswer: Codable {
        /// The room that was founded, and its recovery code; nil with `--room`.
        var room: NamedRoom?
        var recovery: String?
        var installed: [String] = []
    }
}

/// A folder that sets a room up, as its package.json describes it.
private struct Package {
    let room: String
    let isHidden: Bool
    let lists: [ListFiles.File]
    /// Paths of forms.
    let forms: [String]
    /// Forms, or `FORM/REPEAT`, and the paths of their CSV files, in the order of the file.
    let data: [(form: String, path: String)]
    let views: String?

    init(folder: String) throws(Problem) {
        let folder = folder.hasSuffix("/") ? folder : folder + "/"
        let path = folder + "package.json"
        let tree: JSONValue
        do {
            tree = try JSONValue(text: try InputFile(path).contents(limit: 1 << 20))
        } catch let problem as Problem {
            throw problem
        } catch {
            throw Problem(.badFile, "\(path): \(error)", hint: "It is one JSON object.")
        }
        guard let name = tree.object?["room"]?.object?["name"]?.string else {
            throw Problem(
                .badFile, "\(path) names no room",
                hint: "For instance \"room\": {\"name\": \"clinic\"}.")
        }
        room = name
        isHidden = tree.object?["room"]?.object?["hidden"] == .bool(true)
        var forms: [String] = []
        for form in tree.object?["forms"]?.array ?? [] {
            forms.append(try Package.inside(folder, form, path))
        }
        var data: [(form: String, path: String)] = []
        for member in tree.object?["data"]?.object?.members ?? [] {
            // A large table may be several files.
            for file in member.value.array ?? [member.value] {
                data.append((member.key, try Package.inside(folder, file, path)))
            }
        }
        var lists: [ListFiles.File] = []
        for member in tree.object?["lists"]?.object?.members ?? [] {
            lists.append(
                ListFiles.File(
                    name: member.key, path: try Package.inside(folder, member.value, path)))
        }
        self.lists = lists
        self.forms = forms
        self.data = data
        views = try tree.object?["views"].map { tree throws(Problem) in
            try Package.inside(folder, tree, path)
        }
    }

    /// The path of a file within the folder. A package of somebody else could else share any file
    /// of its user.
    private static func inside(
        _ folder: String, _ tree: JSONValue, _ path: String
    ) throws(Problem) -> String {
        guard let text = tree.string, !text.isEmpty, !text.hasPrefix("/"), !text.contains("\0"),
            !text.split(separator: "/").contains(".."),
            !FolderBounds(folder).isLeft(by: folder + text)
        else {
            throw Problem(
                .badFile, "\(path): \(tree.string ?? tree.kind) is no file within the folder",
                hint: "Name files as forms/visit.json.")
        }
        return folder + text
    }
}
