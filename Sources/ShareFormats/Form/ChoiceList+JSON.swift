extension ChoiceList {
    /// Reads a list of a form: objects with a name, or plain names.
    init(name: String, tree: JSONTree) throws(FormError) {
        let place = "lists \"\(FormReader.shown(name))\""
        guard let elements = tree.elements else {
            throw FormError(
                .badShape, at: place, "should be a list of choices, found \(tree.kindName)",
                hint: "For instance [{\"name\": \"yes\", \"label\": \"Yes\"}].")
        }
        var choices: [Choice] = []
        for (index, element) in elements.enumerated() {
            choices.append(try Choice(element, at: "\(place)[\(index + 1)]"))
        }
        self.init(name: name, choices: choices)
        try check()
    }

    /// What must hold of every list, wherever it comes from.
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
        var names: Set<[UInt8]> = []
        for choice in choices where !names.insert(Array(choice.name.utf8)).inserted {
            throw FormError(
                .badList, at: place, "choice \"\(FormReader.shown(choice.name))\" is there twice",
                hint: "Each name once; labels may repeat.")
        }
    }

    /// What must hold beside that where several choices make one value.
    func checkForSeveral(at place: String) throws(FormError) {
        for choice in choices
        where choice.name.utf8.contains(where: { $0 == 0x20 || $0 == UInt8(ascii: ",") }) {
            throw FormError(
                .badList, at: place,
                "choice \"\(FormReader.shown(choice.name))\" of list \(name) has a space or comma",
                hint: "Several choices are stored side by side: write_it_like_this, with a label.")
        }
    }

    /// How a form writes it.
    var tree: JSONTree {
        .list(
            choices.map { choice in
                var members = [JSONMember(name: "name", value: .text(choice.name))]
                if !choice.label.isEmpty {
                    members.append(JSONMember(name: "label", value: choice.label.tree))
                }
                return .object(members + choice.columns)
            })
    }
}

extension Choice {
    init(_ tree: JSONTree, at place: String) throws(FormError) {
        let members: [JSONMember]
        switch tree {
        case .object(let found): members = found
        default: members = [JSONMember(name: "name", value: tree)]
        }
        let name: String
        switch members.first(where: { $0.name == "name" })?.value {
        case .text(let text): name = text
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
        let label = try LocalizedText(
            members.first { $0.name == "label" }?.value, name: "label", at: place)
        self.init(
            name: name, label: label,
            columns: members.filter { $0.name != "name" && $0.name != "label" })
    }
}
