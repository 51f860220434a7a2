import ShareControl
import ShareCore
import ShareCrypto
import ShareFormats
import ShareStore

/// Settling conflicts, bringing back, reviewing, commenting.
extension RecordsWork {
    /// Settles a record's conflicts by ordinary operations that have seen all that is there.
    ///
    /// - Throws: `Problem` of `nothing_to_change`, `not_allowed`; `ValueError`.
    func resolve(_ id: String, _ request: ResolveRequest) async throws -> ResolvedAnswer {
        let detail = try await detail(id, deleted: true)
        let entry = FormsEntry(detail.form)
        let given = try RecordsValues.read(request.values, of: entry)
        var settling = RecordsSettling(detail: detail, entry: entry)
        for case .field(let field) in detail.conflicts.map(\.field)
        where entry.place(of: .field(field)) == nil {
            settling.older[field] = await room.store.place(of: field, in: detail.form.formID)
        }
        let plan = try settling.plan(given, keeping: request.keep)
        try await enter(plan.map(\.change), detail, fields: plan.flatMap(\.fields))
        let after = try await room.store.detail(of: detail.name)
        let decides = plan.contains { [.delete, .restore].contains($0.change.kind) }
        return ResolvedAnswer(
            id: detail.name.id.text, changed: plan.flatMap(\.fields),
            deleted: decides ? after.isDeleted : nil,
            left: after.conflicts.map { entry.name(of: $0.field) })
    }

    /// Brings back a deleted record.
    func restore(_ id: String) async throws -> RemarkAnswer {
        let detail = try await detail(id, deleted: true)
        guard detail.isDeleted || detail.conflicts.contains(where: { $0.field == .deleted }) else {
            throw Problem(
                .nothingToChange, "entry \(detail.name.id.text.suffix(8)) is not deleted",
                hint: "An earlier value is brought back with: `shared edit ID FIELD=VALUE`.")
        }
        try await enter([.restore(detail.name)], detail)
        return RemarkAnswer(id: detail.name.id.text, state: detail.review?.state)
    }

    /// Gives a record a review's state.
    func review(_ id: String, _ request: ReviewRequest) async throws -> RemarkAnswer {
        guard let state = ReviewState(typed: request.state) else {
            let known = ReviewState.allCases.map(\.rawValue)
            throw Problem(
                .badRequest, "no review state \"\(request.state.prefix(80))\"",
                hint: Suggestion.hint(
                    for: request.state, among: known,
                    otherwise: "There are " + known.joined(separator: ", ") + "."))
        }
        let note = try request.comment.map(Self.remark)
        let detail = try await detail(id, deleted: false)
        try await enter(
            [.review(detail.name, state: state.rawValue, note: note)], detail,
            state: state.rawValue)
        return RemarkAnswer(id: detail.name.id.text, state: state.rawValue)
    }

    /// Adds a remark to a record.
    func comment(_ id: String, _ request: CommentRequest) async throws -> RemarkAnswer {
        let text = try Self.remark(request.text)
        let detail = try await detail(id, deleted: false)
        try await enter([.comment(detail.name, text: text)], detail)
        return RemarkAnswer(id: detail.name.id.text, state: detail.review?.state)
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
