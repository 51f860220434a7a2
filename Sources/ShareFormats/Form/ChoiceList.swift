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

    /// The first choice whose name another one has: with a filter each may be offered in its place.
    var duplicate: Choice? {
        var names: Set<[UInt8]> = []
        return choices.first { !names.insert(Array($0.name.utf8)).inserted }
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

    /// How a form writes it.
    var tree: JSONValue {
        .array(
            choices.map { choice in
                var object: JSONObject = ["name": .string(choice.name)]
                if !choice.label.isEmpty {
                    object["label"] = choice.label.tree
                }
                object.members += choice.columns
                return .object(object)
            })
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

extension ChoiceList {
    /// Reads a list from CSV: a column `name`, with `label` and `label::LANGUAGE` if it has
    /// labels; all other columns are kept.
    ///
    /// - Throws: `FormError` of `badList`, with the line.
    package init(name: String, csv: [UInt8]) throws(FormError) {
        let place = "lists \"\(FormReader.shown(name))\""
        var rows: [(line: Int, cells: [String])] = []
        do {
            var reader = CSVReader()
            try reader.read(csv) { rows.append(($0.line, $0.cells)) }
            try reader.finish { rows.append(($0.line, $0.cells)) }
        } catch {
            throw FormError(
                .badList, at: "\(place), line \(error.line)", error.reason, hint: error.hint)
        }
        let header = rows.first?.cells ?? []
        guard header.contains("name") else {
            throw FormError(
                .badList, at: place, "the file has no column name",
                hint: "Its first line is for instance name,label.")
        }
        var seen: Set<[UInt8]> = []
        for title in header where !seen.insert(Array(title.utf8)).inserted {
            throw FormError(
                .badList, at: place, "two columns \"\(FormReader.shown(title))\"",
                hint: "Keep one of them.")
        }
        var choices: [Choice] = []
        for row in rows.dropFirst() {
            let place = "\(place), line \(row.line)"
            guard row.cells.count == header.count else {
                throw FormError(
                    .badList, at: place,
                    "\(row.cells.count) cells; the header has \(header.count)",
                    hint: "Is a separator missing, or one too many?")
            }
            choices.append(try Choice(ChoiceList.tree(of: row.cells, header), at: place))
        }
        self.init(name: name, choices: choices)
        try check()
    }

    /// A row as a form would write it.
    private static func tree(of cells: [String], _ header: [String]) -> JSONValue {
        let prefix = "label::"
        var members = JSONObject()
        var labels = JSONObject()
        for (title, cell) in zip(header, cells) {
            if title == "name" {
                members.members.append(.init(key: title, value: .string(cell)))
            } else if title == "label" || title.hasPrefix(prefix) {
                let language = title == "label" ? "" : String(title.dropFirst(prefix.count))
                if !cell.isEmpty {
                    labels.members.append(.init(key: language, value: .string(cell)))
                }
            } else if !cell.isEmpty, !title.isEmpty {
                members.members.append(.init(key: title, value: .string(cell)))
            }
        }
        if !labels.members.isEmpty { members["label"] = .object(labels) }
        return .object(members)
    }
}
