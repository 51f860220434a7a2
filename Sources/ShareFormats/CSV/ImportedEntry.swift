package import ShareCore
internal import ShareCrypto

/// A row of a CSV file as values of a form.
package struct ImportedEntry: Hashable, Sendable {
    /// A cell that cannot be read; or one that the form does not allow, and that an entry may have
    /// all the same, from an earlier version: a choice that was retired, no answer where one is
    /// required.
    package struct Doubt: Hashable, Sendable {
        /// The place in `form.stored`.
        package let field: Int
        package let problem: ImportProblem
        /// Whether what stands there is no value of the field: such a row is wrong in any case.
        package let isUnreadable: Bool

        package init(field: Int, problem: ImportProblem, isUnreadable: Bool = false) {
            self.field = field
            self.problem = problem
            self.isUnreadable = isUnreadable
        }
    }

    /// The values without those that are none of their fields.
    package var readable: [FieldValue] { doubts.readable(values) }

    /// The line where the row starts, from 1.
    package let line: Int
    /// From the column `_id`, else `KEY`: the record that the row updates.
    package let id: RecordID?
    /// Whether the id comes from a `KEY`: then there need not be such a record, and the row adds it.
    package let isNamedByKey: Bool
    /// From the column `_author`, as written: whose record it is.
    package let author: String?
    /// From the column `_updated`, as written: when the entry was changed last, as far as the file
    /// knows.
    package let updated: String?
    /// Of a row of a repeat: the id of the entry that it belongs to.
    package let parentKey: RecordID?
    /// The same as it is written.
    package var parentText = ""
    /// Where `parentKey` is only the entry that a row in a repeat within a repeat lies in: the
    /// `_index` of the row that it belongs to.
    package var parentPlace: Int64?
    /// Of a row of a repeat: whether its table gives it no number, and it has its place there for one.
    package var isUnnumbered = false
    /// As many as `form.stored`; absent where the cell is empty or the file has no such column.
    package var values: [FieldValue]
    /// For each of `values` whether the line says it, where what it leaves out is left alone in an
    /// entry that it changes by its key; else empty.
    package var said: [Bool] = []
    /// They stand in nobody's way where the entry that is there is the same.
    package var doubts: [Doubt] = []
    /// What cells say that an entry may have under another name, as the form, or a list, offered other
    /// choices before: by their places in `form.stored`.
    package var texts: [Int: String] = [:]
    /// The row as it was, in a line of CSV, where good rows are kept; else empty.
    package var raw: [UInt8] = []

    /// The id that a `KEY` stands for: a UUID, with `uuid:` in front or not, is itself; any other
    /// text is hashed, so that it stands for the same one in every file. Nil for an empty one.
    static func id(ofKey text: String) -> RecordID? {
        guard !text.isEmpty else { return nil }
        let plain = text.hasPrefix("uuid:") ? String(text.dropFirst(5)) : text
        return RecordID(text: plain) ?? RecordID(Hash.digest(Array(text.utf8)).bytes.prefix(16))
    }

    /// The id of a row of a repeat that has no name but its place among those of its entry: the same
    /// in every export, whatever other entries it has.
    package static func id(
        ofPlace place: Int64, in form: String, of entry: String
    ) -> RecordID? {
        id(ofKey: "\(entry)\(form.drop { $0 != "/" })[\(place)]")
    }
}

extension [ImportedEntry.Doubt] {
    /// Values of a row without those that are none of their fields.
    package func readable(_ values: [FieldValue]) -> [FieldValue] {
        guard !isEmpty else { return values }
        var values = values
        for doubt in self where doubt.isUnreadable { values[doubt.field] = .absent }
        return values
    }

    /// Whether all cells can be read.
    package var isReadable: Bool { !contains { $0.isUnreadable } }
}
