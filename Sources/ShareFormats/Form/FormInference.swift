package import JSON
internal import ShareCore

/// Proposes a form for a table that people have: its types, choices, what is required and what
/// tells one row from another, from all rows.
package struct FormInference {
    /// Rows read, without the header.
    package private(set) var rows = 0
    /// Notes for people to look at.
    package private(set) var notes: [String] = []
    private var columns: [Column] = []

    package init() {}

    /// Reads the whole file.
    package mutating func read(_ bytes: [UInt8]) throws(CSVError) {
        var reader = CSVReader()
        var table: [[String]] = []
        try reader.read(bytes) { table.append($0.cells) }
        try reader.finish { table.append($0.cells) }
        columns = (table.first ?? []).map { Column(title: ValueReader.trimmed($0)) }
        for row in table.dropFirst() {
            rows += 1
            for (place, cell) in row.prefix(columns.count).enumerated() {
                columns[place].take(ValueReader.trimmed(cell))
            }
        }
    }

    /// The proposal as JSON; nil where no column has a name.
    package mutating func form(formID: String) -> JSONObject? {
        var fields: [JSONValue] = []
        var lists = JSONObject()
        var taken: Set<[UInt8]> = []
        var key: String?
        for (place, column) in columns.enumerated() {
            guard !column.title.isEmpty, !column.isSystem else { continue }
            let name = FormInference.name(column.title, place, &taken)
            var field: JSONObject = ["name": .string(name)]
            let type = column.type(rows: rows)
            field["type"] = .string(type.name)
            if name != column.title { field["label"] = .string(column.title) }
            if let choices = column.choices(rows: rows) {
                field["type"] = "select_one"
                field["list"] = .string(name)
                lists[name] = .array(choices.map { .string($0) })
                notes.append("\(name): \(choices.count) choices, as they stand in the file")
            }
            if column.blank == 0, rows > 0 { field["required"] = .bool(true) }
            if column.isPercent(rows: rows) { field["x"] = ["unit": "%"] }
            if key == nil, column.tells(rows: rows), type == .integer || type == .text {
                key = name
            }
            fields.append(.object(field))
        }
        guard !fields.isEmpty else { return nil }
        var form: JSONObject = ["form_id": .string(formID)]
        if let key {
            form["key"] = .array([.string(key)])
            notes.append("\(key) is taken for what tells one row from another")
        } else if rows > 0 {
            notes.append("no column tells one row from another: name the fields of the key")
        }
        form["fields"] = .array(fields)
        if !lists.members.isEmpty { form["lists"] = .object(lists) }
        return form
    }

    /// A header as the name of a field; where it cannot be one, the nearest.
    private static func name(
        _ title: String, _ place: Int, _ taken: inout Set<[UInt8]>
    ) -> String {
        var name = title
        if FormNames.fault(ofField: name) != nil {
            let kept = title.unicodeScalars.map { scalar -> Character in
                scalar.properties.isAlphabetic || scalar.properties.numericType != nil
                    ? Character(scalar) : "_"
            }
            name = String(String(kept).drop { $0 == "_" })
            while name.utf8.count > FormLimits.nameBytes { name.removeLast() }
            if FormNames.fault(ofField: name) != nil { name = "column_\(place + 1)" }
        }
        let plain = name
        var number = 2
        while !taken.insert(FormNames.folded(name)).inserted {
            name = "\(plain.prefix(50))_\(number)"
            number += 1
        }
        return name
    }
}

/// The properties that a column's cells have in common.
private struct Column {
    let title: String
    private(set) var blank = 0
    private var filled = 0
    private var integers = 0
    private var decimals = 0
    private var percents = 0
    private var dates = 0
    private var times = 0
    private var moments = 0
    private var longest = 0
    private var leadingZeros = 0
    /// Different values, up to a bound; and how often each stands there.
    private var values: [String: Int] = [:]
    private var order: [String] = []
    private var isUnique = true
    private var seen: Set<[UInt8]> = []

    static let mostChoices = 20
    static let longestChoice = 60

    init(title: String) { self.title = title }

    /// Columns that an export has beside the fields.
    var isSystem: Bool { title.hasPrefix("_") || title == "KEY" || title == "PARENT_KEY" }

    mutating func take(_ cell: String) {
        guard !cell.isEmpty else {
            blank += 1
            return
        }
        filled += 1
        longest = max(longest, cell.utf8.count)
        let number = cell.hasSuffix("%") ? String(cell.dropLast()) : cell
        if number != cell { percents += 1 }
        if Int64(number) != nil {
            integers += 1
            // An id or a phone number: the zero in front belongs to it.
            let digits = number.hasPrefix("-") ? number.dropFirst() : number[...]
            if digits.count > 1, digits.hasPrefix("0") { leadingZeros += 1 }
            if digits.hasPrefix("+") { leadingZeros += 1 }
        } else if Double(number)?.isFinite == true, number.utf8.allSatisfy({ $0 != 120 }) {
            decimals += 1
        }
        let utf8 = cell.utf8
        if CalendarText.isDate(utf8) { dates += 1 }
        if CalendarText.isTime(utf8) { times += 1 }
        if CalendarText.isDateTime(utf8) { moments += 1 }
        if isUnique { isUnique = seen.insert(Array(utf8)).inserted }
        if !isUnique { seen = [] }
        if values.count <= Column.mostChoices {
            if values[cell] == nil { order.append(cell) }
            values[cell, default: 0] += 1
        }
    }

    func type(rows: Int) -> FieldKind {
        guard filled > 0, leadingZeros == 0, percents == 0 || percents == filled else {
            return .text
        }
        if integers == filled { return .integer }
        if integers + decimals == filled { return .decimal }
        if dates == filled { return .date }
        if times == filled { return .time }
        if moments == filled { return .dateTime }
        return .text
    }

    func isPercent(rows: Int) -> Bool { filled > 0 && percents == filled }

    /// Few texts that come again and again.
    func choices(rows: Int) -> [String]? {
        guard type(rows: rows) == .text, values.count >= 2, values.count <= Column.mostChoices,
            filled >= 3 * values.count, longest <= Column.longestChoice
        else { return nil }
        return order
    }

    /// Whether each row has a value of its own.
    func tells(rows: Int) -> Bool { rows > 1 && blank == 0 && isUnique && longest <= 60 }
}
