/// The names of a form's languages, as people write them: `French (fr)`, `fr`, `Français (fr)`.
package enum LanguageName {
    /// The language that is meant: of that name, else of that name or code in whatever case; nil
    /// where there is none.
    package static func meant(
        by wanted: String, among languages: some Sequence<String>
    ) -> String? {
        var found: String?
        for language in languages {
            if language == wanted { return language }
            if found == nil, isMeant(language, by: wanted) { found = language }
        }
        return found
    }

    private static func isMeant(_ language: String, by wanted: String) -> Bool {
        guard !language.isEmpty, !wanted.isEmpty else { return false }
        let (name, wanted) = (language.lowercased(), wanted.lowercased())
        return name == wanted || name.hasPrefix("\(wanted) (") || name.hasSuffix("(\(wanted))")
    }
}
