internal import ShareCore

/// Choices of a field as people type them: by their names, or by what they are called.
extension ValueReader {
    func several(
        _ bytes: UnsafeBufferPointer<UInt8>, keeping kept: [String]
    ) throws(ValueError) -> FieldValue {
        let typed = String(decoding: bytes, as: UTF8.self)
        let byComma = typed.utf8.contains(UInt8(ascii: ","))
        let parts =
            byComma
            ? typed.split(separator: ",").map { ValueReader.trimmed(String($0)) }
            : typed.split { $0 == " " || $0 == "\t" || $0 == "\n" }.map(String.init)
        guard parts.count <= FormLimits.chosen else { throw .tooManyChoices(field: field.name) }
        var names: [String] = []
        func add(_ name: String) {
            if !names.contains(where: { $0.utf8.elementsEqual(name.utf8) }) { names.append(name) }
        }
        if let choices {
            // A label may have spaces in it: try the whole before its words.
            let whole = ValueReader.trimmed(typed)
            var meant = parts.filter { !$0.isEmpty }
            if !byComma, parts.count > 1, !choices.candidates(for: whole).isEmpty {
                meant = [whole]
            } else if byComma, let labels = labels(with: typed, of: choices) {
                meant = labels
            }
            do throws(ValueError) {
                for part in meant { add(try choice(part, of: choices, keeping: kept)) }
            } catch {
                throw error.ofAnswer(
                    meant.map { part in
                        (try? choice(part, of: choices, keeping: kept)).map { [[$0]] }
                            ?? choices.candidates(for: part)
                    })
            }
        } else {
            for part in parts where !part.isEmpty { add(part) }
        }
        return names.isEmpty ? .absent : .text(names.joined(separator: " "))
    }

    /// The texts of choices of which some have a comma in their label; nil where that is not what is
    /// meant.
    private func labels(with typed: String, of choices: any ChoiceLookup) -> [String]? {
        let parts = typed.split(separator: ",")
        func isMeant(_ part: Substring) -> String? {
            let text = ValueReader.trimmed(String(part))
            return text.isEmpty || choices.candidates(for: text).isEmpty ? nil : text
        }
        guard parts.contains(where: { isMeant($0) == nil }) else { return nil }
        var names: [String] = []
        var rest = parts[...]
        while let first = rest.first {
            let found = (1...min(Self.commasOfLabel + 1, rest.count)).reversed().lazy.compactMap {
                count -> (count: Int, name: String)? in
                let last = rest[rest.startIndex + count - 1]
                return isMeant(typed[first.startIndex..<last.endIndex]).map { (count, $0) }
            }.first
            guard let found else { return nil }
            names.append(found.name)
            rest = rest.dropFirst(found.count)
        }
        return names
    }

    /// Commas of a label by which it can be typed among others.
    private static let commasOfLabel = 4

    func choice(
        _ typed: String, of choices: any ChoiceLookup, keeping kept: [String]
    ) throws(ValueError) -> String {
        func isTyped(_ name: String) -> Bool { name.utf8.elementsEqual(typed.utf8) }
        // Its name, or its label, may be what another choice is called by now.
        if let name = kept.first(where: isTyped) { return name }
        var exact = typed
        if let name = exact.withUTF8({ choices.name(exactly: $0) }) { return name }
        if let name = kept.first(where: { retired?.labels(of: $0).contains(where: isTyped) == true }
        ) {
            return name
        }
        let isNarrowed =
            field.expressions.choiceFilter != nil || field.expressions.entries != nil
        let candidates = isNarrowed ? choices.candidates(for: typed) : []
        let names = candidates.joined().reduce(into: [String]()) { names, name in
            if !names.contains(where: { $0.utf8.elementsEqual(name.utf8) }) { names.append(name) }
        }
        // The other answers say which of them can be meant.
        if names.count < 2, let name = choices.name(meant: typed) { return name }
        let before = retired?.name(meant: typed)
        if let before, kept.contains(where: { $0.utf8.elementsEqual(before.utf8) }) {
            return before
        }
        let alike =
            choices.several(meant: typed) ?? (names.count > 1 ? SeveralChoices(named: names) : nil)
        if var several = alike {
            several.answer = [isNarrowed ? candidates : [several.names]]
            throw .severalChoices(field: field.name, got: typed, several)
        }
        guard givesHints else {
            let hint = "Look at what can be chosen."
            guard let name = before else {
                throw .notAChoice(field: field.name, got: typed, hint: hint)
            }
            throw .retired(
                field: field.name, choice: retired?.label(of: name, in: languages) ?? name,
                hint: hint)
        }
        if let name = before {
            throw .retired(
                field: field.name, choice: retired?.label(of: name, in: languages) ?? name,
                hint: Suggestion.hint(
                    for: "", among: choices.names(like: "", in: languages),
                    otherwise: choices.advice(for: typed)))
        }
        let like = choices.names(like: typed, in: languages)
        // Of a list that other answers narrow not all can be chosen.
        throw .notAChoice(
            field: field.name, got: typed,
            hint: field.expressions.choiceFilter != nil
                && Suggestion.nearest(to: typed, among: like) == nil
                ? choices.advice(for: typed)
                : Suggestion.hint(
                    for: typed, among: like, otherwise: choices.advice(for: typed)))
    }
}
