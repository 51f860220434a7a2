/// The names of a form's languages, as people type them.
enum LanguageName {
    /// Whether a language is meant: `French (fr)` by `French (fr)`, `french` or `fr`.
    static func isMeant(_ language: String, by wanted: String) -> Bool {
        let (name, wanted) = (language.lowercased(), wanted.lowercased())
        return name == wanted || name.hasPrefix("\(wanted) (") || name.hasSuffix("(\(wanted))")
    }
}
