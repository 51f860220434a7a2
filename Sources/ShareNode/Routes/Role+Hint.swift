import ShareCore
import ShareFormats

extension Role {
    /// What to say to who has typed a role that there is not.
    static func hint(for text: String) -> String {
        let names = allCases.map(\.name)
        return Suggestion.hint(
            for: text, among: names, otherwise: "Roles are " + names.joined(separator: ", ") + ".")
    }
}
