internal import JSON

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
