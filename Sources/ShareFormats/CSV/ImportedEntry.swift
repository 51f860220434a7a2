package import ShareCore

/// A row of a CSV file as values of a form.
package struct ImportedEntry: Hashable, Sendable {
    /// The line where the row starts, from 1.
    package let line: Int
    /// From the column `_id`: the row updates that record.
    package let id: RecordID?
    /// From the column `_author`, as written: whose record it is.
    package let author: String?
    /// As many as `form.stored`; absent where the cell is empty or the file has no such column.
    package let values: [FieldValue]
}
