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
                .badRequest, "the room has no view \"\(Terminal.plain(name))\"",
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
        for view in views {
            var words = view.kind
            if view.isFigure, view.by == nil {
                let figure = try figure(view, session).first?.value
                words = view.text(figure)
                shown.append(["name": view.name.json, "kind": view.kind.json, "value": figure.json])
            } else {
                shown.append(["name": view.name.json, "kind": view.kind.json])
            }
            table.add([view.name, view.title, words])
        }
        if session.wantsJSON { return session.output.line(JSONValue.array(shown)) }
        guard !views.isEmpty else {
            return session.diagnostics.note("the room has no views: `shared set views FILE`")
        }
        table.write(to: session.output)
    }

    private static func show(_ view: ViewOutline, _ session: Session) throws(Problem) {
        switch view.kind {
        case "chart":
            var query = view.conditions + [("kind", view.chart), ("agg", view.aggregate)]
            query += view.named(["field", "by", "period", "weight"])
            let request = session.request(
                "GET", ["chart", view.form], query: query, silence: .seconds(120))
            try session.answer(request, as: ChartAnswer.self) { (answer) throws(Problem) in
                try ChartCommand.draw(answer, title: view.title, session)
            }
        case "table":
            let request = session.request(
                "GET", ["records", view.form], query: view.conditions + view.rows,
                silence: .seconds(120))
            try ListCommand.show(session, request, columns: view.columns)
        case "search":
            let form = view.form.isEmpty ? "" : " --form \(Terminal.plain(view.form))"
            session.output.line("shared search TEXT\(form)")
        default:
            let figures = try figure(view, session)
            if session.wantsJSON {
                session.output.line(
                    JSONValue.array(
                        figures.map { ["label": $0.label.json, "value": $0.value.json] }))
            } else if view.by == nil {
                session.output.line(view.text(figures.first?.value))
            } else {
                var table = Table([view.by ?? "", ""])
                for figure in figures { table.add([figure.label, view.text(figure.value)]) }
                table.write(to: session.output)
            }
        }
    }

    /// One number, or one for each value of `by`; nil where there is none.
    private static func figure(
        _ view: ViewOutline, _ session: Session
    ) throws(Problem) -> [(label: String, value: Double?)] {
        var query = view.conditions
        if view.aggregate == "count" {
            query += view.named(["by"])
            let answer: FiguresAnswer = try session.client().answer(
                session.request(
                    "GET", ["count", view.form], query: query, silence: .seconds(120)))
            guard view.by != nil else { return [("", Double(answer.entries))] }
            return answer.groups.map {
                ($0.keys.first.map { CountCommand.shown($0) } ?? "", Double($0.entries))
            }
        }
        query += [("kind", "bar"), ("agg", view.aggregate)]
        query += view.named(["field", "by", "weight"])
        let answer: ChartAnswer = try session.client().answer(
            session.request("GET", ["chart", view.form], query: query, silence: .seconds(120)))
        let drawing = ChartDrawing(answer)
        let figures = (answer.figures?.groups ?? []).map {
            ($0.keys.first.map { CountCommand.shown($0) } ?? "", drawing.value($0))
        }
        // The sum of nothing is 0; a mean of nothing is none.
        if view.by == nil, view.aggregate == "sum", figures.first?.1 == nil { return [("", 0)] }
        return figures
    }
}

/// What the command line reads of a view.
struct ViewOutline {
    private let members: JSONObject

    init(_ members: JSONObject) { self.members = members }

    private func text(_ name: String) -> String? { members[name]?.string }

    var name: String { text("name") ?? "" }
    var kind: String { text("kind") ?? "" }
    var form: String { text("form") ?? "" }
    var by: String? { text("by") }
    var chart: String { text("chart") ?? "bar" }
    var aggregate: String { text("agg") ?? "count" }
    var isFigure: Bool { kind == "figure" || kind == "target" }

    var title: String {
        if let title = text("title") { return title }
        return members["title"]?.object?.members.first?.value.string ?? ""
    }

    var conditions: [(name: String, value: String)] {
        text("where").map { [(name: "where", value: $0)] } ?? []
    }

    /// Those of some members that it has.
    func named(_ names: [String]) -> [(name: String, value: String)] {
        names.compactMap { name in text(name).map { (name: name, value: $0) } }
    }

    private func texts(_ name: String) -> [String] {
        members[name]?.array?.compactMap(\.string) ?? []
    }

    var columns: [String]? { texts("columns").isEmpty ? nil : texts("columns") }

    /// The order and number of rows.
    var rows: [(name: String, value: String)] {
        var rows = texts("sort").map { (name: "sort", value: $0) }
        if case .integer(let limit)? = members["limit"] { rows.append(("limit", "\(limit)")) }
        return rows
    }

    /// A number with the goal beside it; `-` where there is no number.
    func text(_ value: Double?) -> String {
        var text = "-"
        if let value {
            if case .integer(let places)? = members["decimals"] {
                text = Self.fixed(value, Int(places))
            } else {
                text = StatsCommand.number(value)
            }
        }
        guard kind == "target" else { return text }
        let goal = Text.value(members["goal"])
        return "\(text) of \(goal)"
    }

    private static func fixed(_ value: Double, _ places: Int) -> String {
        let places = min(max(places, 0), 6)
        var scale = 1.0
        for _ in 0..<places { scale *= 10 }
        let rounded = (value.magnitude * scale).rounded()
        guard rounded < 1e15 else { return StatsCommand.number(value) }
        let whole = Int(rounded / scale)
        let sign = value < 0 && rounded > 0 ? "-" : ""
        guard places > 0 else { return "\(sign)\(whole)" }
        let digits = String(Int(rounded) % Int(scale))
        return "\(sign)\(whole)." + String(repeating: "0", count: places - digits.count) + digits
    }
}
