internal import JSON
internal import ShareFormats
internal import Spreadsheet

// The names and cells of survey rows.
extension SurveyReader {
    private static let metadata = [
        "start", "end", "today", "deviceid", "username", "phonenumber", "email", "simserial",
        "subscriberid", "audit", "start-geopoint", "background-audio",
    ]

    mutating func name(of row: Row, type: String) -> String {
        var name = FormSheet.straight(sheet.text("name", row))
        if name.isEmpty {
            switch type {
            case "note": name = "generated_note_name_\(row.number)"
            case "group", "repeat": name = "\(type)_\(row.number)"
            case let type where SurveyReader.metadata.contains(type): name = type
            default:
                issues.add(
                    .error, sheet.place(row, "name"), "the question has no name",
                    hint: "The name is what its answers are stored under.")
                return ""
            }
            if type != "note", type != "audit" {
                issues.add(
                    .warning, sheet.place(row, "name"), "without a name it is called \(name)",
                    hint: "Give it a name.")
            }
        }
        if !ElementName.isValid(name) {
            issues.add(
                .error, sheet.place(row, "name"), "\(name) cannot be a name",
                hint: "Letters, digits, _ - . with a letter first: \(ElementName.mended(name)).")
        }
        if name == "meta", open.count == 1 {
            issues.add(
                .error, sheet.place(row, "name"), "meta is the name of the form's own metadata",
                hint: "Choose another name.")
        }
        take(name, row)
        return name
    }

    /// Notes a name, and finds fault where its group has it already.
    mutating func take(_ name: String, _ row: Row) {
        names[name, default: 0] += 1
        let last = open.count - 1
        if !open[last].names.insert(name).inserted {
            issues.add(
                .error, sheet.place(row, "name"), "a second question is called \(name)",
                hint: "Each name once in its group.")
        } else if let other = open[last].folded.updateValue(name, forKey: name.lowercased()) {
            issues.add(
                .warning, sheet.place(row, "name"),
                "\(other) and \(name) differ by upper and lower case only",
                hint: "Tables do not tell them apart.")
        }
    }

    /// The name of a question's column: its own, unless another question has it, or the system.
    mutating func column(for name: String, _ row: Row) -> String {
        if isFree(name) {
            takeColumn(name)
            return name
        }
        var names: [String] = []
        var longer = name
        for section in open.dropFirst().reversed() {
            longer = "\(section.json["name"]?.string ?? "").\(longer)"
            names.append(longer)
        }
        let plain = String(name.drop { $0 == "_" })
        names.append(plain)
        names += (2...XLSFormLimits.depth).map { "\(plain).\($0)" }
        guard let column = names.first(where: { isFree($0) }) else { return name }
        issues.add(
            .warning, sheet.place(row, "name"), "the column of \(name) is called \(column)",
            hint: "Another question is called so, or names with _ in front are the system's.")
        takeColumn(column)
        return column
    }

    mutating func takeColumn(_ name: String) {
        open[table].columns.insert(name.lowercased())
    }

    /// The form or the innermost repeat.
    private var table: Int { open.lastIndex { $0.container == .repeat } ?? 0 }

    private func isFree(_ name: String) -> Bool {
        FormNames.fault(ofField: name) == nil && !open[table].columns.contains(name.lowercased())
    }

    /// Puts the cells of a row into its JSON, in the order of `FormColumn.all`.
    mutating func addCells(of row: Row, to json: inout JSONObject) {
        for column in FormColumn.all where !["type", "name", "disabled"].contains(column.name) {
            for header in sheet.headers where header.meaning == .column(column.name) {
                add(row[header.number], row, header, column, to: &json)
            }
        }
        var objects: [String: JSONObject] = [:]
        for header in sheet.headers {
            let text = FormSheet.clean(row[header.number])
            guard !text.isEmpty else { continue }
            switch header.meaning {
            case .media(let kind):
                let value = objects["media"]?[kind]
                objects["media", default: JSONObject()][kind] =
                    Localized.adding(text, header, to: value)
            case .attribute(let object, let name):
                // Of two columns of one header the first counts that says anything.
                guard objects[object]?[name] == nil else { continue }
                objects[object, default: JSONObject()][name] = .string(FormSheet.straight(text))
                note(text, row, header)
            case .extra(let name):
                let value = objects["x"]?[name]
                objects["x", default: JSONObject()][name] =
                    name == "persist" && SurveyReader.untruths.contains(text)
                    ? .bool(false)
                    : Localized.adding(
                        name.hasSuffix("_message") ? text : FormSheet.straight(text), header,
                        to: value)
            case .unknown where objects["columns"]?[header.title] != nil: continue
            case .unknown: objects["columns", default: JSONObject()][header.title] = .string(text)
            default: break
            }
        }
        for name in ["media", "bind", "body", "instance", "x", "columns"] {
            if let object = objects[name] { json[name] = .object(object) }
        }
    }

    private mutating func add(
        _ cell: String, _ row: Row, _ header: Header, _ column: FormColumn,
        to json: inout JSONObject
    ) {
        let text = FormSheet.clean(cell)
        guard !text.isEmpty else { return }
        if FormColumn.references.contains(column.name) { note(text, row, header) }
        if column.kind == .localized {
            json[column.name] = Localized.adding(text, header, to: json[column.name])
            return
        }
        guard json[column.name] == nil else { return }
        let straight = FormSheet.straight(text)
        switch column.kind {
        case .flag where SurveyReader.isYes(straight): json[column.name] = .bool(true)
        case .flag where SurveyReader.untruths.contains(straight): break
        case .parameters:
            let found = FormParameters.read(straight)
            if let found { json[column.name] = .object(found) }
            if found == nil {
                issues.add(
                    .warning, sheet.place(row, column.name),
                    "the parameters cannot be read and have no effect",
                    hint: "Write them like start=1 end=10 step=1.")
            }
        default: json[column.name] = .string(straight)
        }
    }

    private mutating func note(_ text: String, _ row: Row, _ header: Header) {
        for name in References(text).names {
            references.append(
                (SheetPosition(sheet: sheet.name, row: row.number, column: header.column), name))
        }
    }

    /// The field with its texts settled: only now is it known which have several languages.
    func settled(_ field: JSONValue) -> JSONValue {
        guard case .object(var json) = field else { return field }
        for column in FormColumn.all where column.kind == .localized {
            json[column.name] = json[column.name].map { Localized.settled($0, defaultLanguage) }
        }
        for key in ["media", "x"] {
            guard case .object(var object) = json[key] else { continue }
            for index in object.members.indices {
                object.members[index].value = Localized.settled(
                    object.members[index].value, defaultLanguage)
            }
            json[key] = .object(object)
        }
        if let fields = json["fields"]?.array {
            json["fields"] = .array(fields.map { settled($0) })
        }
        return .object(json)
    }
}
