import ShareControl
import ShareCore
import ShareFormats

extension Role {
    /// The role that somebody has typed.
    ///
    /// - Throws: `Problem` of `bad_request`, with what may have been meant.
    init(typed text: String) throws(Problem) {
        guard let role = Role(name: text) else {
            let names = Role.allCases.map(\.name)
            throw Problem(
                .badRequest, "no role \"\(text.prefix(80))\"",
                hint: Suggestion.hint(
                    for: text, among: names,
                    otherwise: "Roles are " + names.joined(separator: ", ") + "."))
        }
        self = role
    }

    /// Lets those go on who may admit devices as this.
    ///
    /// - Throws: `Problem` of `not_allowed`.
    func require(admitter own: Role?) throws(Problem) {
        guard own?.mayAdmit(as: self) != true else { return }
        throw Problem(
            .notAllowed, "a device that is \(own?.phrase ?? "no member") cannot admit \(phrase)",
            hint: "Owners admit anyone; editors admit collectors, contributors and viewers.")
    }
}
