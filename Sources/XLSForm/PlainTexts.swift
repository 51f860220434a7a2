internal import JSON

/// Texts without a language in a form that has several. Here they are for all of them; XForms have them in
/// the form's own alone, and show `-` in the others, wherever texts of a question or of a list stand
/// apart from it: with translations, pictures or answers in them.
struct PlainTexts {
    private let languages: [String]
    /// The same as choices have them: there a plain text is taken for the form's own language beside
    /// others, where in a question it would be taken alone.
    private let languagesOfChoices: [String]

    /// The form with such texts in each of its languages.
    static func translated(_ form: JSONObject) -> JSONObject {
        let languages = languages(of: form)
        guard !languages.isEmpty else { return form }
        guard let own = form["default_language"]?.string, languages.contains(own) else {
            return PlainTexts(languages: languages, languagesOfChoices: languages).form(form)
        }
        let others = languages.filter { $0 != own }
        return PlainTexts(languages: languages, languagesOfChoices: [""] + others).form(form)
    }

    private static func languages(of form: JSONObject) -> [String] {
        var found: [String] = []
        func add(_ value: JSONValue?) {
            for (language, _) in Localized.texts(value) {
                if let language, !found.contains(language) { found.append(language) }
            }
        }
        func add(question: JSONValue) {
            for column in FormColumn.all where column.kind == .localized {
                add(question[column.name])
            }
            for member in question["media"]?.object?.members ?? [] { add(member.value) }
            for child in question["fields"]?.array ?? [] { add(question: child) }
        }
        for field in form["fields"]?.array ?? [] { add(question: field) }
        for list in form["lists"]?.object?.members ?? [] {
            for choice in list.value.array ?? [] { add(question: choice) }
        }
        return found
    }

    private func form(_ form: JSONObject) -> JSONObject {
        var form = form
        form["fields"] = form["fields"].map { fields($0) }
        guard var lists = form["lists"]?.object else { return form }
        for index in lists.members.indices {
            lists.members[index].value = list(lists.members[index].value)
        }
        form["lists"] = .object(lists)
        return form
    }

    private func fields(_ fields: JSONValue) -> JSONValue {
        guard let fields = fields.array else { return fields }
        return .array(
            fields.map { field in
                guard var field = field.object else { return field }
                if hasMedia(.object(field)) {
                    field["label"] = everywhere(field["label"], in: languages)
                }
                field["media"] = media(field["media"], in: languages)
                if field["guidance_hint"] != nil {
                    field["hint"] = everywhere(field["hint"], in: languages)
                }
                for name in ["constraint_message", "required_message"]
                where !References(field[name]?.string ?? "").isEmpty {
                    field[name] = everywhere(field[name], in: languages)
                }
                field["fields"] = field["fields"].map { self.fields($0) }
                return .object(field)
            })
    }

    private func list(_ list: JSONValue) -> JSONValue {
        guard let choices = list.array,
            choices.contains(where: {
                $0["label"]?.object != nil || hasMedia($0)
                    || !References($0["label"]?.string ?? "").isEmpty
            })
        else { return list }
        return .array(
            choices.map { choice in
                let name = XFormWriter.name(of: choice)
                var object = choice.object ?? ["name": .string(name)]
                let isSilent = Localized.texts(choice["label"]).isEmpty && !hasMedia(choice)
                object["label"] = everywhere(
                    isSilent ? .string(name) : choice["label"], in: languagesOfChoices)
                object["media"] = media(choice["media"], in: languagesOfChoices)
                return .object(object)
            })
    }

    private func hasMedia(_ value: JSONValue) -> Bool {
        value["media"]?.object?.members.isEmpty == false
    }

    private func media(_ value: JSONValue?, in languages: [String]) -> JSONValue? {
        guard var media = value?.object else { return value }
        for index in media.members.indices {
            if let text = everywhere(media.members[index].value, in: languages) {
                media.members[index].value = text
            }
        }
        return .object(media)
    }

    private func everywhere(_ text: JSONValue?, in languages: [String]) -> JSONValue? {
        guard case .string(let plain)? = text, !plain.isEmpty else { return text }
        return .object(
            JSONObject(
                languages.map { JSONObject.Member(key: $0, value: .string(plain)) }))
    }
}
