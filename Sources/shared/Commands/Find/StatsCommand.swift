internal import ControlClient
internal import JSON
internal import ShareControl

/// `shared stats`
enum StatsCommand: Command {
    static let syntax = CommandSyntax(
        name: "stats", summary: "what the values of a field come to: sum, mean, quartiles",
        operands: [
            .init(name: "FORM"), .init(name: "FIELD", count: .optional), Conditions.operand,
        ],
        options: [
            .init(name: "--weight", value: "FIELD", help: "the mean with this number as weights")
        ] + Conditions.options,
        notes: [
            "Without FIELD, for every field. n counts entries with a value. Between two values",
            "median and quartiles are taken in proportion.",
        ] + Conditions.notes,
        examples: [
            "shared stats common-viruses Recovery_Status",
            "shared stats household under5 village=Koro",
        ])

    static func run(_ session: Session) throws(Problem) -> ExitCode {
        let arguments = session.arguments
        var words = arguments.operands.dropFirst()
        var field: String?
        if let word = words.first, !Conditions.isMeant(word) { field = words.removeFirst() }
        var query = try Conditions.query(session, words)
        if let field { query.append(("field", field)) }
        if let weight = arguments.value("--weight") { query.append(("weight", weight)) }
        let request = session.request(
            "GET", ["stats", arguments.operand(0)], query: query, silence: .reading)
        try session.answer(request, as: StatsAnswer.self, hasNotes: true) { answer in
            if field != nil, let one = answer.fields.first {
                show(one, weight: arguments.value("--weight"), session.output)
            } else {
                show(answer, session)
            }
            (answer.earlier ?? []).map(Text.earlierField).forEach(session.diagnostics.note)
            answer.withheld.map(Text.notCounted).map(session.diagnostics.note)
        }
        return .done
    }

    private static func show(_ field: FieldStatsAnswer, weight: String?, _ output: Output) {
        let unit = field.unit.map { $0 == "%" ? "%" : " \($0)" } ?? ""
        var table = Table([Terminal.plain(field.label), ""])
        table.add(["entries with a value", "\(field.n)"])
        table.add(["without", "\(field.missing)\(field.notFinite > 0 ? notFinite(field) : "")"])
        table.add(["different values", "\(field.distinct)"])
        func add(_ name: String, _ value: Double?, of: String = "") {
            if let value { table.add([name, number(value) + unit + of]) }
        }
        if isTooLarge(field) { table.add(["sum", tooLarge]) } else { add("sum", field.sum) }
        if isTooLarge(field), weight == nil {
            table.add(["mean", tooLarge])
        } else {
            add(
                weight.map { "mean weighted by \(Terminal.plain($0))" } ?? "mean", field.mean,
                of: field.weighted.map { " (of \(Text.entries($0)))" } ?? "")
        }
        if let least = field.min { table.add(["least", Text.value(least) + unit]) }
        add("first quartile", field.q1)
        add("median", field.median)
        add("third quartile", field.q3)
        if let greatest = field.max { table.add(["greatest", Text.value(greatest) + unit]) }
        table.write(to: output)
    }

    /// Whether its numbers are, put together, beyond those that are computed with.
    private static func isTooLarge(_ field: FieldStatsAnswer) -> Bool {
        field.sum == nil && field.median != nil
    }

    /// How many of those without have a value that is no number to compute with.
    private static func notFinite(_ field: FieldStatsAnswer) -> String {
        " (\(Text.number(field.notFinite)) not finite, as of a division by 0)"
    }

    private static let tooLarge = "too large"

    /// What is left out first where the terminal is narrow.
    private static let dispensable = [
        ["SUM"], ["DISTINCT"], ["Q1", "Q3"], ["MISSING"], ["MEDIAN"],
    ]

    private static func show(_ answer: StatsAnswer, _ session: Session) {
        let titles = [
            "FIELD", "N", "MISSING", "DISTINCT", "MEAN", "MIN", "Q1", "MEDIAN", "Q3", "MAX", "SUM",
        ]
        var rows: [[String]] = []
        for field in answer.fields {
            rows.append(
                [field.name, "\(field.n)", "\(field.missing)", "\(field.distinct)"]
                    + [
                        isTooLarge(field) ? tooLarge : number(field.mean), Text.value(field.min),
                        number(field.q1),
                        number(field.median), number(field.q3), Text.value(field.max),
                        isTooLarge(field) ? tooLarge : number(field.sum),
                    ])
        }
        let widths = titles.indices.map { column in
            ([titles] + rows).map { Terminal.width(Terminal.plain($0[column])) }.max() ?? 0
        }
        var shown = Array(titles.indices)
        var left: [String] = []
        for some in dispensable
        where ListLayout.isOnTerminal
            && shown.reduce(-2, { $0 + widths[$1] + 2 }) > Terminal.columns
        {
            shown.removeAll { some.contains(titles[$0]) }
            left += some
        }
        var table = Table(shown.map { titles[$0] })
        for row in rows { table.add(shown.map { row[$0] }) }
        table.write(to: session.output)
        for field in answer.fields where field.notFinite > 0 {
            let missing = "\(Text.number(field.missing)) missing\(notFinite(field))"
            session.diagnostics.note("\(Terminal.plain(field.name)): \(missing)")
        }
        if !left.isEmpty {
            session.diagnostics.note(
                "not shown: \(left.joined(separator: ", ")); `shared stats FORM FIELD` has them")
        }
    }

    /// A number for people: at most six digits after the point; nothing where there is none.
    static func number(_ value: Double?) -> String {
        guard let value, value.isFinite else { return "" }
        let scaled = (value * 1e6).rounded()
        let rounded = scaled.magnitude < 1e15 ? scaled / 1e6 : value
        return Text.value(.double(rounded))
    }
}
