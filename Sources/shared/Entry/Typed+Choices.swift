internal import JSON
internal import ShareControl

/// What people type at a question with choices: what they see counts before names, which they do not.
extension Typed {
    /// What came of looking for choices.
    enum Choices: Equatable {
        /// Names of choices, at least one.
        case chosen([String])
        /// Several that a word may mean.
        case several([EntryChoice])
        /// The word that means none.
        case none(String)
    }

    /// What choices are picked by.
    enum Marking { case numbers, letters, none }

    /// By numbers, unless one of these is what another choice is called; then by letters, and where
    /// that is so of one of them too, by typing alone.
    static func marking(_ choices: [EntryChoice]) -> Marking {
        if isClear(numbers(choices), choices) { return .numbers }
        let first = Array(letters.prefix(choices.count))
        return first.count == choices.count && isClear(first, choices) ? .letters : .none
    }

    /// What each choice is picked by: its place, or its name where all names are numbers; or a letter;
    /// empty where there is nothing.
    static func marks(_ choices: [EntryChoice]) -> [String] {
        switch marking(choices) {
        case .numbers: numbers(choices)
        case .letters: Array(letters.prefix(choices.count))
        case .none: choices.map { _ in "" }
        }
    }

    private static let letters = "abcdefghijklmnopqrstuvwxyz".map(String.init)

    private static func numbers(_ choices: [EntryChoice]) -> [String] {
        choices.allSatisfy { Int($0.name) != nil }
            ? choices.map(\.name) : choices.indices.map { "\($0 + 1)" }
    }

    /// Whether no choice is called as another one is picked.
    private static func isClear(_ marks: [String], _ choices: [EntryChoice]) -> Bool {
        let places = Dictionary(
            zip(marks, choices.indices), uniquingKeysWith: { first, _ in first })
        return choices.enumerated().allSatisfy { place, choice in
            [choice.name, choice.label].allSatisfy {
                (places[folded(trimmed($0))] ?? place) == place
            }
        }
    }

    /// The choice that is picked by a mark.
    private static func picked(_ word: String, among choices: [EntryChoice]) -> EntryChoice? {
        let mark = word.lowercased()
        return mark.isEmpty ? nil : marks(choices).firstIndex(of: mark).map { choices[$0] }
    }

    /// The choices that somebody means: by their marks, labels, names or letters of labels; several
    /// with commas, or marks, labels and names with spaces.
    static func choices(
        _ text: String, of field: EntryField, among choices: [EntryChoice]
    ) -> Choices {
        guard isSeveral(field) else {
            return choice(text, among: choices)
        }
        var names: [String] = []
        for word in words(text, among: choices) {
            switch choice(word, among: choices) {
            case .chosen(let chosen): names += chosen.filter { !names.contains($0) }
            case let other: return other
            }
        }
        return names.isEmpty ? .none(text) : .chosen(names)
    }

    /// The parts of an answer of several choices. A label may have spaces and commas in it.
    private static func words(_ text: String, among choices: [EntryChoice]) -> [String] {
        let words = text.split(separator: ",").map { trimmed(String($0)) }.filter { !$0.isEmpty }
        guard words.count < 2 else { return labels(text, among: choices) ?? words }
        let parts = text.split(separator: " ").map(String.init)
        guard parts.count > 1 else { return words }
        if parts.allSatisfy({ picked($0, among: choices) != nil }) { return parts }
        let isSplit =
            called(trimmed(text), among: choices).isEmpty
            && parts.allSatisfy { alone($0, among: choices) != nil }
        return isSplit ? parts : words
    }

    /// The parts of an answer with commas some of which are in labels; nil where that is not what is
    /// meant.
    private static func labels(_ text: String, among choices: [EntryChoice]) -> [String]? {
        func isSeen(_ word: String) -> Bool {
            picked(word, among: choices) != nil || !called(word, among: choices).isEmpty
        }
        let parts = text.split(separator: ",").filter { !trimmed(String($0)).isEmpty }
        guard !parts.allSatisfy({ isSeen(trimmed(String($0))) }) else { return nil }
        var words: [String] = []
        var rest = parts[...]
        while let first = rest.first {
            let found = (1...min(commasOfLabel + 1, rest.count)).reversed().lazy.compactMap {
                count -> (count: Int, word: String)? in
                let last = rest[rest.startIndex + count - 1]
                let word = trimmed(String(text[first.startIndex..<last.endIndex]))
                return count == 1 || isSeen(word) ? (count, word) : nil
            }.first
            words.append(found?.word ?? trimmed(String(first)))
            rest = rest.dropFirst(found?.count ?? 1)
        }
        return words
    }

    /// Commas of a label by which it can be typed among others, as in files.
    private static let commasOfLabel = 4

    /// The names of choices found by a search that are picked by their marks; several with spaces or
    /// commas between them where there may be several, by names too where no other one that was
    /// found is called so; nil where one of the words is none.
    static func marked(
        _ text: String, of field: EntryField, among choices: [EntryChoice]
    ) -> [String]? {
        let words =
            isSeveral(field)
            ? text.split { $0 == "," || $0 == " " }.map(String.init) : [text]
        let names = words.compactMap { word -> String? in
            if let choice = picked(word, among: choices) { return choice.name }
            guard words.count > 1, called(word, among: choices).isEmpty else { return nil }
            return choices.first { $0.name == word }?.name
        }
        return names.isEmpty || names.count < words.count ? nil : names
    }

    /// Names of choices as the value of a field.
    static func value(_ names: [String], of field: EntryField) -> JSONValue {
        isSeveral(field)
            ? .array(names.map { .string($0) }) : names.first.map { .string($0) } ?? .null
    }

    /// The names of the choices that are the value of a field.
    static func names(_ value: JSONValue) -> [String] { value.array?.compactMap(\.string) ?? [] }

    /// The choice that a word means alone, or all that it may mean as much.
    private static func choice(_ word: String, among choices: [EntryChoice]) -> Choices {
        var found = whole(word, among: choices)
        if found.isEmpty {
            let wanted = folded(word)
            let labels = choices.map { (choice: $0, label: folded($0.label)) }
            let ways: [(String) -> Bool] = [
                { $0.hasPrefix(wanted) },
                { $0.split(separator: " ").contains { $0.hasPrefix(wanted) } },
                { $0.contains(wanted) },
            ]
            found =
                ways.lazy.map { fits in labels.filter { fits($0.label) }.map(\.choice) }
                .first { !$0.isEmpty } ?? []
        }
        guard let first = found.first else { return .none(word) }
        return found.allSatisfy { $0.name == first.name } ? .chosen([first.name]) : .several(found)
    }

    /// The name of the one choice that a word means, where it is more than letters of it.
    private static func alone(_ word: String, among choices: [EntryChoice]) -> String? {
        let found = whole(word, among: choices)
        return found.allSatisfy { $0.name == found[0].name } ? found.first?.name : nil
    }

    /// The choices that a whole word means. What is seen comes first: the mark, then the label, then
    /// the name; where that is how a word of another label begins, both may be meant.
    private static func whole(_ word: String, among choices: [EntryChoice]) -> [EntryChoice] {
        if let choice = picked(word, among: choices) { return [choice] }
        let called = called(word, among: choices)
        if !called.isEmpty {
            // Without marks nothing else tells them apart.
            let named = called.filter { $0.name == word }
            return marking(choices) == .none && !named.isEmpty ? named : called
        }
        return named(word, among: choices)
    }

    /// Those whose label that is, as it stands or else whatever its case and accents.
    static func called(_ word: String, among choices: [EntryChoice]) -> [EntryChoice] {
        let exact = choices.filter { trimmed($0.label) == word }
        if !exact.isEmpty { return exact }
        let wanted = folded(word)
        return choices.filter { folded(trimmed($0.label)) == wanted }
    }

    /// Those whose name that is, as it stands or else whatever its case and accents; and those of
    /// which a word of the label begins so, where none of theirs does.
    static func named(_ word: String, among choices: [EntryChoice]) -> [EntryChoice] {
        let wanted = folded(word)
        let exact = choices.filter { $0.name == word }
        let named = exact.isEmpty ? choices.filter { folded($0.name) == wanted } : exact
        func begins(_ choice: EntryChoice) -> Bool {
            let label = folded(choice.label)
            return label.hasPrefix(wanted)
                || label.split(separator: " ").contains { $0.hasPrefix(wanted) }
        }
        guard !named.isEmpty, !named.contains(where: begins) else { return named }
        return choices.filter { choice in
            begins(choice) || named.contains { $0.name == choice.name }
        }
    }
}
