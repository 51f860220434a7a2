internal import JSON
internal import ShareControl

/// Answers that others have changed since the entry was seen: which of both stands is for whoever
/// saves to say, one after the other.
extension Interview {
    /// What others have changed, and what was said of it so far.
    struct Meanwhile {
        struct Change {
            let problem: EntryProblem
            let place: AnswerPath
        }

        /// Those of which it is still to be said.
        var open: [Change] = []
        /// The entry as it is now.
        var now = JSONObject()
        /// Those that were told, and whether theirs is to stand.
        var settled: [(place: AnswerPath, isTheirs: Bool)] = []
        /// Whether something is another now than whoever saves has seen.
        var isToBeSeen = false
    }

    /// Nothing was written, as these answers are others now: the entry is looked at anew.
    mutating func changed(_ problems: [EntryProblem]) -> Step {
        pending = .renewed(problems)
        return request(JSONObject())
    }

    mutating func renewed(_ problems: [EntryProblem], _ answer: EntryStateAnswer) -> Step {
        let seen = answers.start ?? JSONObject()
        var changes: [Meanwhile.Change] = []
        for problem in problems {
            if let place = AnswerPath(problem.path, in: seen) {
                changes.append(Meanwhile.Change(problem: problem, place: place))
            } else {
                lines.append(told(problem, nil, ""))
            }
        }
        answers.renew(answer.values)
        meanwhile = Meanwhile(now: answer.values)
        for change in changes {
            // One that somebody has added stands in the summary.
            if change.place.isRow, change.place.value(in: answer.values) != nil {
                meanwhile.isToBeSeen = true
                continue
            }
            if change.place.isRow, answers.isChanged(at: change.place) {
                meanwhile.open.append(change)
                continue
            }
            let field = field(change.problem.path)
            // What nobody answers is worked out anew.
            if field?.isReadOnly != false || !answers.isChanged(at: change.place) {
                let goes = !change.place.isRow && change.place.path(in: answers.values) == nil
                lines.append(told(change.problem, field, goes ? " It goes with its row here." : ""))
                meanwhile.settled.append((change.place, false))
                meanwhile.isToBeSeen = true
            } else {
                meanwhile.open.append(change)
            }
        }
        // Rows that were added behind those that were seen do too.
        if changes.count < problems.count { meanwhile.isToBeSeen = true }
        return askChanged()
    }

    private func told(_ problem: EntryProblem, _ field: EntryField?, _ more: String) -> Line {
        let label = field.map(\.label) ?? rowLabel(problem.path) ?? problem.path
        return Line(
            text: "\(label) was changed meanwhile: \(problem.message).\(more)", kind: .warning)
    }

    /// `Person 2` of `person[2]`; nil for what is no row.
    private func rowLabel(_ path: String) -> String? {
        guard path.last == "]", let bracket = path.lastIndex(of: "["),
            let field = field(String(path[..<bracket]))
        else { return nil }
        return "\(field.label) \(path[bracket...].dropFirst().dropLast())"
    }

    mutating func askChanged() -> Step {
        guard let change = meanwhile.open.first else { return settle() }
        let path = change.problem.path
        stop = .changed(path)
        let field = field(path)
        let own =
            change.place.isRow
            ? answered(in: change.place) : field.map { $0.display ?? Text.value($0.value) } ?? ""
        lines.append(
            told(change.problem, field, " Yours: \(own.isEmpty ? "(nothing)" : own)."))
        return .ask("y saves yours, t keeps theirs, < goes back > ")
    }

    /// The first answers in a row as it was asked last.
    private func answered(in row: AnswerPath) -> String {
        guard let path = row.path(in: answers.all) else { return "" }
        let fields = (state?.fields ?? []).filter { $0.path.hasPrefix(path + "/") }
        return fields.map { $0.display ?? Text.value($0.value) }.filter { !$0.isEmpty }
            .prefix(4).joined(separator: ", ")
    }

    mutating func answerChanged(_ typed: String) -> Step {
        guard let change = meanwhile.open.first else { return settle() }
        switch typed.lowercased() {
        case "y", "yours", "t", "theirs":
            let isTheirs = typed.lowercased().hasPrefix("t")
            meanwhile.settled.append((change.place, isTheirs))
            if isTheirs || change.place.isRow { meanwhile.isToBeSeen = true }
            if !isTheirs, change.place.isRow { hasOwnRow = true }
            meanwhile.open.removeFirst()
            return askChanged()
        case "<", "q":
            meanwhile = Meanwhile()
            return review()
        default:
            let what =
                change.place.isRow
                ? "y adds yours as a new row, t leaves it deleted"
                : "y writes your answer over theirs, t leaves theirs"
            lines.append(
                Line(
                    text: "\(what), < goes back to the questions and writes nothing.",
                    kind: .aside, indent: 2))
            return .ask("y saves yours, t keeps theirs, < goes back > ")
        }
    }

    /// All was told: what the form makes of it, and on to saving.
    private mutating func settle() -> Step {
        for (place, isTheirs) in meanwhile.settled {
            answers.see(place, as: meanwhile.now, givingWay: isTheirs)
        }
        pending = .settled(meanwhile.isToBeSeen)
        meanwhile = Meanwhile()
        stop = nil
        return request(answers.all)
    }
}
