import JSON
import ShareControl
import ShareCore
import ShareCrypto
import ShareFormats
import ShareForms
import ShareStore

/// Reviews and comments of records.
struct RemarksService: Sendable {
    let editor: RecordsEditor

    /// Gives a record a review's state.
    ///
    /// - Returns: also what to say where two people's values of it wait for a decision.
    func review(
        _ entry: EntrySelector, in room: OpenRoom, _ request: ReviewRequest
    ) async throws -> (answer: RemarkAnswer, notices: [String]) {
        guard let state = ReviewState(typed: request.state) else {
            let known = ReviewState.allCases.map(\.rawValue)
            throw Problem(
                .badRequest, "no review state \"\(request.state.prefix(80))\"",
                hint: Suggestion.hint(
                    for: request.state, among: known,
                    otherwise: "There are " + known.joined(separator: ", ") + "."))
        }
        let note = try request.comment.map(Self.remark)
        return try await editor.change(entry, in: room, for: .review) { detail, schema, _ in
            RecordsEditor.Change(
                operations: [.review(detail.name, state: state.rawValue, note: note)],
                state: state.rawValue,
                answer: (
                    answer: RemarkAnswer(on: detail, schema, state: state.rawValue),
                    notices: Self.inConflict(detail, schema)
                ))
        }
    }

    private static func inConflict(_ detail: RecordDetail, _ schema: FormSchema) -> [String] {
        let fields = detail.conflicts.map { schema.name(of: $0.field) }
        guard !fields.isEmpty else { return [] }
        return [
            "the entry is in conflict, in \(Sentence.list(fields)): shared conflicts shows what others"
                + " have there"
        ]
    }

    /// Adds a remark to a record.
    func comment(
        _ entry: EntrySelector, in room: OpenRoom, _ request: CommentRequest
    ) async throws -> RemarkAnswer {
        let text = try Self.remark(request.text)
        return try await editor.change(entry, in: room, for: .review) { detail, schema, _ in
            RecordsEditor.Change(
                operations: [.comment(detail.name, text: text)],
                answer: RemarkAnswer(on: detail, schema, state: detail.review?.state))
        }
    }

    /// Bytes of a comment: a page of text, not a document.
    private static let longestRemark = 16 << 10

    private static func remark(_ text: String) throws -> String {
        guard text.utf8.count <= longestRemark else {
            throw Problem(
                .badRequest, "the comment is longer than \(longestRemark >> 10) KiB",
                hint: "Say it shorter.")
        }
        guard text.contains(where: { !$0.isWhitespace }) else {
            throw Problem(.badRequest, "the comment is empty", hint: "Say something: TEXT.")
        }
        return text
    }
}

extension RemarkAnswer {
    /// - Parameter state: of the review, as it is now.
    init(on detail: RecordDetail, _ schema: FormSchema, state: String?) {
        self.init(
            id: detail.name.id.text, form: detail.name.form, key: schema.name(of: detail.values),
            state: state)
    }
}
