internal import JSON
internal import ShareFormats
internal import Spreadsheet

/// A list of the sheet choices.
struct ChoiceList {
    struct Choice {
        let place: SheetPosition
        let name: String
        /// Name, label, media, and the columns of the form's own.
        var json: JSONObject
    }

    let name: String
    var choices: [Choice] = []

    var json: JSONValue { .array(choices.map { .object($0.json) }) }

    /// Gives plain labels beside others their language.
    mutating func settle(_ defaultLanguage: String?) {
        for index in choices.indices {
            var json = choices[index].json
            json["label"] = json["label"].map { Localized.settled($0, defaultLanguage) }
            if case .object(var media) = json["media"] {
                for member in media.members.indices {
                    media.members[member].value = Localized.settled(
                        media.members[member].value, defaultLanguage)
                }
                json["media"] = .object(media)
            }
            choices[index].json = json
        }
    }

    /// Adds the choice `other` of `or_other`, where the list has none, in the languages of the
    /// others.
    mutating func addOther(_ place: SheetPosition) {
        guard !choices.contains(where: { $0.name == "other" }) else { return }
        var languages: [String] = []
        for choice in choices {
            for member in choice.json["label"]?.object?.members ?? []
            where !languages.contains(member.key) { languages.append(member.key) }
        }
        let texts = languages.map { JSONObject.Member(key: $0, value: "Other") }
        let label: JSONValue = languages.isEmpty ? "Other" : .object(JSONObject(texts))
        choices.append(
            Choice(place: place, name: "other", json: ["name": "other", "label": label]))
    }
}

extension XLSFormReader {
    /// Reads the sheets choices and external_choices.
    mutating func readLists() {
        for name in ["choices", "external_choices"] {
            guard
                let sheet = sheet(name).flatMap({
                    FormSheet($0, Header.init(choices:number:isOld:))
                })
            else { continue }
            var isComplete = true
            let used = sheet.rows.contains { !sheet.isBlank($0) }
            for column in ["list_name", "name"]
            where used && sheet.header(.column(column)) == nil {
                isComplete = false
                issues.add(
                    .error, sheet.place(nil), "there is no column \(column)",
                    hint: Suggestion.hint(
                        for: column, among: sheet.headers.map(\.title),
                        otherwise: "Its headers are list_name, name and label."))
            }
            checkLanguages(sheet)
            // What is called as one of the other sheet is a list of its own.
            let known = name == "choices" ? [] : Set(listIndex.keys)
            guard isComplete, !issues.hasErrors else {
                hasAllLists = false
                continue
            }
            noteMisspelt(inChoices: sheet)
            noteRepeated(sheet)
            for row in sheet.rows { readChoice(row, sheet, known) }
        }
        let allows = sheet("settings").flatMap { sheet in
            FormSheet(sheet) { title, number, _ in Header(plain: title, number: number) }
        }
        let mayRepeat =
            allows.map { sheet in
                sheet.rows.contains {
                    SurveyReader.isYes(sheet.text("allow_choice_duplicates", $0))
                }
            } ?? false
        if !mayRepeat { for list in lists { checkNames(of: list) } }
    }

    /// The name of a list of external_choices that choices has too.
    static func external(_ list: String) -> String { "\(list)_external" }

    private mutating func readChoice(_ row: Row, _ sheet: FormSheet, _ known: Set<String>) {
        let written = sheet.text("list_name", row)
        let list = known.contains(written) ? XLSFormReader.external(written) : written
        let name = FormSheet.straight(sheet.text("name", row))
        guard !list.isEmpty else {
            if !name.isEmpty {
                issues.add(
                    .warning, sheet.place(row, "list_name"),
                    "choice \(name) has no list and is left out", hint: "Write the list's name.")
            }
            return
        }
        guard !name.isEmpty else {
            if !sheet.text("label", row).isEmpty {
                issues.add(
                    .error, sheet.place(row, "name"), "a choice of list \(list) has no name",
                    hint: "The name is what is stored; the label is what people see.")
            }
            return
        }
        var json: JSONObject = ["name": .string(name)]
        var media = JSONObject()
        for header in sheet.headers {
            let text = FormSheet.clean(row[header.number])
            guard !text.isEmpty else { continue }
            switch header.meaning {
            case .column("label"): json["label"] = Localized.adding(text, header, to: json["label"])
            case .media(let kind): media[kind] = Localized.adding(text, header, to: media[kind])
            case .unknown where !sheet.isRepeated(header, in: row):
                json[header.title] = .string(text)
            default: break
            }
        }
        if !media.members.isEmpty { json["media"] = .object(media) }
        let choice = ChoiceList.Choice(place: sheet.place(row, "name"), name: name, json: json)
        if let index = listIndex[list] {
            lists[index].choices.append(choice)
        } else {
            listIndex[list] = lists.count
            lists.append(ChoiceList(name: list, choices: [choice]))
        }
    }

    /// Names are told apart unless a choice filter may do so; then a repeated one is a warning.
    private mutating func checkNames(of list: ChoiceList) {
        var seen: Set<[UInt8]> = []
        for choice in list.choices where !seen.insert(Array(choice.name.utf8)).inserted {
            issues.add(
                .warning, choice.place, "list \(list.name) has choice \(choice.name) twice",
                hint: "Each name once, or the setting allow_choice_duplicates with a choice_filter."
            )
        }
    }
}

/// Texts for people: one plain text, or an object of texts by language.
enum Localized {
    /// The member's value with one more text; the first text of a language stays. A plain text
    /// beside others has the language "".
    static func adding(_ text: String, _ header: Header, to value: JSONValue?) -> JSONValue {
        switch value {
        case .object(var texts):
            if texts[header.language ?? ""] == nil { texts[header.language ?? ""] = .string(text) }
            return .object(texts)
        case .string(let plain):
            guard let language = header.language else { return .string(plain) }
            return [("" as String): .string(plain), language: .string(text)]
        default:
            guard let language = header.language else { return .string(text) }
            return [language: .string(text)]
        }
    }

    /// The texts of a value by language; nil stands for a plain one.
    static func texts(_ value: JSONValue?) -> [(language: String?, text: String)] {
        switch value {
        case .string(let text): text.isEmpty ? [] : [(nil, text)]
        case .object(let texts):
            texts.members.compactMap { member in
                guard let text = member.value.string, !text.isEmpty else { return nil }
                return (member.key.isEmpty ? nil : member.key, text)
            }
        default: []
        }
    }

    /// Gives the plain text beside others its language: the form's own, as pyxform does. One that is the
    /// same in all of them stays plain.
    static func settled(_ value: JSONValue, _ defaultLanguage: String?) -> JSONValue {
        guard case .object(var texts) = value, let plain = texts[""] else { return value }
        if texts.members.allSatisfy({ $0.value == plain }) { return plain }
        let language = defaultLanguage ?? "default"
        texts[""] = nil
        if texts[language] == nil {
            texts.members.insert(JSONObject.Member(key: language, value: plain), at: 0)
        }
        return .object(texts)
    }
}
