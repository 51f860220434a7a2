internal import JSON

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
    package func text(in languages: String?...) -> String? { text(among: languages) }

    /// The same of a list of languages.
    package func text(among languages: [String?]) -> String? {
        for case let language? in languages {
            if let found = texts.first(where: { $0.language == language }) { return found.text }
            guard let meant = LanguageName.meant(by: language, among: texts.lazy.map(\.language))
            else { continue }
            return texts.first { $0.language == meant }?.text
        }
        return texts.first?.text
    }
}

extension LocalizedText {
    /// Reads a label: a text, an object of texts by language, or nothing.
    init(_ tree: JSONValue?, name: String, at place: String) throws(FormError) {
        switch tree {
        case nil, .null: self = .none
        case .string(let text):
            try LocalizedText.check(text, name: name, at: place)
            self.init(text)
        case .integer(let number): self.init(String(number))
        case .object(let object):
            var texts: [Translation] = []
            for member in object.members {
                guard let text = member.value.string else {
                    throw LocalizedText.fault(name, at: place, member.value)
                }
                try LocalizedText.check(text, name: name, at: place)
                texts.append(Translation(language: member.key, text: text))
            }
            self.init(texts: texts)
        case .some(let other): throw LocalizedText.fault(name, at: place, other)
        }
    }

    private static func check(_ text: String, name: String, at place: String) throws(FormError) {
        guard text.utf8.count <= FormLimits.labelBytes else {
            throw FormError(
                .tooMany, at: place, "\(name) is longer than \(FormLimits.labelBytes) bytes",
                hint: "Shorten it.")
        }
    }

    private static func fault(_ name: String, at place: String, _ found: JSONValue) -> FormError {
        FormError(
            .badShape, at: place, "\"\(name)\" should be a text, found \(found.kind)",
            hint: "Write \"...\", or {\"en\": \"...\"} for each language.")
    }
}
