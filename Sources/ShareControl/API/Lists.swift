/// One list of choices of a room.
package struct ListAnswer: Codable, Hashable, Sendable {
    package var name: String
    package var rows: Int
    package var columns: [String]
    /// The forms that use it.
    package var forms: [String]
    /// That people have changed it at once; nil where nobody has, or it was changed since.
    package var parallel: ParallelList?

    package init(
        name: String, rows: Int, columns: [String], forms: [String],
        parallel: ParallelList? = nil
    ) {
        self.name = name
        self.rows = rows
        self.columns = columns
        self.forms = forms
        self.parallel = parallel
    }
}

/// Versions of one list with other content that devices made at once: neither had seen the other's,
/// and nobody has added one since.
package struct ParallelList: Codable, Hashable, Sendable {
    package var list: String
    package var inForce: ListVersionAnswer
    /// The latest first.
    package var others: [ListVersionAnswer]

    package init(list: String, inForce: ListVersionAnswer, others: [ListVersionAnswer]) {
        self.list = list
        self.inForce = inForce
        self.others = others
    }
}

/// A version of a list, and who made it when.
package struct ListVersionAnswer: Codable, Hashable, Sendable {
    /// 0 where the list was taken away.
    package var rows: Int
    package var by: NamedDevice
    /// RFC 3339, by that device's own clock.
    package var at: String

    package init(rows: Int, by: NamedDevice, at: String) {
        self.rows = rows
        self.by = by
        self.at = at
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
