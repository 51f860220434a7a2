internal import JSON
internal import ShareControl

/// The end of an interview: all answers, from which one goes back to any of them, saves or leaves.
extension Interview {
    mutating func review() -> Step {
        guard let state else { return begin() }
        let questions = Set(Stops(state).questions)
        if record == nil || answers.isChanged,
            let problem = answers.hindrances(state).first(where: { questions.contains($0.path) })
        {
            let step = ask(.field(problem.path))
            if let field = field(problem.path) {
                let message = InterviewScreen.message(problem, field)
                lines.append(Line(text: message, kind: .refusal, indent: 2))
            }
            return step
        }
        stop = nil
        lines += InterviewScreen.summary(
            state, Stops(state).questions, wrongBefore: answers.remains(state), width)
        tellHidden(state)
        return .ask(InterviewScreen.summaryPrompt(isNew: record == nil))
    }

    mutating func answerSummary(_ typed: String) -> Step {
        guard let state else { return begin() }
        switch typed.lowercased() {
        case "", "y", "yes": return save()
        case "q": return .leave
        case "<": return back()
        default: break
        }
        let questions = Stops(state).questions
        if let number = Int(typed), questions.indices.contains(number - 1) {
            return ask(.field(questions[number - 1]))
        }
        let named = questions.filter { path in
            Typed.folded(field(path)?.label ?? "").hasPrefix(Typed.folded(typed))
        }
        if named.count == 1 { return ask(.field(named[0])) }
        lines.append(
            Line(
                text: "Enter saves; the number or the first letters of a question change its "
                    + "answer; < goes back; q leaves, and keeps a draft.", kind: .aside, indent: 2))
        return .ask(InterviewScreen.summaryPrompt(isNew: record == nil))
    }

    /// Says which answers are not saved, as nobody asks for them with the others as they are.
    private mutating func tellHidden(_ state: EntryStateAnswer) {
        for (path, value) in answers.hidden(state) {
            guard let field = field(path) else { continue }
            let rows = value.array?.count ?? 0
            guard field.repeat == nil || rows > 0 else { continue }
            let what =
                field.repeat == nil
                ? displays[path] ?? Text.value(value) : Text.count(rows, "row", "rows")
            lines.append(
                Line(text: "\(field.label): not asked now; not saved: \(what)", kind: .warning))
        }
    }

    /// Saves where nothing stands in the way.
    mutating func save() -> Step {
        guard let state else { return begin() }
        stop = nil
        if let problem = answers.hindrances(state).first {
            if Stops(state).questions.contains(problem.path) { return review() }
            lines.append(Line(text: problem.message, kind: .refusal, indent: 2))
            return .ask(InterviewScreen.summaryPrompt(isNew: record == nil))
        }
        guard record != nil else { return .save(answers.placed) }
        let changed = answers.changes
        guard changed.members.isEmpty else { return .save(changed) }
        if hasOwnRow, !answers.hidden(state).isEmpty {
            hasOwnRow = false
            lines.append(
                Line(
                    text: "Your row has no place: the form asks for fewer. A number changes the"
                        + " answer that says how many; q leaves, and keeps a draft.",
                    kind: .refusal, indent: 2))
            return .ask(InterviewScreen.summaryPrompt(isNew: false))
        }
        return .unchanged
    }
}
