/// The answer to `import`: where `rejected` is not empty, nothing was written, or with `keep_good` the
/// other rows alone.
package struct ImportAnswer: Codable, Hashable, Sendable {
    package var added: Int
    package var updated: Int
    /// The first of the entries that are updated, in the order of the file: at most
    /// `ControlLimits.rowErrors`.
    package var changes: [ImportChange]
    package var unchanged: Int
    /// Rows left alone, as their entries were changed after the file was written.
    package var older: Int
    /// Rows left out, as their entries were deleted.
    package var deleted: Int
    /// At most `ControlLimits.rowErrors`.
    package var rejected: [RowError]
    /// All of them.
    package var rejectedCount: Int
    /// Rows of the file, and those of them that were rejected.
    package var rows: Int
    package var rejectedRows: Int
    /// The header and the rejected rows as CSV, where good rows are kept; else null.
    package var rejectedCSV: String?
    /// Values that are kept and that the form flags: at most `ControlLimits.rowErrors`, and all.
    package var warnings: [RowError]
    package var warningCount: Int
    /// Rows that were added, or would be, although their key is there already.
    package var duplicates: ImportDuplicates
    /// How the cells are written that could not be read as they stand; null where there are none.
    package var guess: ImportGuess?
    /// Whether it was only asked what would be done.
    package var isDryRun: Bool

    package init(
        added: Int, updated: Int, changes: [ImportChange] = [], unchanged: Int, older: Int = 0,
        deleted: Int = 0,
        rejected: [RowError], rejectedCount: Int, rows: Int = 0, rejectedRows: Int = 0,
        rejectedCSV: String? = nil,
        warnings: [RowError] = [], warningCount: Int = 0,
        duplicates: ImportDuplicates = ImportDuplicates(), guess: ImportGuess? = nil,
        isDryRun: Bool = false
    ) {
        self.guess = guess
        self.added = added
        self.updated = updated
        self.changes = changes
        self.unchanged = unchanged
        self.older = older
        self.deleted = deleted
        self.rejected = rejected
        self.rejectedCount = rejectedCount
        self.rows = rows
        self.rejectedRows = rejectedRows
        self.rejectedCSV = rejectedCSV
        self.warnings = warnings
        self.warningCount = warningCount
        self.duplicates = duplicates
        self.isDryRun = isDryRun
    }
}

/// An entry that an import changes, and how.
package struct ImportChange: Codable, Hashable, Sendable {
    /// Where its row begins in the file.
    package var line: Int
    package var id: String
    /// What the form's key called it before; nil without one.
    package var key: String?
    /// The first fields, in the order of the form: at most `fieldsNamed`.
    package var changes: [ShownChange]
    /// How many fields of it are changed.
    package var changeCount: Int

    package static let fieldsNamed = 8
    /// A value of any length is told in so many bytes.
    package static let shownBytes = 60

    package init(
        line: Int, id: String, key: String?, changes: [ShownChange], changeCount: Int
    ) {
        (self.line, self.id, self.key) = (line, id, key)
        (self.changes, self.changeCount) = (changes, changeCount)
    }
}

/// How a file writes its dates and numbers, by the shape of those cells that could not be read as
/// they stand.
package struct ImportGuess: Codable, Hashable, Sendable {
    /// The orders in which each of its dates can be read: `dmy`, `mdy`.
    package var dates: [String]
    /// The first date that is another day in each of two orders; null where only one suits all.
    package var openDate: OpenDate?
    /// Whether all of its numbers can be read with a decimal comma, and one at least in no other way.
    package var decimalComma: Bool
    /// Whether some are none with a decimal comma, or others: then no table beside this one has it.
    package var excludesDecimalComma: Bool

    package struct OpenDate: Codable, Hashable, Sendable {
        package var line: Int
        package var column: String
        package var cell: String
        /// The day that it is in each order.
        package var dmy: String
        package var mdy: String

        package init(line: Int, column: String, cell: String, dmy: String, mdy: String) {
            (self.line, self.column, self.cell) = (line, column, cell)
            (self.dmy, self.mdy) = (dmy, mdy)
        }
    }

    package init(
        dates: [String], openDate: OpenDate? = nil, decimalComma: Bool,
        excludesDecimalComma: Bool = false
    ) {
        (self.dates, self.openDate, self.decimalComma) = (dates, openDate, decimalComma)
        self.excludesDecimalComma = excludesDecimalComma
    }

    /// What several tables of one file allow together; nil where none of them says anything.
    package init?(_ tables: [ImportGuess?]) {
        let known = tables.compactMap(\.self)
        guard !known.isEmpty else { return nil }
        let dated = known.filter { !$0.dates.isEmpty || $0.openDate != nil }
        let dates = dated.dropFirst().reduce(dated.first?.dates ?? []) { shared, one in
            shared.filter(one.dates.contains)
        }
        let excludes = known.contains(where: \.excludesDecimalComma)
        self.init(
            dates: dates, openDate: dates.count > 1 ? dated.lazy.compactMap(\.openDate).first : nil,
            decimalComma: !excludes && known.contains(where: \.decimalComma),
            excludesDecimalComma: excludes)
    }
}

/// Rows of a file that were added although their key is there already, or nearly, by where it is.
package struct ImportDuplicates: Codable, Hashable, Sendable {
    /// In another row of the file.
    package var inFile: Int
    /// In entries of this device.
    package var own: Int
    /// In entries of other devices.
    package var others: Int
    /// In neither, but one that differs in upper and lower case alone.
    package var alike: Int
    /// The first of these keys: at most `keysNamed`.
    package var keys: [String]

    package static let keysNamed = 5

    package init(
        inFile: Int = 0, own: Int = 0, others: Int = 0, alike: Int = 0, keys: [String] = []
    ) {
        self.alike = alike
        self.inFile = inFile
        self.own = own
        self.others = others
        self.keys = keys
    }
}

/// One place in a file that could not be taken, and why.
package struct RowError: Codable, Hashable, Sendable {
    /// The line on which the row starts, counted from 1; the header is line 1.
    package var line: Int
    /// The name of the column; nil where the whole row is at fault.
    package var column: String?
    package var reason: String
    /// Advice, where there is some.
    package var hint: String?

    package init(line: Int, column: String?, reason: String, hint: String? = nil) {
        self.line = line
        self.column = column
        self.reason = reason
        self.hint = hint
    }
}
