package import ShareCore
package import ShareFormats

/// Choices that are called alike, among which the other answers decide.
extension FillState {
    /// Stands for an answer, by a number of it, until it is known which choice it means.
    package static func placeholder(_ number: Int) -> String { "\u{0}\(number)" }

    /// Looks which choices are meant, among those that can be chosen with the other answers; one that
    /// hangs on another such answer is looked for when that one is known.
    ///
    /// - Parameter open: what several are called, by the numbers of the placeholders for it.
    /// - Returns: the value of each, or what is wrong with it.
    package func settle(_ open: [Int: ValueError]) -> [Int: Result<FieldValue, ValueError>] {
        var settled: [Int: Result<FieldValue, ValueError>] = [:]
        let numbers = Dictionary(
            uniqueKeysWithValues: open.keys.map { (Self.placeholder($0), $0) })
        // An answer may decide how many rows there are, and nodes are then others: paths stay.
        var waiting = tree.entries.indices.compactMap { node -> (path: String, number: Int)? in
            guard case .text(let text) = tree[node].value, let number = numbers[text] else {
                return nil
            }
            return (path(of: node), number)
        }
        for (path, _) in waiting {
            if let node = node(at: path) { set(.absent, at: node) }
        }
        var isMoving = true
        while isMoving, !waiting.isEmpty {
            isMoving = false
            waiting = waiting.filter { path, number in
                guard let node = node(at: path) else { return true }
                let found = (open[number]?.candidates ?? []).map { offered(among: $0, at: node) }
                guard !found.isEmpty, found.allSatisfy({ $0?.count == 1 }) else { return true }
                var names: [String] = []
                for name in found.compactMap({ $0?.first }) where !names.contains(name) {
                    names.append(name)
                }
                let value = FieldValue.text(names.joined(separator: " "))
                set(value, at: node)
                settled[number] = .success(value)
                isMoving = true
                return false
            }
        }
        for (path, number) in waiting {
            guard let error = open[number], let node = node(at: path) else { continue }
            settled[number] = .failure(unsettled(error, at: node))
        }
        for (number, error) in open where settled[number] == nil {
            settled[number] = .failure(error)
        }
        return settled
    }

    /// Those that can be chosen of what may be meant: the first of them that is alone, else all that
    /// come first; nil where it is not known.
    private func offered(among candidates: [[String]], at node: Int) -> [String]? {
        var several: [String] = []
        for names in candidates {
            let known = names.map { isOffered($0, at: node) }
            guard !known.contains(nil) else { return nil }
            let offered = zip(names, known).filter { $0.1 == true }.map(\.0)
            if offered.count == 1 { return offered }
            if several.isEmpty { several = offered }
        }
        return several
    }

    /// The fault of an answer that may mean several choices, with those that can be chosen.
    private func unsettled(_ error: ValueError, at node: Int) -> ValueError {
        guard case .severalChoices(let field, let got, let several) = error,
            let wrong = several.answer.first(where: { offered(among: $0, at: node)?.count != 1 }),
            let left = offered(among: wrong, at: node)
        else { return error }
        let typed =
            several.answer.count == 1
            ? got
            : wrong.first?.first.flatMap {
                label(of: $0, in: tree.item(of: node), seenFrom: node)
            } ?? got
        guard left.isEmpty else {
            return choosesEntries(at: node)
                ? error : .severalChoices(field: field, got: typed, SeveralChoices(named: left))
        }
        return .notAChoice(
            field: field, got: typed,
            hint: tree.item(of: node).rules.choices == nil
                ? "" : "It is there, but cannot be chosen with \(reasons(at: node)).")
    }
}

extension Answers {
    /// The same with values in the place of others.
    package func replacing(_ values: [FieldValue: FieldValue?]) -> Answers {
        var answers = self
        for (place, field) in fields.enumerated() {
            if let field, let value = values[field] { answers.fields[place] = value }
        }
        answers.repeats = repeats.map { rows in rows.map { $0.replacing(values) } }
        return answers
    }
}
