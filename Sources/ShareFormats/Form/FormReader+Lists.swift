internal import JSON

extension FormReader {
    mutating func readLists(in tree: JSONValue) throws(FormError) {
        guard let value = tree["lists"] else { return }
        guard let members = value.object?.members else {
            throw shape("", "\"lists\"", value, "an object")
        }
        guard members.count <= FormLimits.lists else {
            throw FormError(
                .tooMany, "\(members.count) lists; at most \(FormLimits.lists) are possible",
                hint: "Put fields that have the same choices on one list.")
        }
        for member in members {
            lists.append(try ChoiceList(name: member.key, tree: member.value))
        }
    }

    mutating func requireList(_ name: String?, at place: String) throws(FormError) {
        guard let name else {
            throw FormError(
                .missingList, at: place, "a field of choices needs its list",
                hint: "Add \"list\": \"yes_no\" here and the list itself under \"lists\".")
        }
        let isHere = lists.contains { $0.name.utf8.elementsEqual(name.utf8) }
        if isHere { return }
        if let list = beside.first(where: { $0.name.utf8.elementsEqual(name.utf8) }) {
            try list.check()
            lists.append(list)
            adopted.append(list)
            return
        }
        throw FormError(
            .missingList, at: place, "there is no list \"\(FormReader.shown(name))\"",
            hint: Suggestion.hint(
                for: name, among: (lists + beside).map(\.name),
                otherwise: "Add it to the form under \"lists\"."))
    }

    /// The text that travels: as written, or with the lists that lay beside it put in.
    func completed(_ json: [UInt8], _ tree: JSONValue) throws(FormError) -> String {
        guard !adopted.isEmpty, var form = tree.object else {
            return String(decoding: json, as: UTF8.self)
        }
        var lists = form["lists"]?.object ?? JSONObject()
        lists.members += adopted.map { .init(key: $0.name, value: $0.tree) }
        form["lists"] = nil
        form["lists"] = .object(lists)
        let text = JSONValue.object(form).text
        guard text.count <= FormLimits.jsonBytes else {
            throw FormError(
                .tooMany,
                "with its lists the form is longer than \(FormLimits.jsonBytes / 1024) KiB",
                hint: "Shorten its lists.")
        }
        return String(decoding: text, as: UTF8.self)
    }
}
