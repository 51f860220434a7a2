package import JSON
internal import ShareFormats
package import Spreadsheet

/// Makes the JSON of a form out of an XLSForm: the sheets survey, choices, settings, entities and
/// external_choices of a workbook.
///
/// It takes what pyxform takes, and what forms of the field have besides: old names of types and
/// columns, bent quotes, missing names of groups and of metadata. Expressions stay word for word.
package struct XLSFormReader {
    /// The form, or the reasons why there is none.
    package struct Reading: Sendable {
        /// The definition; nil where an issue is an error.
        package let form: JSONObject?
        /// The definition as far as it goes, where an issue is an error.
        package let draft: JSONObject?
        /// Errors first.
        package let issues: [FormIssue]
        let places: SheetPositions
    }

    /// The names of the sheets that are read, in the order in which they are written.
    package static let sheetNames = [
        "survey", "choices", "settings", "entities", "external_choices",
    ]

    let workbook: Workbook
    var issues = FormIssues()
    var lists: [ChoiceList] = []
    /// Whether the sheets of choices could be read.
    var hasAllLists = true
    /// Where each list is in `lists`.
    var listIndex: [String: Int] = [:]
    private var places = SheetPositions()
    /// The references of sheets other than the survey.
    private var references: [(place: SheetPosition, name: String)] = []

    /// Reads a form; `name` is that of its file without ending, the form's id where its settings
    /// have none.
    package static func read(_ workbook: Workbook, name: String) -> Reading {
        var reader = XLSFormReader(workbook: workbook)
        let form = reader.form(name)
        return Reading(
            form: reader.issues.hasErrors ? nil : form,
            draft: reader.issues.hasErrors ? form : nil, issues: reader.issues.sorted,
            places: reader.places)
    }

    /// Whether a sheet of that name belongs to a form.
    package static func isFormSheet(_ name: String) -> Bool {
        sheetNames.contains(Header.folded(name))
    }

    private init(workbook: Workbook) { self.workbook = workbook }

    private mutating func form(_ name: String) -> JSONObject? {
        for sheet in workbook.sheets where XLSFormReader.isFormSheet(sheet.name) {
            for position in sheet.unsolved {
                let header = sheet.rows.first?[position.column] ?? ""
                issues.add(
                    .warning,
                    SheetPosition(
                        sheet: sheet.name, row: position.row,
                        column: .init(number: position.column, header: header)),
                    "a formula without a stored result is read as empty",
                    hint: "Open the file in a spreadsheet program and save it again.")
            }
        }
        guard let survey = surveySheet() else { return nil }
        readLists()
        var form = readSettings(name)
        let entities = readEntities()
        var reader = SurveyReader(
            survey, lists, areAll: hasAllLists, issues, references, form["default_language"]?.string
        )
        let fields = reader.fields()
        issues = reader.issues
        lists = reader.lists
        places.survey = survey
        (places.rows, places.rowsInOrder) = (reader.rows, reader.rowsInOrder)
        for list in lists { places.choices[list.name] = list.choices.map(\.place) }
        if fields.isEmpty, !issues.hasErrors {
            issues.add(
                .error, survey.place(nil), "there is no question",
                hint: "Each row has a type, a name and a label.")
        }
        form["fields"] = .array(fields)
        if !lists.isEmpty {
            form["lists"] = .object(
                JSONObject(lists.map { JSONObject.Member(key: $0.name, value: $0.json) }))
        }
        if let entities { form["entities"] = .array(entities) }
        return EntryLists.asEntries(form)
    }

    private mutating func surveySheet() -> FormSheet? {
        var found = sheet("survey")
        if found == nil {
            // A file with one sheet that looks like a survey is one.
            let likely = workbook.sheets.filter { sheet in
                let titles = sheet.rows.first?.cells.map { Header.folded($0.text) } ?? []
                return titles.contains("type") && titles.contains("name")
            }
            found = likely.count == 1 ? likely.first : nil
            if let found {
                issues.add(
                    .warning, SheetPosition(sheet: found.name), "this sheet is read as the survey",
                    hint: "Name it survey.")
            }
        }
        if issues.hasErrors { return nil }
        guard let found else {
            let hint = Suggestion.hint(
                for: "survey", among: workbook.sheets.map(\.name),
                otherwise: "An XLSForm has the sheets survey, choices and settings.")
            issues.add(
                .error, SheetPosition(sheet: "the file"), "there is no sheet survey", hint: hint)
            return nil
        }
        guard let survey = FormSheet(found, Header.init(survey:number:isOld:)) else {
            issues.add(
                .error, SheetPosition(sheet: found.name), "the sheet is empty",
                hint: "Its first row has the headers type, name and label.")
            return nil
        }
        checkLanguages(survey)
        noteRepeated(survey)
        let titles = survey.headers.map { Header.folded($0.title) }
        if titles.contains("clause") || titles.contains("values_list") {
            issues.add(
                .error, survey.place(nil),
                "this is a form for ODK-X, whose columns mean other things",
                hint: "Forms for ODK Collect, KoboToolbox and their like can be read.")
            return nil
        }
        for name in ["type", "name"] where survey.header(.column(name)) == nil {
            let hint = Suggestion.hint(
                for: name, among: survey.headers.map(\.title),
                otherwise: "The first row has the headers type, name and label.")
            issues.add(.error, survey.place(nil), "there is no column \(name)", hint: hint)
        }
        if issues.hasErrors { return nil }
        for header in survey.headers where header.meaning == .unknown {
            issues.add(
                .warning, SheetPosition(sheet: found.name, row: nil, column: header.column),
                "a column that is not known is kept and has no effect",
                hint: Suggestion.nearest(
                    to: Header.folded(header.title), among: FormColumn.all.map(\.name)
                ).map { "Did you mean \($0)?" } ?? "Columns of this project begin with shared::.")
        }
        return survey
    }

    /// The sheet of that name, with spaces for `_` too; nil also where it is beyond the bounds.
    mutating func sheet(_ name: String) -> Sheet? {
        guard let sheet = workbook.sheets.first(where: { Header.folded($0.name) == name }) else {
            return nil
        }
        return isWithinBounds(sheet, name == "survey") ? sheet : nil
    }

    private mutating func isWithinBounds(_ sheet: Sheet, _ isSurvey: Bool) -> Bool {
        let rows = isSurvey ? XLSFormLimits.surveyRows : XLSFormLimits.rows
        let titles = sheet.rows.first?.cells.count ?? 0
        for (count, limit, what) in [
            (sheet.rows.count, rows, "rows"), (titles, XLSFormLimits.columns, "columns"),
        ] where count > limit {
            issues.add(
                .error, SheetPosition(sheet: sheet.name), "more than \(limit) \(what)",
                hint: "Is it the right file? Delete what the form does not need.")
            return false
        }
        return true
    }

    /// Finds fault with more languages than a form may have.
    mutating func checkLanguages(_ sheet: FormSheet) {
        guard Set(sheet.headers.compactMap(\.language)).count > XLSFormLimits.languages else {
            return
        }
        issues.add(
            .error, sheet.place(nil), "more than \(XLSFormLimits.languages) languages",
            hint: "Is something else than a language behind ::?")
    }
}

// MARK: Settings, entities

extension XLSFormReader {
    static let settingAliases = [
        "id_string": "form_id", "set_form_id": "form_id", "title": "form_title",
        "set_form_title": "form_title",
    ]

    private mutating func readSettings(_ fileName: String) -> JSONObject {
        var form = JSONObject()
        var rest = JSONObject()
        var titles: JSONValue?
        var place = SheetPosition(sheet: "settings")
        var id = ""
        if let sheet = sheet("settings").flatMap({ sheet in
            FormSheet(sheet) { title, number, _ in
                Header(plain: title, number: number, aliases: XLSFormReader.settingAliases)
            }
        }), let row = sheet.rows.first(where: { !sheet.isBlank($0) }) {
            places.settings = (sheet, row)
            noteMisspelt(inSettings: sheet)
            noteRepeated(sheet)
            id = sheet.text("form_id", row)
            place = sheet.place(row, "form_id")
            for header in sheet.headers {
                let text = FormSheet.straight(FormSheet.clean(row[header.number]))
                guard !text.isEmpty, !sheet.isRepeated(header, in: row) else { continue }
                switch header.meaning {
                case .column("form_id"): break
                case .column("form_title"):
                    form["title"] = .string(FormSheet.clean(row[header.number]))
                case .column("version"), .column("default_language"), .column("instance_name"):
                    form[Header.folded(header.title)] = .string(text)
                    note(text, sheet, row, header)
                case .extra("key"):
                    let names = text.split { $0.isWhitespace || $0 == "," }
                    form["key"] = .array(names.map { .string(String($0)) })
                case .extra("title"):
                    titles = Localized.adding(
                        FormSheet.clean(row[header.number]), header, to: titles)
                case .extra(let name): rest["shared::" + name] = .string(text)
                case .column(let name): rest[name] = .string(text)
                default: break
                }
            }
        }
        if let titles { form["title"] = titles }
        let usable = FormID.mended(id.isEmpty ? fileName : id)
        if !id.isEmpty, usable != id {
            issues.add(
                .warning, place, "the form is called \(usable) here, not \(id)",
                hint: "Letters, digits, _ - . can be in a form_id, a letter first, 63 at most.")
            rest["form_id"] = .string(id)
        }
        var whole: JSONObject = ["form_id": .string(usable)]
        for name in ["version", "title", "default_language", "instance_name", "key"] {
            whole[name] = form[name]
        }
        if !rest.members.isEmpty { whole["settings"] = .object(rest) }
        return whole
    }

    private mutating func note(
        _ text: String, _ sheet: FormSheet, _ row: Row, _ header: Header
    ) {
        let place = SheetPosition(sheet: sheet.name, row: row.number, column: header.column)
        references += References(text).names.map { (place, $0) }
    }

    private mutating func readEntities() -> [JSONValue]? {
        guard
            let sheet = sheet("entities").flatMap({ sheet in
                FormSheet(sheet) { title, number, _ in
                    Header(plain: title, number: number, aliases: ["dataset": "list_name"])
                }
            })
        else { return nil }
        noteRepeated(sheet)
        var entities: [JSONValue] = []
        for row in sheet.rows where !sheet.isBlank(row) {
            var entity = JSONObject()
            for header in sheet.headers {
                let text = FormSheet.straight(FormSheet.clean(row[header.number]))
                if case .column(let name) = header.meaning, !text.isEmpty,
                    !sheet.isRepeated(header, in: row)
                {
                    entity[name] = .string(text)
                    note(text, sheet, row, header)
                }
            }
            if entity["list_name"] == nil {
                issues.add(
                    .error, sheet.place(row, "list_name"), "the entity has no list_name",
                    hint: "Name the list that its entries go into.")
            }
            entities.append(.object(entity))
        }
        return entities.isEmpty ? nil : entities
    }
}

/// The rule for the ids of forms.
enum FormID {
    private static let longest = 63

    /// The nearest id to a text that may be none.
    static func mended(_ text: String) -> String {
        var bytes = text.utf8.map { byte -> UInt8 in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: byte
            default: UInt8(ascii: "-")
            }
        }
        let first = bytes.first ?? 0
        if !(0x41...0x5A).contains(first), !(0x61...0x7A).contains(first) {
            bytes = Array("form-".utf8) + bytes
        }
        let id = String(decoding: bytes.prefix(longest), as: UTF8.self)
        return id.lowercased().hasPrefix("sqlite_") ? String(("form-" + id).prefix(longest)) : id
    }
}
