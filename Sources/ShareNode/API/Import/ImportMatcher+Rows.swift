import ShareCore
import ShareCrypto
import ShareStore

/// What becomes of rows and of records.
extension ImportMatcher {
    /// A row that is left alone, as its entry was changed after the file was written.
    struct Older: Sendable {
        let line: Int
        /// What the entry is called, or the end of its id.
        let name: String
    }

    /// A row of which nothing is written, as its entry was deleted.
    struct LeftOut: Sendable {
        let line: Int
        let id: RecordID
        /// The form's key, where the row names its entry by that.
        var key: String?
    }

    /// What becomes of a record.
    struct Edit: Sendable {
        let row: Int
        let name: RecordName
        /// Positions among the file's fields.
        var changed: [Int]
        /// What the form computes from it, by the fields of the form.
        var computed: [Int: FieldValue] = [:]
        /// What it does to rows of the record's repeats.
        var rows: [LocalChange] = []
        /// Whether the record is another one by now than when the file was written.
        var isOlder = false
        /// Whether the record is on this device alone, as its role does not allow it.
        var isWithheld = false
        /// Whether the file knows of the record's last change.
        var isKnown = false
        /// Positions of all cells that say another thing than the record.
        var differing: [Int] = []
        /// Those of them that say what it said before: they are left alone.
        var left: [Int] = []
        /// What cells stand for beside the record's own values, by their positions.
        var meant: [Int: FieldValue] = [:]
        /// Fields of the form whose cells have choices that are not offered any more, and no others
        /// of these than the record.
        var kept: Set<Int> = []
        /// Those whose cells several choices are called, of which the other answers leave one.
        var settled: Set<Int> = []

        /// What is written: the cells that change it, but for what the form computes, and that.
        ///
        /// - Parameters:
        ///   - cells: those of its row.
        ///   - fields: what they are.
        func writes(_ cells: [FieldValue], of fields: [Int]) -> [LocalChange.FieldChange] {
            let written = changed.map {
                LocalChange.FieldChange(field: fields[$0], value: meant[$0] ?? cells[$0])
            }
            return written.filter { computed[$0.field] == nil }
                + computed.sorted { $0.key < $1.key }.map {
                    LocalChange.FieldChange(field: $0.key, value: $0.value)
                }
        }
    }
}
