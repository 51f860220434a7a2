import ShareCore

/// What a record was before each of its versions, to whoever made that version.
struct RecordPast {
    /// A record as somebody saw it.
    struct Sight {
        var values: [FormField: FieldValue] = [:]
        var isDeleted = false
        var state: String?

        init() {}

        init(_ outcome: RecordOutcome) {
            values = outcome.values.mapValues(\.value)
            isDeleted = outcome.isDeleted
            state = outcome.review?.content.state
        }

        /// The same after a version that has seen all of it.
        func applying(_ version: StoredVersion) -> Sight {
            var sight = self
            for entry in version.content.values { sight.values[entry.field] = entry.value }
            switch version.kind {
            case .delete: sight.isDeleted = true
            case .restore: sight.isDeleted = false
            case .review: sight.state = version.content.state
            case .put, .edit, .comment: break
            }
            return sight
        }
    }

    private let outcome: RecordOutcome
    private var after: [OperationName: Sight] = [:]

    init(_ outcome: RecordOutcome) { self.outcome = outcome }

    /// The record as the author of a version had it. Where there is one base it follows from what
    /// that one had before it; only where branches come together are all versions looked at.
    mutating func before(_ version: StoredVersion) -> Sight {
        // Down the line of single bases, then up again: a history may be long.
        var line: [StoredVersion] = []
        var current = version
        var start: Sight?
        while start == nil {
            let bases = Set(current.version.bases.filter { outcome.versions[$0] != nil })
            guard bases.count == 1, let name = bases.first, let base = outcome.versions[name] else {
                start = bases.isEmpty ? Sight() : merged(bases)
                break
            }
            start = after[name]
            guard start == nil else { break }
            line.append(base)
            current = base
        }
        var sight = start ?? Sight()
        for base in line.reversed() {
            sight = sight.applying(base)
            after[base.version.name] = sight
        }
        return sight
    }

    private func merged(_ bases: Set<OperationName>) -> Sight {
        let seen = outcome.graph.seen(by: bases).union(bases)
        return Sight(RecordOutcome(seen.compactMap { outcome.versions[$0] }))
    }
}
