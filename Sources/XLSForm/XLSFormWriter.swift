package import JSON
internal import ShareFormats
package import Spreadsheet

/// Writes a form as the sheets of an XLSForm, which `XLSFormReader` and pyxform read.
///
/// What XLSForm has no column for stands in columns `shared::x`, which pyxform passes over.
package struct XLSFormWriter {
    private let form: JSONObject
    private var survey = SheetBuilder(["type", "name"])

    /// The sheets survey, choices, settings and entities of a definition, those that have rows. Names
    /// that no element of an XForm can have are changed, as `MendedNames` says.
    ///
    /// - Throws: `FormWritingError.badShape`.
    package static func write(_ form: JSONObject) throws(FormWritingError) -> Workbook {
        let form = MendedNames(PlainTexts.translated(EntryLists.asFiles(form))).form
        var writer = XLSFormWriter(form: form)
        // The tree finds what is no field, before any cell is written.
        let tree = try FormTree(form)
        for field in tree.form["fields"]?.array ?? [] { writer.add(field) }
        let sheets = [
            writer.survey.sheet("survey"), writer.choices(), writer.settings(), writer.entities(),
        ]
        return Workbook(sheets.filter { !$0.rows.isEmpty })
    }

    private init(form: JSONObject) {
        self.form = form
    }

    private mutating func add(_ field: JSONValue) {
        guard let json = field.object, let type = json["type"]?.string else { return }
        let isContainer = type == "group" || type == "repeat"
        survey.startRow()
        var typeText = isContainer ? "begin_\(type)" : type
        if let list = json["list"]?.string {
            if list.hasPrefix("@") {
                // Other programs know files alone: what the list is here stands beside.
                if !type.hasSuffix("_from_file") { typeText += "_from_file" }
                typeText += " \(list.split(separator: ":").last ?? "").csv"
                survey.set("shared::list", list)
            } else {
                typeText += " \(list)"
            }
        }
        survey.set("type", typeText)
        survey.set("name", FormTree.name(of: json))
        for column in FormColumn.all where !["type", "name", "disabled"].contains(column.name) {
            let isRange = type == "range" && column.name == "parameters"
            survey.set(
                column,
                isRange
                    ? .object(RangeParameters.written(json[column.name]?.object))
                    : json[column.name])
        }
        if needsLabel(json, type) { survey.set("label", FormTree.name(of: json)) }
        for (key, prefix) in [("media", "media"), ("x", "shared")] {
            for member in json[key]?.object?.members ?? []
            where key != "x" || member.key != "node" {
                survey.set(localized: "\(prefix)::\(member.key)", member.value)
            }
        }
        for key in ["bind", "body", "instance"] {
            for member in json[key]?.object?.members ?? [] {
                survey.set("\(key)::\(member.key)", member.value.string)
            }
        }
        for member in json["columns"]?.object?.members ?? [] {
            survey.set(member.key, member.value.string)
        }
        guard isContainer else { return }
        for child in json["fields"]?.array ?? [] { add(child) }
        survey.startRow()
        survey.set("type", "end_\(type)")
        survey.set("name", json["name"]?.string)
    }

    /// Whether pyxform refuses the question for having no text that people could read.
    private func needsLabel(_ json: JSONObject, _ type: String) -> Bool {
        guard !["group", "repeat", "csv-external", "xml-external"].contains(type),
            XFormType(type).control != nil
        else { return false }
        return ["label", "hint", "media", "calculation", "trigger"].allSatisfy { json[$0] == nil }
    }

    private func choices() -> Sheet {
        var sheet = SheetBuilder(["list_name", "name"])
        let lists = (form["lists"]?.object?.members ?? []).map { ($0.key, $0.value.array ?? []) }
        for (list, choices) in lists {
            for choice in choices {
                sheet.startRow()
                let name = XFormWriter.name(of: choice)
                sheet.set("list_name", list)
                sheet.set("name", name)
                sheet.set(localized: "label", choice["label"])
                // ODK Validate refuses a list without labels.
                if Localized.texts(choice["label"]).isEmpty, choice["media"] == nil {
                    sheet.set("label", name)
                }
                for member in choice["media"]?.object?.members ?? [] {
                    sheet.set(localized: "media::\(member.key)", member.value)
                }
                for member in choice.object?.members ?? []
                where !["name", "label", "media"].contains(member.key) {
                    sheet.set(member.key, member.value.plainText)
                }
            }
        }
        return sheet.sheet("choices")
    }

    private func settings() -> Sheet {
        var sheet = SheetBuilder([])
        sheet.startRow()
        let settings = form["settings"]?.object
        let titles = Localized.texts(form["title"])
        let own = titles.first { $0.language == form["default_language"]?.string }
        sheet.set("form_title", (own ?? titles.first)?.text)
        // XLSForm has one title for all languages.
        if form["title"]?.object != nil { sheet.set(localized: "shared::title", form["title"]) }
        sheet.set("form_id", (settings?["form_id"] ?? form["form_id"])?.string)
        for name in ["version", "default_language", "instance_name"] {
            sheet.set(name, form[name].flatMap { SheetBuilder.text($0) })
        }
        if hasNameTwice { sheet.set("allow_choice_duplicates", "yes") }
        let key = (form["key"]?.array ?? []).compactMap(\.string)
        sheet.set("shared::key", key.joined(separator: " "))
        for member in settings?.members ?? [] where member.key != "form_id" {
            sheet.set(member.key, member.value.string)
        }
        return sheet.sheet("settings")
    }

    /// Whether a list has one name in several places, as cascades may; pyxform wants to be told.
    private var hasNameTwice: Bool {
        (form["lists"]?.object?.members ?? []).contains { list in
            let names = (list.value.array ?? []).map { XFormWriter.name(of: $0) }
            return Set(names).count < names.count
        }
    }

    private func entities() -> Sheet {
        var sheet = SheetBuilder([])
        for entity in form["entities"]?.array ?? [] {
            sheet.startRow()
            for member in entity.object?.members ?? [] {
                sheet.set(member.key, member.value.string)
            }
        }
        return sheet.sheet("entities")
    }
}

/// Collects rows whose columns show up as they are used.
private struct SheetBuilder {
    private var headers: [String]
    private var columns: [String: Int]
    private var rows: [Row] = []

    init(_ headers: [String]) {
        self.headers = headers
        columns = Dictionary(uniqueKeysWithValues: headers.enumerated().map { ($1, $0 + 1) })
    }

    mutating func startRow() { rows.append(Row(number: rows.count + 2)) }

    mutating func set(_ header: String, _ text: String?) {
        guard let text, !text.isEmpty, let last = rows.indices.last else { return }
        if columns[header] == nil {
            headers.append(header)
            columns[header] = headers.count
        }
        if let column = columns[header] { rows[last].set(column: column, text) }
    }

    /// The cells of a text for people, one a language.
    mutating func set(localized header: String, _ value: JSONValue?) {
        switch value {
        case .bool(let flag)?: set(header, flag ? "yes" : "no")
        case .string, .object:
            for (language, text) in Localized.texts(value) {
                set(language.map { "\(header)::\($0)" } ?? header, text)
            }
        default: set(header, value.flatMap { SheetBuilder.text($0) })
        }
    }

    mutating func set(_ column: FormColumn, _ value: JSONValue?) {
        guard let value else { return }
        switch column.kind {
        case .localized: set(localized: column.name, value)
        case .flag:
            if case .bool(let flag) = value { set(column.name, flag ? "yes" : nil) }
            set(column.name, value.string)
        case .parameters: set(column.name, value.object.map { FormParameters.text($0) })
        case .plain:
            if case .bool(let flag) = value, column.name != "default" {
                // It is an expression.
                set(column.name, "\(flag)()")
            } else {
                set(column.name, value.plainText)
            }
        }
    }

    static func text(_ value: JSONValue) -> String? {
        switch value {
        case .string(let text): text
        case .integer(let number): String(number)
        case .double(let number): number.description
        case .bool(let flag): flag ? "yes" : "no"
        case .null, .array, .object: nil
        }
    }

    func sheet(_ name: String) -> Sheet {
        guard rows.contains(where: { !$0.cells.isEmpty }) else { return Sheet(name: name) }
        return Sheet(name: name, rows: [Row(number: 1, cells: headers)] + rows)
    }
}
