/// Lists of names in sentences.
enum Sentence {
    /// So many names are said.
    private static let named = 5

    /// `amina, bakary and 3 more`
    static func list(_ names: [String]) -> String {
        let more = names.count - named
        let said = more > 0 ? names.prefix(named) + ["\(more) more"] : names[...]
        guard let last = said.last, said.count > 1 else { return said.first ?? "" }
        return said.dropLast().joined(separator: ", ") + " and " + last
    }
}
