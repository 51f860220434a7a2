package import ShareCore
package import ShareFormats

/// The answers of an entry, or of one repetition of a repeat in it.
package struct Answers: Hashable, Sendable {
    /// One for each field, in the order of `Form.fields` or `Form.Repeat.fields`; nil where nobody
    /// has said anything yet, absent where an answer was taken away.
    package var fields: [FieldValue?]
    /// One for each repeat that lies directly in it, in the order of the form: its repetitions.
    package var repeats: [[Answers]]
    /// Whether it is a repetition that is not asked, which only keeps its place here.
    package var isLeftOut = false
    /// The row of the store that a repetition is; nil for one that is in none yet.
    package var row: RecordID?
    /// Whether it is a row that comes with a file: what the file does not say begins with its default.
    package var isNew = false

    package init(fields: [FieldValue?] = [], repeats: [[Answers]] = []) {
        self.fields = fields
        self.repeats = repeats
    }
}

extension Form {
    /// The repeats that lie directly in the form, or in the repeat of these names, in its order:
    /// those of `Answers.repeats`.
    package func repeats(in names: [String] = []) -> [Repeat] {
        repeats.filter { $0.names.count == names.count + 1 && $0.names.starts(with: names) }
    }
}
