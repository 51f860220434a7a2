package import JSON
internal import ShareCore

/// Proposes a form for a table that people have: its types, choices, what is required and what
/// tells one row from another, from all rows.
package struct FormInference {
    /// Rows read, without the header.
    package private(set) var rows = 0
    /// Notes for people to look at.
    package private(set) var notes: [String] = []
    private var columns: [InferredColumn] = []
    private var habits = CellReading.Habits(dates: nil, hasComma: false)
    /// Where no column tells one row from another.
    private var pair: InferredPair?
    /// The rows that the columns are judged by.
    private var read = 0
    /// How the file writes dates and numbers, as far as somebody has said it.
    private let saidDates: CSVHabits.DateOrder?
    private let saidComma: Bool?

    /// - Parameters:
    ///   - dates: the order in the file's dates; nil where nobody has said it.
    ///   - hasDecimalComma: likewise.
    package init(dates: CSVHabits.DateOrder? = nil, hasDecimalComma: Bool? = nil) {
        (saidDates, saidComma) = (dates, hasDecimalComma)
    }

    /// Reads the whole file.
    package mutating func read(_ bytes: [UInt8]) throws(CSVError) {
        var reader = CSVReader()
        var table: [(line: Int, cells: [String])] = []
        try reader.read(bytes) { table.append(($0.line, $0.cells)) }
        try reader.finish { table.append(($0.line, $0.cells)) }
        let cells = CellReading.Reader()
        let header = table.first?.cells ?? []
        columns = header.map { InferredColumn(title: ValueReader.trimmed($0)) }
        rows = max(0, table.count - 1)
        let ragged = table.dropFirst().filter { $0.cells.count != header.count }
        // What stands in a wrong column says nothing of it, unless that is all there is.
        let isSound = ragged.count * 2 <= rows
        read = isSound ? rows - ragged.count : rows
        for row in table.dropFirst() where !isSound || row.cells.count == header.count {
            for (index, cell) in row.cells.prefix(columns.count).enumerated() {
                columns[index].take(ValueReader.trimmed(cell), cells)
            }
        }
        if let first = ragged.first {
            notes.append(
                "\(ragged.count) of \(rows) rows have other cells than the header, the first in line"
                    + " \(first.line) (\(first.cells.count), and the header \(header.count)), and an"
                    + " import refuses them: is there a separator in a cell without quotes?")
        }
        habits = findHabits()
        guard !columns.contains(where: isKey) else { return }
        let sound = table.dropFirst().filter { !isSound || $0.cells.count == header.count }
            .map(\.cells)
        // Of rows that are all wrong not each has every cell.
        guard sound.allSatisfy({ $0.count >= header.count }) else { return }
        pair = InferredPair(of: columns.indices.filter { mayBeInKey(columns[$0]) }, in: sound)
    }

    /// Whether a column alone can be the key.
    private func isKey(_ column: InferredColumn) -> Bool {
        let type = column.type(habits)
        return mayBeInKey(column) && column.tells(rows: read) && (type == .integer || type == .text)
    }

    /// Whether a column can be one of those of a key: a value in each row that people can tell and type.
    private func mayBeInKey(_ column: InferredColumn) -> Bool {
        !column.title.isEmpty && !column.isSystem && column.blank == 0 && !column.isLong
            && !column.isPercent && column.unknown(habits) == nil
            && column.type(habits) != .decimal
    }

    /// The proposal as JSON; nil where no column has a name.
    package mutating func form(formID: String) -> JSONObject? {
        var fields: [JSONValue] = []
        var lists = JSONObject()
        var taken: Set<[UInt8]> = []
        var keys: [String] = []
        var names: [Int: String] = [:]
        for (index, column) in columns.enumerated() {
            guard !column.title.isEmpty, !column.isSystem else { continue }
            let name = FormInference.name(column.title, index, &taken)
            names[index] = name
            var field: JSONObject = ["name": .string(name)]
            let type = column.type(habits)
            field["type"] = .string(type.name)
            if name != column.title { field["label"] = .string(column.title) }
            if let words = column.yesAndNo {
                let list = FormInference.list(of: words)
                field["type"] = "select_one"
                field["list"] = .string(FormInference.name(of: list, &lists))
                notes.append(
                    "\(name): yes and no, which the file calls \(words.yes) and \(words.no)")
            } else if let choices = column.choices(habits) {
                field["type"] = "select_one"
                field["list"] = .string(name)
                lists[name] = .array(choices.map { .string($0) })
                notes.append("\(name): \(choices.count) choices, as they stand in the file")
            }
            let unknown = column.unknown(habits)
            if let unknown { notes.append("\(name): \(unknown)") }
            if column.hasLongNumbers {
                notes.append(
                    "\(name): text, as its numbers have more digits than a program can be trusted"
                        + " to keep")
            }
            if column.blank == 0, read > 0 { field["required"] = .bool(true) }
            if column.isPercent { field["x"] = ["unit": "%"] }
            if isKey(column) { keys.append(name) }
            fields.append(.object(field))
        }
        guard !fields.isEmpty else { return nil }
        if fields.count > FormLimits.fields {
            notes.insert(
                "\(fields.count) columns: a form has at most \(FormLimits.fields) fields, so this one"
                    + " cannot be added; leave columns out, or make several forms", at: 0)
        }
        var form: JSONObject = ["form_id": .string(formID)]
        // What is called so is one; else the first that could be.
        let named = keys.first { name in
            ["id", "key", "code"].contains { word in
                name.lowercased() == word || name.lowercased().hasSuffix("_\(word)")
            }
        }
        if let key = named ?? keys.first {
            form["key"] = .array([.string(key)])
            notes.append("\(key) is taken for what tells one row from another")
        } else if let pair, let left = names[pair.places.0], let right = names[pair.places.1] {
            form["key"] = .array([.string(left), .string(right)])
            notes.append(
                "\(left) and \(right) together are taken for what tells one row from another")
        } else if read > 0 {
            notes.append("no column tells one row from another: name the fields of the key")
        }
        form["fields"] = .array(fields)
        if !lists.members.isEmpty { form["lists"] = .object(lists) }
        return form
    }

    /// The one way to read dates and numbers that all columns allow which need one; what import
    /// has to be told is noted.
    private mutating func findHabits() -> CellReading.Habits {
        var habits = CellReading.Habits(
            dates: saidDates, hasComma: saidComma ?? false)
        if saidComma == nil {
            habits.hasComma = columns.contains(where: \.needsComma)
            for column in columns where !habits.hasComma && column.mayNeedComma {
                let what =
                    column.hasCommas
                    ? "its commas may be decimals or separate thousands" : "its thousands are apart"
                notes.append(
                    "\(column.title): \(what), so it is text; say which: --decimal , or take them"
                        + " out")
            }
        }
        var options: [String] = []
        if saidDates == nil {
            let orders = CSVHabits.DateOrder.allCases.filter { order in
                columns.contains { $0.needs(order) }
            }
            let open = columns.filter(\.needsOrder)
            if orders.count == 1 {
                habits.dates = orders[0]
                options.append("--dates \(orders[0].rawValue)")
            } else if orders.isEmpty, let first = open.first {
                habits.dates = .dmy
                notes.append(
                    "\(first.title): its dates may have the day or the month first; import them with"
                        + " --dates dmy or --dates mdy")
            } else if orders.count > 1 {
                notes.append(
                    "some columns have the day first and others the month: their dates are text")
            }
        }
        if saidComma == nil, habits.hasComma { options.append("--decimal ,") }
        if !options.isEmpty {
            notes.append(
                "read as the whole file allows it; import it with "
                    + options.joined(separator: " "))
        }
        return habits
    }

    /// The choices yes and no, labelled as the file has them.
    private static func list(of words: (yes: String, no: String)) -> JSONValue {
        .array(
            [("yes", words.yes), ("no", words.no)].map { name, label in
                ["name": .string(name), "label": .string(label)]
            })
    }

    /// A list's name: that which it has already, or a new one.
    private static func name(of list: JSONValue, _ lists: inout JSONObject) -> String {
        if let known = lists.members.first(where: { $0.value == list }) { return known.key }
        var name = "yes_no"
        var number = 2
        while lists[name] != nil {
            name = "yes_no_\(number)"
            number += 1
        }
        lists[name] = list
        return name
    }

    /// A header as the name of a field; where it cannot be one, the nearest.
    private static func name(
        _ title: String, _ index: Int, _ taken: inout Set<[UInt8]>
    ) -> String {
        var name = title
        if FormNames.fault(ofField: name) != nil {
            let kept = title.unicodeScalars.map { scalar -> Character in
                scalar.properties.isAlphabetic || scalar.properties.numericType != nil
                    ? Character(scalar) : "_"
            }
            name = String(String(kept).drop { $0 == "_" })
            while name.utf8.count > FormLimits.nameBytes { name.removeLast() }
            if FormNames.fault(ofField: name) != nil { name = "column_\(index + 1)" }
        }
        let plain = name
        var number = 2
        while !taken.insert(FormNames.folded(name)).inserted {
            let ending = "_\(number)"
            name = plain
            while name.utf8.count + ending.utf8.count > FormLimits.nameBytes { name.removeLast() }
            name += ending
            number += 1
        }
        return name
    }
}
