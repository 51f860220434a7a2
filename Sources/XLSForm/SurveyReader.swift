internal import JSON
internal import ShareFormats
internal import Spreadsheet

/// Reads the rows of the survey sheet into fields, groups and repeats.
struct SurveyReader {
    let sheet: FormSheet
    let defaultLanguage: String?
    private(set) var lists: [ChoiceList]
    private let listIndex: [String: Int]
    private let hasAllLists: Bool
    /// The lists whose names are known to be fit, or unfit, to stand side by side.
    private var checked: Set<String> = []
    var issues: FormIssues
    /// The groups that are open, outermost first; the first stands for the form.
    var open: [Section] = [Section(json: JSONObject(), container: nil, row: nil)]
    /// How many fields and groups have a name.
    var names: [String: Int] = ["instanceID": 1]
    /// The rows of questions, groups and repeats by their names in the form.
    private(set) var rows: [String: Row] = [:]
    /// The same by their places among the fields of the form, and of each group around them.
    private(set) var rowsInOrder: [[Int]: Row] = [:]
    /// Where which names are referred to.
    var references: [(place: SheetPosition, name: String)]

    struct Section {
        var json: JSONObject
        let container: RowType.Container?
        let row: Row?
        var fields: [JSONValue] = []
        var names: Set<String> = []
        /// In lower case, with the name as written.
        var folded: [String: String] = [:]
        /// Of the form and a repeat the columns of its table, in lower case.
        var columns: Set<String> = []
    }

    init(
        _ sheet: FormSheet, _ lists: [ChoiceList], areAll hasAllLists: Bool, _ issues: FormIssues,
        _ references: [(place: SheetPosition, name: String)], _ defaultLanguage: String?
    ) {
        self.sheet = sheet
        self.lists = lists
        self.hasAllLists = hasAllLists
        listIndex = Dictionary(lists.enumerated().map { ($1.name, $0) }) { first, _ in first }
        self.issues = issues
        self.references = references
        for choice in lists.flatMap(\.choices) {
            let media = choice.json["media"]?.object?.members ?? []
            for value in [choice.json["label"]] + media.map(\.value) {
                for (_, text) in Localized.texts(value) where text.contains("${") {
                    self.references += References(text).names.map { (choice.place, $0) }
                }
            }
        }
        self.defaultLanguage = defaultLanguage
    }

    static func isYes(_ text: String) -> Bool { truths.contains(text) }
    /// The plain truth value that a cell holds; nil for a condition.
    static func truth(_ text: String) -> Bool? {
        isYes(text) ? true : untruths.contains(text) ? false : nil
    }

    private static let truths = ["yes", "Yes", "YES", "true", "True", "TRUE", "true()"]
    static let untruths = ["no", "No", "NO", "false", "False", "FALSE", "false()"]

    mutating func fields() -> [JSONValue] {
        for row in sheet.rows where open.count <= XLSFormLimits.depth + 1 { read(row) }
        while open.count > 1 {
            let section = open.removeLast()
            issues.add(
                .error, sheet.place(section.row, "type"),
                "this \(section.container?.rawValue ?? "group") is never ended",
                hint: "Add a row with the type end \(section.container?.rawValue ?? "group").")
        }
        for (place, name) in references where names[name] != 1 {
            let count = names[name] ?? 0
            issues.add(
                count == 0 ? .error : .warning, place,
                count == 0
                    ? "there is no question \(name)"
                    : "${\(name)} could be any of \(count) questions of that name",
                hint: count == 0
                    ? Suggestion.hint(
                        for: name, among: names.keys.sorted(), otherwise: "Name a question.")
                    : "Give each its own name.")
        }
        for index in lists.indices { lists[index].settle(defaultLanguage) }
        return open[0].fields.map { settled($0) }
    }

    private mutating func read(_ row: Row) {
        guard !SurveyReader.isYes(sheet.text("disabled", row)) else { return }
        let type = sheet.text("type", row)
        guard !type.isEmpty else {
            let isComment = sheet.headers.allSatisfy { header in
                ![.column("name"), .column("label")].contains(header.meaning)
                    || FormSheet.clean(row[header.number]).isEmpty
            }
            if !isComment {
                issues.add(
                    .error, sheet.place(row, "type"), "the question has no type",
                    hint: "For instance text, integer, or select_one with a list.")
            }
            return
        }
        switch RowType(type) {
        case .loop:
            issues.add(
                .error, sheet.place(row, "type"), "loops over choices are not supported",
                hint: "Write a repeat, or a group for each choice.")
        case .begin(let container):
            if open.count == XLSFormLimits.depth + 1 {
                issues.add(
                    .error, sheet.place(row, "type"),
                    "more than \(XLSFormLimits.depth) groups and repeats within each other",
                    hint: "End some before this row.")
            }
            let name = name(of: row, type: container.rawValue)
            if container == .repeat { takeColumn(name) }
            var json: JSONObject = ["name": .string(name), "type": .string(container.rawValue)]
            rows[name] = rows[name] ?? row
            rowsInOrder[open.map(\.fields.count)] = row
            addCells(of: row, to: &json)
            open.append(Section(json: json, container: container, row: row))
        case .end(let container): end(container, row)
        case .question(let type, let list, let orOther):
            question(type, list, orOther, row)
        }
    }

    private mutating func end(_ container: RowType.Container, _ row: Row) {
        let hint = "Each begin needs its end, of the same kind, the inner first."
        guard open.count > 1, let section = open.popLast(), let begun = section.container else {
            issues.add(
                .error, sheet.place(row, "type"), "this ends a \(container) that nothing begins",
                hint: hint)
            return
        }
        if begun != container {
            issues.add(
                .error, sheet.place(row, "type"),
                "this ends a \(container), and row \(section.row?.number ?? 0) begins a \(begun)",
                hint: hint)
        }
        var json = section.json
        json["fields"] = .array(section.fields)
        open[open.count - 1].fields.append(.object(json))
    }

    private mutating func question(
        _ type: String, _ list: String?, _ orOther: Bool, _ row: Row
    ) {
        var type = type
        var list = list
        if !RowType.names.contains(type) {
            issues.add(
                .warning, sheet.place(row, "type"),
                "type \(type) is not known and kept as text",
                hint: Suggestion.nearest(to: type, among: RowType.names)
                    .map { "Did you mean \($0)?" } ?? "Other programs may know it.")
        }
        if type == "select_one_external" {
            issues.add(
                .warning, sheet.place(row, "type"), "select_one_external is read as select_one",
                hint: "Its choices are part of the form here.")
            type = "select_one"
            let external = list.map(XLSFormReader.external)
            if let external, listIndex[external] != nil { list = external }
        }
        let name = name(of: row, type: type)
        let column = column(for: name, row)
        rows[column] = rows[column] ?? row
        rows[name] = rows[name] ?? row
        var json: JSONObject = ["name": .string(column), "type": .string(type)]
        var known = list
        if let list, RowType.hasChoices(type) {
            known = listName(list, type, row)
        } else if list == nil, RowType.hasChoices(type) {
            issues.add(
                .error, sheet.place(row, "type"), "\(type) needs a list",
                hint: "Write it after the type: \(type) yes_no.")
        }
        if let known { json["list"] = .string(known) }
        addCells(of: row, to: &json)
        if type == "range" { json["parameters"] = RangeParameters.read(json["parameters"]) }
        if case .object(var extras) = json["x"], let file = extras["list"] {
            json["list"] = file
            extras["list"] = nil
            json["x"] = extras.members.isEmpty ? nil : .object(extras)
        }
        if column != name {
            var extras = json["x"]?.object ?? JSONObject()
            extras["node"] = .string(name)
            json["x"] = .object(extras)
        }
        rowsInOrder[open.map(\.fields.count)] = row
        open[open.count - 1].fields.append(.object(json))
        if orOther { addOther(name, known, row) }
    }

    /// The list as the form knows it; words that stand apart may be meant as one.
    private mutating func listName(_ written: String, _ type: String, _ row: Row) -> String {
        let names = References(written).names
        references += names.map { (sheet.place(row, "type"), $0) }
        if type.hasSuffix("_from_file") || !names.isEmpty { return written }
        let joined = written.split(separator: " ").joined(separator: "_")
        for name in [written, joined] where listIndex[name] != nil {
            if type != "select_one", checked.insert(name).inserted { checkForSeveral(name, row) }
            return name
        }
        // A file in place of a list is meant as one by forms of old.
        if [".csv", ".xml", ".geojson"].contains(where: { written.hasSuffix($0) }) {
            return written
        }
        // Where the lists could not be read, that is told, and is the reason.
        guard hasAllLists else { return written }
        issues.add(
            .error, sheet.place(row, "type"), "there is no list \(written)",
            hint: Suggestion.hint(
                for: written, among: lists.map(\.name),
                otherwise: "Write its choices in the sheet choices."))
        return written
    }

    private mutating func checkForSeveral(_ name: String, _ row: Row) {
        let choices = listIndex[name].map { lists[$0].choices } ?? []
        guard let spaced = choices.first(where: { $0.name.contains(" ") }) else { return }
        issues.add(
            .error, spaced.place, "choice \(spaced.name) of list \(name) has a space",
            hint: "Row \(row.number) of survey chooses several, which stand side by side: "
                + "write_it_like_this.")
    }

    private mutating func addOther(_ name: String, _ list: String?, _ row: Row) {
        guard let list, let index = listIndex[list] else { return }
        lists[index].addOther(sheet.place(row, "type"))
        let other = "\(name)_other"
        take(other, row)
        let column = column(for: other, row)
        for name in [column, other] { rows[name] = rows[name] ?? row }
        rowsInOrder[open.map(\.fields.count)] = row
        var json: JSONObject = [
            "name": .string(column), "type": "text", "label": "Specify other.",
            "relevant": .string("selected(../\(name), 'other')"),
        ]
        if column != other { json["x"] = ["node": .string(other)] }
        open[open.count - 1].fields.append(.object(json))
    }
}
