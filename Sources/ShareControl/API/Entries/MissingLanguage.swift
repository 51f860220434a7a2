/// A language that somebody asks for and that a form has no texts in.
package enum MissingLanguage {
    /// `the form has no texts in it: it has en, fr`, to be shown beside an answer.
    ///
    /// - Parameter languages: those that the form has; none where its texts are plain.
    package static func note(_ language: String, among languages: [String]) -> String {
        let there =
            languages.isEmpty
            ? "its texts are in one language alone" : "it has \(languages.joined(separator: ", "))"
        return "the form has no texts in \(language): \(there)"
    }
}
