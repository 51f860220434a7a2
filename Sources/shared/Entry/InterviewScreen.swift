internal import JSON
internal import ShareControl

/// How an interview looks, in lines that fit a width.
enum InterviewScreen {
    typealias Line = Interview.Line

    /// More choices than this are not listed: typing finds them.
    private static let listedChoices = 24
    private static let widestValue = 40

    static func opening(_ state: EntryStateAnswer, isNew: Bool, _ width: Int) -> [Line] {
        // Of an entry that is edited the summary comes first, and has the title.
        guard isNew else { return [] }
        return [Line(text: state.title, kind: .title)]
            + wrapped(
                "? explains a question, < goes back, Ctrl-C keeps a draft. * needs an answer.",
                .aside, 0, width)
    }

    /// The answers of a draft that the form has no question for any more.
    static func dropped(_ state: EntryStateAnswer, _ width: Int) -> [Line] {
        (state.dropped ?? JSONObject()).members.flatMap { member in
            let rows = member.value.array?.filter { $0.object != nil } ?? []
            let said =
                rows.isEmpty ? Text.value(member.value) : Text.count(rows.count, "row", "rows")
            return wrapped(
                "\(member.key) is not asked any more; the answer is left out: \(said)", .warning,
                0, width)
        }
    }

    /// A language that was asked for and is not there.
    static func missing(_ language: String, among languages: [String]) -> Line {
        let note = MissingLanguage.note(language, among: languages)
        return Line(
            text: Terminal.plain("\(note.prefix(1).uppercased())\(note.dropFirst())."),
            kind: .warning)
    }

    /// `version 2 had 5`
    private static func had(_ earlier: EntryField.Earlier) -> String {
        "version \(earlier.version) had \(earlier.value)"
    }

    static func note(_ field: EntryField, _ width: Int) -> [Line] {
        [Line(text: "")] + wrapped(field.label, .text, 0, width)
            + wrapped(field.hint ?? "", .aside, 2, width)
    }

    /// A question with what helps to answer it.
    static func question(
        _ field: EntryField, _ number: Int, of total: Int, under group: [String], _ width: Int
    ) -> [Line] {
        var lines = [Line(text: "")]
        if !field.group.isEmpty, field.group != group {
            lines += wrapped(field.group.joined(separator: " / "), .title, 0, width)
        }
        let unit = field.unit.map { " (\($0))" } ?? ""
        let mark = field.isRequired ? " *" : ""
        lines += wrapped("\(number)/\(total) \(field.label)\(unit)\(mark)", .text, 0, width)
        if let hint = field.hint { lines += wrapped(hint, .aside, 2, width) }
        if let earlier = field.earlier { lines += wrapped(had(earlier), .aside, 2, width) }
        if field.type == "acknowledge" {
            lines.append(Line(text: "y: OK", kind: .aside, indent: 2))
        }
        guard let choices = field.choices else { return lines }
        if field.offersNothing { return lines + wrapped(nothing(field), .warning, 2, width) }
        let count = field.choicesTotal ?? choices.count
        guard field.listsAll, count <= listedChoices else {
            let first = choices.prefix(3).map { "\($0.label), " }.joined()
            let least = field.choicesMore == true ? "At least " : ""
            return lines
                + wrapped(
                    "\(least)\(Text.number(count)) choices (\(first)...): type some letters of one.",
                    .aside, 2, width)
        }
        return lines + self.choices(choices, all: choices, count, width)
    }

    /// Choices with what they are picked by, in as many columns as fit.
    static func choices(
        _ some: [EntryChoice], all: [EntryChoice], _ total: Int, mayBeMore: Bool = false,
        _ width: Int
    ) -> [Line] {
        let marks = Dictionary(
            zip(all.map(\.name), Typed.marks(all)), uniquingKeysWith: { first, _ in first })
        // Entries of another form may have one name: then the ends of their ids tell them apart.
        let times = Dictionary(some.map { ($0.label, 1) }, uniquingKeysWith: +)
        func label(_ choice: EntryChoice) -> String {
            let isAlone = times[choice.label] == 1 || choice.name == choice.label
            let end =
                choice.name.utf8.count == 36 ? Text.shortRecord(choice.name) : choice.name
            return Terminal.plain(isAlone ? choice.label : "\(choice.label) (\(end))")
        }
        let widestMark = some.map { marks[$0.name]?.count ?? 0 }.max() ?? 1
        let cells = some.prefix(listedChoices).map { choice in
            (
                mark: widestMark == 0
                    ? "" : Terminal.pad(marks[choice.name] ?? "", widestMark, right: true) + " ",
                label: label(choice)
            )
        }
        let room = width - 2
        var lines = columns(cells.map { $0.mark + $0.label }, room) ?? hanging(cells, room)
        if total > cells.count || mayBeMore {
            let more = total - cells.count
            let number = mayBeMore ? "At least \(Text.number(more))" : Text.number(more)
            lines.append(
                Line(
                    text: more == 0
                        ? "There may be more: type more letters."
                        : "\(number) more: type more letters.",
                    kind: .aside, indent: 2))
        }
        return lines
    }

    /// Cells below one another in as many columns as fit; nil where one is wider than the room.
    private static func columns(_ cells: [String], _ room: Int) -> [Line]? {
        let widths = cells.map(Terminal.width)
        guard widths.allSatisfy({ $0 <= room }) else { return nil }
        let widest = (widths.max() ?? 1) + 3
        let columns = max(1, min(cells.count, room / widest))
        let rows = (cells.count + columns - 1) / columns
        return (0..<rows).map { row in
            let line = stride(from: row, to: cells.count, by: rows).map {
                Terminal.pad(cells[$0], widest)
            }.joined()
            return Line(text: Typed.trimmedEnd(line), indent: 2)
        }
    }

    /// Cells by themselves, and whole: what tells long ones apart often stands at their ends.
    private static func hanging(_ cells: [(mark: String, label: String)], _ room: Int) -> [Line] {
        cells.flatMap { cell in
            let margin = Terminal.width(cell.mark)
            return Terminal.wrapWhole(cell.label, max(8, room - margin)).enumerated().map {
                Line(text: ($0 == 0 ? cell.mark : Terminal.pad("", margin)) + $1, indent: 2)
            }
        }
    }

    private static let needed = "An answer is needed here."

    /// Of a question of which nothing can be chosen.
    static func nothing(_ field: EntryField) -> String {
        let others = field.choicesWith.map { " with the other answers: \($0)" } ?? ""
        return "Nothing can be chosen here\(others)."
            + (field.isRequired || field.value != .null ? "" : " Enter goes on without an answer.")
    }

    /// What is wrong with an answer: the form's own message, or that of the daemon without what the
    /// question above says already.
    static func message(_ problem: EntryProblem, _ field: EntryField) -> String {
        if let wanted = problem.wanted { return "This wants \(wanted)." }
        if problem.kind == .required, field.offersNothing {
            return "An answer is needed here, and there is none: < goes back to an earlier one."
        }
        let isOwnText = problem.ownText == true
        let isGeneral =
            problem.message.isEmpty
            || !isOwnText
                && ["field \(field.name) is required", "field \(field.path) is required"]
                    .contains(problem.message)
        if problem.kind == .required, isGeneral { return needed }
        return isOwnText ? problem.message : bare(problem.message, field)
    }

    /// A message of the daemon's without the name of the field, which stands above it.
    private static func bare(_ message: String, _ field: EntryField) -> String {
        let leads = ["field \(field.path): ", "field \(field.path) (\(field.label)): "]
        guard let lead = leads.first(where: message.hasPrefix) else { return message }
        return String(message.dropFirst(lead.count)).sentence
    }

    /// What stands before the cursor: the value that Enter keeps.
    static func prompt(_ field: EntryField, _ width: Int) -> String {
        let value = field.display ?? Text.value(field.value)
        guard !value.isEmpty else { return "> " }
        let room = min(widestValue, max(8, width - 12))
        return "[\(Terminal.cutInside(Terminal.plain(value), room))] > "
    }

    static func more(_ field: EntryField) -> String {
        let count = field.repeat?.count ?? 0
        let label = Terminal.plain(field.label)
        return count == 0
            ? "\(label): add one? [y/N] > " : "\(label): \(count) so far, one more? [y/N] > "
    }

    static func help(_ field: EntryField, _ width: Int) -> [Line] {
        var lines: [Line] = []
        if let hint = field.hint { lines += wrapped(hint, .text, 2, width) }
        lines += wrapped(how(field), .text, 2, width)
        for text in [
            "Enter keeps what stands in [ ], or leaves the question open; - empties it.",
            "< goes back; \" answers as in the entry before; Ctrl-C keeps a draft.",
            "A \\ in front: the rest is the answer, whatever it looks like.",
        ] { lines += wrapped(text, .aside, 2, width) }
        return lines
    }

    private static func how(_ field: EntryField) -> String {
        switch field.type {
        case "integer": "A whole number, for instance 42."
        case "decimal", "range": "A number, for instance 36.8."
        case "date":
            "A date: 2026-11-21 or 21.11.2026; t is today, y yesterday, 21 the 21st of this month."
        case "time": "A time, for instance 14:30; n is now."
        case "dateTime": "A date and time, for instance 2026-11-21 14:30; n is now."
        case "geopoint": "Latitude and longitude in degrees, for instance -4.32 15.31."
        case "acknowledge": "y, where it was read or agreed to; nothing where it was not."
        case _ where Typed.isSeveral(field) && !field.listsAll:
            "Some letters of one, which is added; or several in full, with commas."
        case _ where field.listsAll && field.choices.map(Typed.marking) == .letters:
            Typed.isSeveral(field)
                ? "The letters before choices with spaces between them, or their names with commas."
                : "The letter before a choice, or its name."
        case _ where field.listsAll && field.choices.map(Typed.marking) == Typed.Marking.none:
            Typed.isSeveral(field)
                ? "Names of choices, or some letters of them, with commas."
                : "The name of a choice, or some letters of it."
        case _ where Typed.isSeveral(field):
            "Numbers of choices with spaces between them, or their first letters with commas."
        case _ where field.choices != nil:
            "The number of a choice, or some letters of it."
        default: "Any text."
        }
    }

    /// All questions with their answers, and what the form warns of.
    ///
    /// - Parameter wrongBefore: what may stay as it is.
    static func summary(
        _ state: EntryStateAnswer, _ questions: [String], wrongBefore: [EntryProblem],
        _ width: Int
    ) -> [Line] {
        var lines = [Line(text: "")]
        lines += wrapped(
            state.instanceName.flatMap { $0.isEmpty ? nil : $0 } ?? state.title, .title, 0, width)
        let fields = questions.compactMap { path in state.fields.first { $0.path == path } }
        let digits = "\(fields.count)".count
        let labels = labels(fields, width * 2 / 5)
        let widest = labels.joined().map(Terminal.width).max() ?? 0
        for (index, field) in fields.enumerated() {
            let number = Terminal.pad("\(index + 1)", digits, right: true) + "  "
            let values = value(field, max(8, width - digits - widest - 4))
            for line in 0..<max(labels[index].count, values.count) {
                let head = line == 0 ? number : Terminal.pad("", digits + 2)
                let label = labels[index].dropFirst(line).first ?? ""
                let value = values.dropFirst(line).first ?? ""
                let text = head + Terminal.pad(label, widest) + "  " + value
                lines.append(Line(text: line == 0 ? text : Typed.trimmedEnd(text)))
            }
        }
        for problem in wrongBefore {
            guard let field = state.fields.first(where: { $0.path == problem.path }) else {
                continue
            }
            let message = message(problem, field)
            let what = message == needed ? "The form wants an answer here now." : message.sentence
            lines += wrapped("\(field.label): \(what) It may stay so.", .warning, 0, width)
        }
        for warning in state.warnings {
            let label = state.fields.first { $0.path == warning.path }?.label ?? warning.path
            lines += wrapped("\(label): \(warning.message)", .warning, 0, width)
        }
        return lines
    }

    static func summaryPrompt(isNew: Bool) -> String {
        isNew
            ? "Enter saves, a number changes > "
            : "A number changes, Enter saves > "
    }

    /// An answer with its unit, in lines: choices whole, a text cut.
    private static func value(_ field: EntryField, _ width: Int) -> [String] {
        var value = field.display ?? Text.value(field.value)
        if let unit = field.unit, !value.isEmpty, !value.hasSuffix(unit) { value += " \(unit)" }
        if value.isEmpty, let earlier = field.earlier { value = "(\(had(earlier)))" }
        value = Terminal.plain(value)
        return field.choices == nil
            ? [Terminal.cutInside(value, width)] : Terminal.wrapWhole(value, width)
    }

    /// Their labels in lines: cut to one, but where that would make two of them alike.
    private static func labels(_ fields: [EntryField], _ width: Int) -> [[String]] {
        let whole = fields.map { field in
            (repetition(field.path).map { "\($0) " } ?? "") + Terminal.plain(field.label)
        }
        let cut = whole.map { Terminal.cutInside($0, width) }
        let meant = Dictionary(
            zip(cut, whole.map { Set([$0]) }), uniquingKeysWith: { $0.union($1) })
        return zip(whole, cut).map { whole, cut in
            meant[cut]?.count == 1 ? [cut] : Terminal.wrapWhole(whole, width)
        }
    }

    /// The numbers of the repetitions that a field lies in, the outermost first: `#1.2`.
    private static func repetition(_ path: String) -> String? {
        let numbers = path.split(separator: "[").dropFirst().map { $0.prefix { $0 != "]" } }
        return numbers.isEmpty ? nil : "#" + numbers.joined(separator: ".")
    }

    private static func wrapped(
        _ text: String, _ kind: Line.Kind, _ indent: Int, _ width: Int
    ) -> [Line] {
        guard !text.isEmpty else { return [] }
        let room = width - indent - kind.mark.utf8.count
        return text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { part in
            Terminal.wrap(Terminal.plain(String(part)), room).map {
                Line(text: $0, kind: kind, indent: indent)
            }
        }
    }
}

extension String {
    /// With a full stop where it has none.
    fileprivate var sentence: String {
        last.map { ".!?".contains($0) } == false ? self + "." : self
    }
}

extension Typed {
    static func trimmedEnd(_ text: String) -> String {
        var text = text[...]
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
