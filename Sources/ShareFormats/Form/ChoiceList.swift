package import JSON

/// A named list of choices.
package struct ChoiceList: Hashable, Sendable {
    package let name: String
    package let choices: [Choice]

    package init(name: String, choices: [Choice]) {
        self.name = name
        self.choices = choices
    }
}

/// One choice of a list.
package struct Choice: Hashable, Sendable {
    /// The stored value.
    package let name: String
    /// The label; empty where the name is all there is.
    package let label: LocalizedText
    /// The other columns of the list (a parent, a code), as the form has them.
    package let columns: [JSONObject.Member]

    package init(name: String, label: LocalizedText = .none, columns: [JSONObject.Member] = []) {
        self.name = name
        self.label = label
        self.columns = columns
    }
}

extension ChoiceList {
    /// Reads a list of a form: objects with a name, or plain names.
    init(name: String, tree: JSONValue) throws(FormError) {
        let place = "lists \"\(FormReader.shown(name))\""
        guard let elements = tree.array else {
            throw FormError(
                .badShape, at: place, "should be a list of choices, found \(tree.kind)",
                hint: "For instance [{\"name\": \"yes\", \"label\": \"Yes\"}].")
        }
        var choices: [Choice] = []
        for (index, element) in elements.enumerated() {
            choices.append(try Choice(element, at: "\(place)[\(index + 1)]"))
        }
        self.init(name: name, choices: choices)
        try check()
    }

    /// The rules for every list, wherever it comes from.
    func check() throws(FormError) {
        let place = "lists \"\(FormReader.shown(name))\""
        if let fault = FormNames.fault(ofLabelled: name) {
            throw FormError(.badList, at: place, "its name: \(fault)", hint: "For instance yes_no.")
        }
        guard !choices.isEmpty else {
            throw FormError(
                .badList, at: place, "the list is empty", hint: "Give it at least one choice.")
        }
        guard choices.count <= FormLimits.choices else {
            throw FormError(
                .tooMany, at: place,
                "\(choices.count) choices; at most \(FormLimits.choices) are possible in a form",
                hint: "Split the list.")
        }
    }

    /// The place of the first choice whose name one before it has: with a filter each may be offered
    /// in its place.
    var duplicate: Int? {
        var names: Set<[UInt8]> = []
        return choices.firstIndex { !names.insert(Array($0.name.utf8)).inserted }
    }

    /// The further rules where several choices make one value.
    func checkForSeveral(at place: String) throws(FormError) {
        for choice in choices
        where choice.name.utf8.contains(where: { $0 == 0x20 || $0 == UInt8(ascii: ",") }) {
            throw FormError(
                .badList, at: place,
                "choice \"\(FormReader.shown(choice.name))\" of list \(name) has a space or comma",
                hint: "Several choices are stored side by side: write_it_like_this, with a label.")
        }
    }
}

extension Choice {
    init(_ tree: JSONValue, at place: String) throws(FormError) {
        let object = tree.object ?? ["name": tree]
        let name: String
        switch object["name"] {
        case .string(let text): name = text
        case .integer(let number): name = String(number)
        default:
            throw FormError(
                .badList, at: place, "the choice has no name",
                hint: "For instance {\"name\": \"yes\", \"label\": \"Yes\"}.")
        }
        if name.isEmpty || name.utf8.count > FormLimits.choiceNameBytes
            || FormNames.hasControl(name)
        {
            throw FormError(
                .badList, at: place, "the name of a choice is empty, too long, or unprintable",
                hint: "1 to \(FormLimits.choiceNameBytes) bytes; the label may be longer.")
        }
        let label = try LocalizedText(object["label"], name: "label", at: place)
        self.init(
            name: name, label: label,
            columns: object.members.filter { $0.key != "name" && $0.key != "label" })
    }
}
