internal import ShareCore

/// Finds the choices of a list by what people type.
package protocol ChoiceLookup: Sendable {
    /// The choice of exactly that name.
    func name(exactly bytes: UnsafeBufferPointer<UInt8>) -> String?
    /// The choice meant by a name or label, whatever its case and accents, where only one can be.
    func name(meant typed: String) -> String?
    /// What people read, in the first of these languages that has a text; nil where there is none.
    func label(of name: String, in languages: [String?]) -> String?
    /// What people read, in all languages; empty where there is none.
    func labels(of name: String) -> [String]
    /// Labels in the first of these languages that has a text, or names without one, among which
    /// one may be meant.
    func names(like typed: String, in languages: [String?]) -> [String]
    /// What to do where none may be meant by what is typed.
    func advice(for typed: String) -> String
    /// Those that are called alike, each as people tell it from the others, where several may be
    /// meant.
    func several(meant typed: String) -> SeveralChoices?
    /// Names of the choices that contain a text in their name or a label, at most `limit`.
    ///
    /// - Parameter fold: takes case and marks away; the text has none.
    func names(containing text: String, limit: Int, fold: (String) -> String) -> [String]
    /// One that cannot be chosen any more, and that entries may still have, as `name(meant:)`.
    func gone(meant typed: String) -> String?
}

extension ChoiceLookup {
    package func advice(for typed: String) -> String { "" }
    package func several(meant typed: String) -> SeveralChoices? { nil }
    package func gone(meant typed: String) -> String? { nil }
}

/// Choices of one name.
package struct SeveralChoices: Hashable, Sendable {
    /// `2 entries of household`
    package let what: String
    /// The first of them, each as it is told from the others.
    package let told: [String]
    /// What means the first alone.
    package let example: String
    package let hasMore: Bool

    package init(what: String, told: [String], example: String, hasMore: Bool) {
        (self.what, self.told) = (what, told)
        (self.example, self.hasMore) = (example, hasMore)
    }
}

/// Lists of choices that lie outside a form.
package protocol ChoiceSource: Sendable {
    /// The list of a field; nil where it is not here.
    func choices(of field: Form.Field) -> (any ChoiceLookup)?
}

/// Finds the choices of a list that lies in a form.
final class ChoiceIndex: ChoiceLookup {
    private let list: ChoiceList
    private let positions: [[UInt8]: Int]
    /// Places by folded name and by folded label; -1 where several choices share it.
    private let foldedNames: [[UInt8]: Int]
    private let foldedLabels: [[UInt8]: Int]
    /// The same without accents, in every script.
    private let plainNames: [[UInt8]: Int]
    private let plainLabels: [[UInt8]: Int]

    init(_ list: ChoiceList) {
        self.list = list
        var positions: [[UInt8]: Int] = [:]
        var names: [[UInt8]: Int] = [:]
        var labels: [[UInt8]: Int] = [:]
        var plainNames: [[UInt8]: Int] = [:]
        var plainLabels: [[UInt8]: Int] = [:]
        func enter(_ folded: [UInt8], _ position: Int, _ index: inout [[UInt8]: Int]) {
            index[folded] = index[folded].map { $0 == position ? position : -1 } ?? position
        }
        for (position, choice) in list.choices.enumerated() {
            positions[Array(choice.name.utf8)] = position
            enter(FormNames.folded(choice.name), position, &names)
            enter(FoldedText.bytes(choice.name), position, &plainNames)
            for label in choice.label.texts {
                enter(FormNames.folded(label.text), position, &labels)
                enter(FoldedText.bytes(label.text), position, &plainLabels)
            }
        }
        self.positions = positions
        foldedNames = names
        foldedLabels = labels
        self.plainNames = plainNames
        self.plainLabels = plainLabels
    }

    /// Of all choices.
    var names: [String] { list.choices.map(\.name) }

    func names(like typed: String, in languages: [String?]) -> [String] {
        list.choices.enumerated().map { position, choice in
            // A label of several, or with a comma, would not say which is meant.
            guard let label = choice.label.text(among: languages), !label.contains(","),
                foldedLabels[FormNames.folded(label)] == position
            else { return choice.name }
            return label
        }
    }

    func names(containing text: String, limit: Int, fold: (String) -> String) -> [String] {
        let found = list.choices.filter { choice in
            fold(choice.name).contains(text)
                || choice.label.texts.contains { fold($0.text).contains(text) }
        }
        return found.prefix(limit).map(\.name)
    }

    func name(exactly bytes: UnsafeBufferPointer<UInt8>) -> String? {
        // Most lists are short, and comparing beats making a key for the dictionary.
        if list.choices.count <= 16 {
            return list.choices.first { $0.name.utf8.elementsEqual(bytes) }?.name
        }
        return positions[Array(bytes)].map { list.choices[$0].name }
    }

    func name(meant typed: String) -> String? {
        if let position = positions[Array(typed.utf8)] { return list.choices[position].name }
        let folded = FormNames.folded(typed)
        for index in [foldedLabels, foldedNames] {
            if let position = index[folded], position >= 0 { return list.choices[position].name }
        }
        let plain = FoldedText.bytes(typed)
        for index in [plainLabels, plainNames] {
            if let position = index[plain], position >= 0 { return list.choices[position].name }
        }
        return nil
    }

    func label(of name: String, in languages: [String?]) -> String? {
        guard let position = positions[Array(name.utf8)] else { return nil }
        return list.choices[position].label.text(among: languages)
    }

    func labels(of name: String) -> [String] {
        positions[Array(name.utf8)].map { list.choices[$0].label.texts.map(\.text) } ?? []
    }
}
