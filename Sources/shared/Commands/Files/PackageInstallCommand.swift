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
            "names; with --room, it goes into one that is here, where what is there already stays,",
            "views too.",
        ],
        examples: ["shared package install examples/water-sanitation"],
        interrupted: ("interrupted; not all of the package is installed", "Start it again."))

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let package = try Package(session.arguments.operand(0))
        do throws(Problem) {
            try install(package, session)
        } catch {
            throw package.named(error)
        }
        return .done
    }

    private static func install(_ package: Package, _ session: Session) throws(Problem) {
        // What can be wrong with its files is known before there is a room.
        let forms = try package.forms.map { (path) throws(Problem) in try FormSource.read(path) }
        var answer = InstalledAnswer()
        if session.room == nil {
            let founded = try found(package, session)
            if !session.wantsJSON { JoinCommand.show(founded, session) }
            (answer.room, answer.recovery) = (founded.room, founded.recovery)
            answer.installed.append("room \(package.room)")
            // The current room may change meanwhile.
            session.room = founded.room.id
        }
        do throws(Problem) {
            try fill(package, forms, session) { answer.installed.append($0) }
        } catch {
            // Nobody tells the recovery code once more.
            if session.wantsJSON, answer.room != nil { session.output.line(answer.json) }
            throw error
        }
        if session.wantsJSON { session.output.line(answer.json) }
    }

    private static func found(
        _ package: Package, _ session: Session
    ) throws(Problem) -> JoinAnswer {
        let body = CreateRequest(room: package.room, isHidden: package.isHidden)
        do throws(Problem) {
            return try session.client().answer(
                ControlRequest("POST", ["rooms"], body: .value(body)))
        } catch {
            guard error.code == .roomExists else { throw error }
            throw Problem(
                error.code, error.detail,
                hint: "Put the package into it: --room \(Shell.quoted(package.room)).")
        }
    }

    /// Puts into a room what the package has. A part that is wrong keeps no other one out, but the
    /// entries of its form.
    ///
    /// - Throws: `Problem` with all that is wrong, when the rest is installed.
    private static func fill(
        _ package: Package, _ forms: [FormSource], _ session: Session, _ note: (String) -> Void
    ) throws(Problem) {
        var faults: [Problem] = []
        func attempt(
            _ part: String, _ step: () throws(Problem) -> Void
        ) throws(Problem) -> Bool {
            do throws(Problem) {
                try step()
                return true
            } catch {
                // What is not about the part itself would be wrong with each.
                guard isFault(error) else { throw error }
                var fault = error
                if !fault.detail.contains(part) { fault.detail = "\(part): \(fault.detail)" }
                fault.problems = fault.problems.map { problem in
                    var problem = problem
                    problem.message = "\(part): \(problem.line)"
                    problem.path = ""
                    return problem
                }
                faults.append(fault)
                return false
            }
        }
        for list in package.lists {
            _ = try attempt("list \(list.name)") { () throws(Problem) in
                let answer = try ListsAddCommand.send(session, list.name, list.path)
                note("list \(list.name)")
                if !session.wantsJSON { ListsAddCommand.show(answer, session) }
            }
        }
        var failed: Set<String> = []
        for source in forms {
            let part = "form " + (source.formID ?? "without form_id")
            let isAdded = try attempt(part) { () throws(Problem) in
                let added = try source.add(session)
                let answer: FormAddedAnswer = try ControlClient.understood(added.text)
                note("form \(answer.formID)")
                guard !session.wantsJSON else { return }
                session.output.line("form \(Terminal.plain(answer.formID))")
                answer.warnings.forEach { session.diagnostics.note($0) }
            }
            if !isAdded, let id = source.formID { failed.insert(id) }
        }
        var installed: [String] = []
        for (form, path) in session.arguments.has("--no-data") ? [] : package.data {
            // Rows have no place without their entries, nor these without their form.
            let above = form.indices.filter { form[$0] == "/" }.map { String(form[..<$0]) }
            guard !(above + [form]).contains(where: failed.contains) else {
                session.diagnostics.note(
                    "\(Terminal.plain(form)): its entries are left out with it")
                continue
            }
            let isInstalled = try attempt(form) { () throws(Problem) in
                try add(form, path, package, session)
                note("data \(form)")
            }
            if !isInstalled { failed.insert(form) } else if above.isEmpty { installed.append(form) }
        }
        if package.areKept, !session.wantsJSON { try tellUnfit(installed, session) }
        if let views = package.views {
            _ = try attempt("views") { () throws(Problem) in
                try addViews(views, session)
                note("views")
            }
        }
        guard let first = faults.first else { return }
        let hint =
            "Correct the file, and install the package into the room that is here now:"
            + " --room NAME."
        guard faults.count > 1 else {
            throw Problem(
                first.code, first.detail, hint: first.code == .rowsRejected ? hint : first.hint,
                errors: first.errors, problems: first.problems)
        }
        throw Problem(
            first.code,
            "\(faults.count) parts of the package are not installed: "
                + faults.map(\.detail).joined(separator: "; "),
            hint: hint, errors: faults.flatMap(\.errors), problems: faults.flatMap(\.problems))
    }

    /// Whether a problem is that of one part of a package.
    private static func isFault(_ problem: Problem) -> Bool {
        problem.code.status == 400
            || [.notFoundForm, .notFoundList, .tooLarge, .updateNeeded, .fileUnreadable]
                .contains(problem.code)
    }

    private static func add(
        _ form: String, _ path: String, _ package: Package, _ session: Session
    ) throws(Problem) {
        let answer = try ImportCommand.send(
            session, form, path, package.areKept ? [("as_kept", "true")] : [])
        guard answer.rejected.isEmpty, answer.rejectedCount == 0 else {
            let count = Text.count(answer.rejectedCount, "thing is", "things are")
            let only = answer.rejected.first.map(Diagnostics.sentence) ?? ""
            throw Problem(
                .rowsRejected,
                "\(path): \(answer.rejectedCount == 1 ? only : "\(count) wrong")",
                errors: answer.rejected)
        }
        guard !session.wantsJSON else { return }
        let unchanged =
            answer.unchanged > 0 ? ", \(Text.number(answer.unchanged)) unchanged" : ""
        session.output.line(
            "\(Terminal.plain(form)): added \(Text.entries(answer.added))\(unchanged)")
    }

    /// Entries that came as they were kept may not be what the form in force asks.
    private static func tellUnfit(_ forms: [String], _ session: Session) throws(Problem) {
        for form in forms {
            let figures: FiguresAnswer = try session.client().answer(
                session.request(
                    "GET", ["count", form], query: [(name: "where", value: "_valid=no")],
                    silence: .reading))
            guard figures.entries > 0 else { continue }
            let does = figures.entries == 1 ? "does" : "do"
            session.diagnostics.note(
                "\(Text.entries(figures.entries)) of \(Terminal.plain(form)) \(does) not fit the form:"
                    + " shared list \(Shell.quoted(form)) --invalid")
        }
    }

    /// Gives the room the views of the package beside those that it has.
    private static func addViews(_ path: String, _ session: Session) throws(Problem) {
        let tree = try Package.tree(of: path)
        guard let coming = tree.object?["views"]?.array else {
            throw Problem(
                .badView, "\(path): there is no list \"views\"",
                hint: "For instance {\"views\": [{\"name\": \"all\", \"kind\": \"figure\", ...}]}.")
        }
        let before: ViewsAnswer = try session.client().answer(session.request("GET", ["views"]))
        func name(_ view: JSONValue) -> String? { view.object?["name"]?.string }
        let names = Set(before.views.compactMap(name))
        let new = coming.filter { name($0).map { !names.contains($0) } ?? true }
        let body: JSONObject = ["views": .array(before.views + new)]
        let answer: ViewsAnswer = try session.client().answer(
            session.request("PUT", ["views"], body: .json(JSONValue.object(body).text)))
        guard !session.wantsJSON else { return }
        session.output.line("\(Text.count(answer.views.count, "view", "views")): shared view")
        let others = coming.filter { view in
            name(view).map { names.contains($0) } == true && !before.views.contains(view)
        }
        if !others.isEmpty {
            let list = Text.list(others.compactMap(name))
            session.diagnostics.note(
                "the room has other views of these names, which stay: \(list)")
        }
        try ViewCommand.tellFaults(of: new, session)
    }

    /// What `--json` prints.
    private struct InstalledAnswer: Codable {
        /// The room that was founded, and its recovery code; nil with `--room`.
        var room: NamedRoom?
        var recovery: String?
        var installed: [String] = []
    }
}
