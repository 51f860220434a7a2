internal import Charts
internal import ControlClient
internal import JSON
internal import ShareControl

/// `shared chart`
enum ChartCommand: Command {
    static let syntax = CommandSyntax(
        name: "chart", summary: "draw a field as a chart, here or as an SVG file",
        operands: [
            .init(name: "KIND"), .init(name: "FORM"), .init(name: "FIELD"), Conditions.operand,
        ],
        options: [
            .init(
                name: "--by", value: "FIELD", repeats: true,
                help: "a series, a bar, or a colour of points, for each value"),
            .init(
                name: "--agg", value: "WHAT",
                help: "count (usual), sum, mean, min, max or median of FIELD"),
            .init(
                name: "--period", value: "PERIOD",
                help: "day, week or month, along a date or when entries were made"),
            .init(
                name: "--along", value: "FIELD",
                help: "the date along which --agg goes, instead of _created"),
            .init(name: "--svg", value: "FILE", help: "write it as an SVG file"),
            .init(name: "--ascii", help: "draw with plain ASCII"),
        ] + Conditions.options,
        notes: ["KIND is pie, bar, line, histogram or points."] + Conditions.notes,
        examples: [
            "shared chart bar household village",
            "shared chart line readings pulse --agg mean --period week --svg pulse.svg",
        ])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let arguments = session.arguments
        var query = try Conditions.query(session, arguments.operands.dropFirst(3))
        query += [("kind", arguments.operand(0)), ("field", arguments.operand(2))]
        query += arguments.values("--by").map { (name: "by", value: $0) }
        for option in ["agg", "period", "along"] {
            if let value = arguments.value("--\(option)") { query.append((option, value)) }
        }
        let request = session.request(
            "GET", ["chart", arguments.operand(1)], query: query, silence: .reading)
        let path = arguments.value("--svg")
        guard path == nil || !arguments.has("--ascii") else {
            throw syntax.problem("--ascii is for the terminal: --svg takes none")
        }
        let ending = path?.split(separator: "/").last?.split(separator: ".").dropFirst().last ?? ""
        guard !["png", "jpg", "jpeg", "pdf", "gif", "webp"].contains(ending.lowercased()) else {
            throw syntax.problem("--svg writes SVG: name the file .svg, not .\(ending)")
        }
        if session.wantsJSON, path == nil {
            try session.answer(request, as: ChartAnswer.self, hasNotes: true) { _ in }
            return .done
        }
        let answer: ChartAnswer = try session.client().answer(request)
        defer {
            (answer.earlier ?? []).map(Text.earlierField).forEach(session.diagnostics.note)
            answer.withheld.map(Text.notCounted).map(session.diagnostics.note)
        }
        let chart = try chart(of: answer)
        if let path {
            let text = String(chart.svg().dropLast())
            if path == "-" {
                session.output.line(text)
                return .done
            }
            let file = try OutputFile(path)
            file.output.line(text)
            try file.commit()
            if session.wantsJSON {
                session.output.line(["file": path.json, "bytes": file.output.written.json])
            } else {
                session.output.line("wrote \(Terminal.plain(path))")
            }
            return .done
        }
        draw(chart, session)
        return .done
    }

    /// Draws an answer on the terminal.
    static func draw(
        _ answer: ChartAnswer, title: String, _ session: Session
    ) throws(Problem) {
        var chart = try chart(of: answer)
        if !title.isEmpty { chart.caption.title = Terminal.plain(title) }
        draw(chart, session)
    }

    private static func chart(of answer: ChartAnswer) throws(Problem) -> Chart {
        do throws(ChartError) {
            return try ChartDrawing(answer).chart()
        } catch {
            throw Problem(.badRequest, "no such chart: \(error)", hint: "Choose another kind.")
        }
    }

    private static func draw(_ chart: Chart, _ session: Session) {
        let lines = chart.terminal(
            TerminalOptions(
                columns: Terminal.columns,
                isASCII: session.arguments.has("--ascii") || !Terminal.isUTF8,
                hasColours: Style.isShown))
        session.output.line(String(lines.dropLast()))
    }
}
