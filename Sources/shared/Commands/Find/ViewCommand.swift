internal import Charts
internal import ControlClient
internal import JSON
internal import ShareControl

/// `shared view`
enum ViewCommand: Command {
    static let syntax = CommandSyntax(
        name: "view", summary: "the room's figures, charts and tables",
        operands: [.init(name: "NAME", count: .optional)],
        options: [.init(name: "--ascii", help: "draw with plain ASCII")],
        notes: ["Without NAME: all figures, and the names of the other views."],
        examples: ["shared view", "shared view by-village"])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let answer: ViewsAnswer = try session.client().answer(session.request("GET", ["views"]))
        let views = answer.views.compactMap(\.object).map { ViewOutline($0) }
        guard let name = session.arguments.operands.first else {
            try overview(views, session)
            return .done
        }
        guard let view = views.first(where: { $0.name == name }) else {
            let near = NearestWord.guess(name, among: views.map(\.name))
            throw Problem(
                .badRequest, "the room has no view \"\(Terminal.cut(Terminal.plain(name), 60))\"",
                hint: near.map { "Did you mean \($0)?" } ?? "See `shared view`.")
        }
        try show(view, session)
        return .done
    }

    private static func overview(
        _ views: [ViewOutline], _ session: Session
    ) throws(Problem) {
        var shown: [JSONValue] = []
        var table = Table(["NAME", "", ""])
        var missed: [String] = []
        for view in views {
            var members: JSONObject = ["name": view.name.json, "kind": view.kind.json]
            if !view.title.isEmpty { members["title"] = view.title.json }
            var words = view.kind
            do throws(Problem) {
                if view.isFigure, view.by == nil {
                    let figures = try figures(view, session)
                    let value = figures.groups.first?.value
                    words = view.text(value, figures.unit)
                    members["value"] = value.json
                    members["goal"] = view.goal
                    missed += (figures.earlier ?? []).map {
                        "\(view.name): \(Text.earlierField($0))"
                    }
                } else if let fault = try fault(of: view, session) {
                    words = "cannot be shown: \(fault.detail)"
                    members["problem"] = fault.detail.json
                }
            } catch {
                guard isFault(error) else { throw error }
                words = "cannot be shown: \(error.detail)"
                members["problem"] = error.detail.json
            }
            shown.append(.object(members))
            table.add([view.name, view.title, words])
        }
        if session.wantsJSON { return session.output.line(JSONValue.array(shown)) }
        guard !views.isEmpty else {
            return session.output.line("the room has no views: shared set views FILE")
        }
        table.write(to: session.output)
        missed.map(Terminal.plain).forEach(session.diagnostics.note)
    }

    private static func show(_ view: ViewOutline, _ session: Session) throws(Problem) {
        switch view.kind {
        case "chart":
            try session.answer(chart(view, session), as: ChartAnswer.self) {
                (answer) throws(Problem) in
                try ChartCommand.draw(answer, title: view.title, session)
                (answer.earlier ?? []).map(Text.earlierField).forEach(session.diagnostics.note)
            }
        case "table":
            try ListCommand.show(session, table(view, session), columns: view.columns)
        case "search":
            let form = view.form.isEmpty ? "" : " --form \(Terminal.plain(view.form))"
            session.output.line("shared search TEXT\(form)")
        default:
            let figures = try figures(view, session)
            let (groups, unit) = (figures.groups, figures.unit)
            if session.wantsJSON {
                session.output.line(
                    JSONValue.array(
                        groups.map { ["label": $0.label.json, "value": $0.value.json] }))
            } else if view.by == nil {
                session.output.line(view.text(groups.first?.value, unit))
            } else {
                var table = Table([view.by ?? "", ""])
                for group in groups { table.add([group.label, view.text(group.value, unit)]) }
                table.write(to: session.output)
            }
            (figures.earlier ?? []).map(Text.earlierField).forEach(session.diagnostics.note)
        }
    }

    // MARK: Faults

    /// The reason why a view can never be shown as it is written; nil for one that can. No entry is
    /// read for it.
    static func fault(of view: ViewOutline, _ session: Session) throws(Problem) -> Problem? {
        let view = view.withoutEntries
        do throws(Problem) {
            switch view.kind {
            case "chart":
                let _: ChartAnswer = try session.client().answer(chart(view, session))
            case "table":
                var request = table(view, session)
                request.query.append(("head", "true"))
                let list: [JSONValue] = try session.client().answer(request)
                let head: ListHead = try ControlClient.understood(list.first?.text ?? [])
                _ = try ListLayout(
                    head, [], columns: view.columns, isWide: true, isInvalid: false, width: nil)
            case "search":
                for (noun, name) in [("forms", view.form), ("lists", view.list)]
                where !name.isEmpty {
                    do throws(Problem) {
                        let _: JSONValue = try session.client().answer(
                            session.request("GET", [noun, name]))
                    } catch {
                        guard error.code == .notFoundList, try hasList(name, session) else {
                            throw error
                        }
                    }
                }
            default: _ = try figures(view, session)
            }
            return nil
        } catch {
            guard isFault(error) else { throw error }
            return error
        }
    }

    /// Says which views of a room cannot be shown as they are written.
    static func tellFaults(of views: [JSONValue], _ session: Session) throws(Problem) {
        guard !session.wantsJSON else { return }
        for view in views.compactMap(\.object).map({ ViewOutline($0) }) {
            guard let fault = try fault(of: view, session) else { continue }
            session.diagnostics.note("\(view.name) cannot be shown: \(fault.detail)")
        }
    }

    /// Whether any form has a list of that name.
    private static func hasList(_ name: String, _ session: Session) throws(Problem) -> Bool {
        let forms: [FormAnswer] = try session.client().answer(session.request("GET", ["forms"]))
        for form in forms {
            let definition: JSONObject = try session.client().answer(
                session.request("GET", ["forms", form.formID]))
            if definition["lists"]?.object?[name] != nil { return true }
        }
        return false
    }

    /// Whether a problem is the view's own, and not one of the daemon or the room.
    private static func isFault(_ problem: Problem) -> Bool {
        problem.code.status == 400 || [.notFoundForm, .notFoundList].contains(problem.code)
    }

    // MARK: Requests

    private static func chart(_ view: ViewOutline, _ session: Session) -> ControlRequest {
        var query = view.conditions + [("kind", view.chart), ("agg", view.aggregate)]
        query += view.named(["field", "by", "period", "along", "weight"])
        return session.request("GET", ["chart", view.form], query: query, silence: .reading)
    }

    private static func table(_ view: ViewOutline, _ session: Session) -> ControlRequest {
        session.request(
            "GET", ["records", view.form],
            query: view.conditions + view.rows
                + (view.columns ?? []).map { (name: "columns", value: $0) },
            silence: .reading)
    }

    /// What a view counts or computes.
    private struct Figures {
        /// One number, or one for each value of `by`; nil where there is none.
        let groups: [(label: String, value: Double?)]
        /// That of all.
        var unit: String?
        /// Entries that it misses, as they answer an earlier version.
        let earlier: [EarlierMatch]?
    }

    private static func figures(
        _ view: ViewOutline, _ session: Session
    ) throws(Problem) -> Figures {
        var query = view.conditions
        if view.aggregate == "count" {
            query += view.named(["by"])
            let answer: FiguresAnswer = try session.client().answer(
                session.request(
                    "GET", ["count", view.form], query: query, silence: .reading))
            guard view.by != nil else {
                return Figures(groups: [("", Double(answer.entries))], earlier: answer.earlier)
            }
            let groups = answer.groups.map {
                ($0.keys.first.map { CountCommand.shown($0) } ?? "", Double($0.entries))
            }
            return Figures(groups: groups, earlier: answer.earlier)
        }
        query += [("kind", "bar"), ("agg", view.aggregate)]
        query += view.named(["field", "by", "weight"])
        let answer: ChartAnswer = try session.client().answer(
            session.request("GET", ["chart", view.form], query: query, silence: .reading))
        let drawing = ChartDrawing(answer)
        let figures = (answer.figures?.groups ?? []).map {
            ($0.keys.first.map { CountCommand.shown($0) } ?? "", drawing.value($0))
        }
        // The sum of nothing is 0; a mean of nothing is none.
        let isNone = view.by == nil && view.aggregate == "sum" && figures.first?.1 == nil
        return Figures(
            groups: isNone ? [("", 0)] : figures, unit: answer.field.unit, earlier: answer.earlier)
    }
}
