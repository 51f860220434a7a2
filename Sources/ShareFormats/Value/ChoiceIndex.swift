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
    /// All that may be meant: those that come before others stand in a list before theirs.
    func candidates(for typed: String) -> [[String]]
    /// Names of the choices that contain a text in their name or a label, at most `limit`.
    ///
    /// - Parameter fold: takes case and marks away; the text has none.
    func names(containing text: String, limit: Int, fold: (String) -> String) -> [String]
    /// One that cannot be chosen any more, and that entries may still have, as `name(meant:)`.
    func gone(meant typed: String) -> String?
}

extension ChoiceLookup {
    package func advice(for typed: String) -> String { "" }
    package func candidates(for typed: String) -> [[String]] {
        if let name = name(meant: typed) { return [[name]] }
        return several(meant: typed).map { [$0.names] } ?? []
    }

    /// The first that no other one comes beside.
    package func name(meant typed: String) -> String? {
        candidates(for: typed).first { $0.count == 1 }?.first
    }

    package func several(meant typed: String) -> SeveralChoices? {
        candidates(for: typed).first { $0.count > 1 }.map { SeveralChoices(named: $0) }
    }

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
    /// All of them.
    package let names: [String]
    /// For each choice of a whole answer what it may be, as `ChoiceLookup.candidates`.
    package var answer: [[[String]]] = []

    package init(
        what: String, told: [String], example: String, hasMore: Bool, names: [String]
    ) {
        (self.what, self.told) = (what, told)
        (self.example, self.hasMore) = (example, hasMore)
        self.names = names
    }

    /// Choices that nothing but their names tells apart.
    package init(named names: [String]) {
        let shown = names.prefix(Self.told).map { FormReader.shown($0) }
        let numbers = ["two", "three", "four", "five", "six", "seven", "eight", "nine"]
        let count = names.count - 2
        self.init(
            what: numbers.indices.contains(count) ? numbers[count] : "\(names.count)",
            told: shown, example: shown.first ?? "", hasMore: names.count > Self.told, names: names)
        isByName = true
    }

    /// True where nothing but their names tells them apart; false for entries, which have ids.
    private(set) var isByName = false

    private static let told = 8
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
    /// Of each of these the names of those that share a text.
    private let shared: [[[UInt8]: [String]]]

    init(_ list: ChoiceList) {
        self.list = list
        var positions: [[UInt8]: Int] = [:]
        var names: [[UInt8]: Int] = [:]
        var labels: [[UInt8]: Int] = [:]
        var plainNames: [[UInt8]: Int] = [:]
        var plainLabels: [[UInt8]: Int] = [:]
        var shared = [[[UInt8]: [String]]](repeating: [:], count: 4)
        func enter(
            _ folded: [UInt8], _ position: Int, _ index: inout [[UInt8]: Int], _ rank: Int
        ) {
            guard let there = index[folded] else {
                index[folded] = position
                return
            }
            // One name may stand in several places of a list.
            let name = list.choices[position].name
            if there >= 0 {
                let other = list.choices[there].name
                guard !other.utf8.elementsEqual(name.utf8) else { return }
                shared[rank][folded] = [other, name]
                index[folded] = -1
            } else if shared[rank][folded]?.contains(where: { $0.utf8.elementsEqual(name.utf8) })
                == false
            {
                shared[rank][folded]?.append(name)
            }
        }
        for (position, choice) in list.choices.enumerated() {
            positions[Array(choice.name.utf8)] = position
            enter(FormNames.folded(choice.name), position, &names, 1)
            enter(FoldedText.bytes(choice.name), position, &plainNames, 3)
            for label in choice.label.texts {
                enter(FormNames.folded(label.text), position, &labels, 0)
                enter(FoldedText.bytes(label.text), position, &plainLabels, 2)
            }
        }
        self.positions = positions
        foldedNames = names
        foldedLabels = labels
        self.plainNames = plainNames
        self.plainLabels = plainLabels
        self.shared = shared
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

    func candidates(for typed: String) -> [[String]] {
        candidates(for: typed) { _ in false }
    }

    // An import asks for each cell: what comes after the first is not looked up.
    func name(meant typed: String) -> String? {
        candidates(for: typed) { $0.count == 1 }.first { $0.count == 1 }?.first
    }

    /// Those of one rank after the other, until those of one are enough.
    private func candidates(
        for typed: String, until isEnough: ([String]) -> Bool
    ) -> [[String]] {
        if let position = positions[Array(typed.utf8)] { return [[list.choices[position].name]] }
        var found: [[String]] = []
        var text = FormNames.folded(typed)
        for (rank, index) in [foldedLabels, foldedNames, plainLabels, plainNames].enumerated() {
            if rank == 2 { text = FoldedText.bytes(typed) }
            guard let position = index[text] else { continue }
            let names = position < 0 ? shared[rank][text] ?? [] : [list.choices[position].name]
            found.append(names)
            if isEnough(names) { break }
        }
        return found
    }

    func label(of name: String, in languages: [String?]) -> String? {
        guard let position = positions[Array(name.utf8)] else { return nil }
        return list.choices[position].label.text(among: languages)
    }

    func labels(of name: String) -> [String] {
        positions[Array(name.utf8)].map { list.choices[$0].label.texts.map(\.text) } ?? []
    }
}
