/// A named list of choices.
package struct ChoiceList: Hashable, Sendable {
    package let name: String
    package let choices: [Choice]

    package init(name: String, choices: [Choice]) {
        self.name = name
        self.choices = choices
    }
}
