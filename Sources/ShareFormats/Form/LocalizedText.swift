/// A label in one language or in several.
package struct LocalizedText: Hashable, Sendable {
    /// The text for each language, in the order of the form; a plain label has the language "".
    package let texts: [Translation]

    package struct Translation: Hashable, Sendable {
        package let language: String
        package let text: String
    }

    package static let none = LocalizedText(texts: [])

    init(texts: [Translation]) { self.texts = texts }

    /// A plain label.
    package init(_ text: String) { texts = [Translation(language: "", text: text)] }

    package var isEmpty: Bool { texts.isEmpty }

    /// The text in the first of these languages that has one, else the first there is; nil
    /// where there is none.
    package func text(in languages: String?...) -> String? {
        for language in languages {
            if let language, let found = texts.first(where: { $0.language == language }) {
                return found.text
            }
        }
        return texts.first?.text
    }
}
