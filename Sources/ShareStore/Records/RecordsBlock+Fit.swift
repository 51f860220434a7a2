package import ShareCore

extension RecordsBlock.Kind {
    /// The word for it in histories and in lists of refused operations.
    package var word: String {
        switch self {
        case .put: "put"
        case .edit: "edit"
        case .delete: "delete"
        case .restore: "restore"
        case .review: "review"
        case .comment: "comment"
        }
    }
}

extension RecordsBlock {
    /// The first field of a row whose value is not of its type; nil if all are.
    func misfit(row: Int, _ fields: [FormField]) -> String? {
        switch kind {
        case .put, .edit:
            for (column, field) in fields.enumerated()
            where !field.type.accepts(cells[row * width + column], in: storage) {
                return field.name
            }
            return nil
        case .delete, .restore: return nil
        case .review, .comment:
            for column in 0..<width {
                switch cells[row * width + column] {
                case .text, .absent: continue
                case .integer, .decimal: return kind.word
                }
            }
            return nil
        }
    }
}
