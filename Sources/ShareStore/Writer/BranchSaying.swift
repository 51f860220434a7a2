import ShareCore

/// What the versions of one branch of a record alone come to.
struct BranchSaying: Equatable {
    private(set) var values: [FormField: FieldValue] = [:]
    /// Nil if none of them deletes or restores.
    private(set) var isDeleted: Bool?
    /// The state that a review gives.
    private(set) var state: String?

    var isEmpty: Bool { values.isEmpty && isDeleted == nil && state == nil }

    /// The same with nothing of these fields.
    func without(_ fields: Set<RecordField>) -> BranchSaying {
        var rest = self
        rest.values = values.filter { !fields.contains(.field($0.key)) }
        if fields.contains(.deleted) { rest.isDeleted = nil }
        if fields.contains(.reviewState) { rest.state = nil }
        return rest
    }

    init(_ stored: StoredVersions, _ own: [Int], in writer: RoomWriter) throws {
        guard own.count == 1, let only = own.first else {
            let outcome = try RecordOutcome(stored.subset(own), in: writer)
            values = outcome.values.mapValues(\.value)
            isDeleted = outcome.deletion.map { _ in outcome.isDeleted }
            state = outcome.review?.state
            return
        }
        // There may be any number of these.
        switch stored.versions.kind(of: only) {
        case .put, .edit:
            for entry in try writer.content(of: only, in: stored).values {
                values[entry.field] = entry.value
            }
        case .delete: isDeleted = true
        case .restore: isDeleted = false
        case .review: state = try writer.content(of: only, in: stored).state
        case .comment, nil: break
        }
    }
}
