/// One list of choices of a room.
package struct ListAnswer: Codable, Hashable, Sendable {
    package var name: String
    package var rows: Int
    package var columns: [String]
    /// The forms that use it.
    package var forms: [String]

    package init(name: String, rows: Int, columns: [String], forms: [String]) {
        self.name = name
        self.rows = rows
        self.columns = columns
        self.forms = forms
    }
}

/// The answer to adding a list or a new version of it.
package struct ListAddedAnswer: Codable, Hashable, Sendable {
    package var name: String
    /// `added`, `updated`, `unchanged` or `removed`.
    package var change: String
    package var rows: Int
    package var columns: [String]
    /// Rows of the version before.
    package var rowsBefore: Int?
    /// Forms of the room that use it.
    package var forms: [String]
    package var warnings: [String]

    package init(
        name: String, change: String, rows: Int, columns: [String], rowsBefore: Int?,
        forms: [String], warnings: [String]
    ) {
        self.name = name
        self.change = change
        self.rows = rows
        self.columns = columns
        self.rowsBefore = rowsBefore
        self.forms = forms
        self.warnings = warnings
    }
}

/// Some rows of a list.
package struct ListRowsAnswer: Codable, Hashable, Sendable {
    package var name: String
    package var columns: [String]
    /// Rows of the whole list.
    package var rows: Int
    /// Rows that were asked for; not all of them may be here.
    package var count: Int
    /// The cells of each, in the order of the columns.
    package var cells: [[String]]

    package init(name: String, columns: [String], rows: Int, count: Int, cells: [[String]]) {
        self.name = name
        self.columns = columns
        self.rows = rows
        self.count = count
        self.cells = cells
    }
}
