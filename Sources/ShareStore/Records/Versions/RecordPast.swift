import ShareCore

/// The record before each of its versions, as the maker of that version saw it.
struct RecordPast {
    /// A record as somebody saw it.
    struct Sight {
        var values: [FormField: FieldValue] = [:]
        /// Names of numbers that were given as whole ones last, and as decimals before.
        private var whole: Set<String> = []
        var isDeleted = false
        var state: String?

        init() {}

        init(_ outcome: RecordOutcome) {
            values = outcome.values.mapValues(\.value)
            for (field, one) in outcome.values where field.type == .integer {
                let decimal = outcome.values[FormField(name: field.name, type: .decimal)]
                if let decimal, outcome.stored.versions.beats(one.winner, decimal.winner) {
                    whole.insert(field.name)
                }
            }
            isDeleted = outcome.isDeleted
            state = outcome.review?.state
        }

        /// The value of a field; of a decimal that which it had last, be it as a whole number.
        func value(of field: FormField) -> FieldValue {
            let own = values[field]
            guard field.type == .decimal, own == nil || whole.contains(field.name) else {
                return own ?? .absent
            }
            let other = values[FormField(name: field.name, type: .integer)]?.asDecimal
            return other ?? own ?? .absent
        }

        /// The same after a version that has seen all of it.
        func applying(_ version: StoredVersion) -> Sight {
            var sight = self
            for entry in version.content.values {
                sight.values[entry.field] = entry.value
                switch entry.field.type {
                case .integer: sight.whole.insert(entry.field.name)
                case .decimal: sight.whole.remove(entry.field.name)
                default: break
                }
            }
            switch version.kind {
            case .delete: sight.isDeleted = true
            case .restore: sight.isDeleted = false
            case .review: sight.state = version.content.state
            case .put, .edit, .comment: break
            }
            return sight
        }
    }

    private let stored: StoredVersions
    private let graph: RecordGraph
    private let heads: Set<Int>
    private let batches: [BatchID: Int]
    /// Of the versions that were asked for.
    private var after: [Int: Sight] = [:]

    init(_ stored: StoredVersions) {
        self.stored = stored
        graph = RecordGraph(stored.versions)
        heads = Set(graph.heads)
        batches = Dictionary(
            stored.versions.batches.enumerated().map { ($1, $0) }, uniquingKeysWith: { $1 })
    }

    func place(of name: OperationName) -> Int? {
        batches[name.batch].flatMap { stored.versions.position(batch: $0, index: name.index) }
    }

    func isHead(_ position: Int) -> Bool { heads.contains(position) }

    mutating func note(_ sight: Sight, of position: Int) { after[position] = sight }

    /// The record as the author of a version had it. Where that is one version of which it was
    /// noted it follows from there; else all that was seen is looked at.
    func before(_ version: StoredVersion, in table: VersionTable) throws -> Sight {
        let parents = Set(version.version.parents.compactMap { place(of: $0) })
        guard let first = parents.first else { return Sight() }
        if parents.count == 1, let known = after[first] { return known }
        var seen = graph.seen(by: parents)
        for parent in parents { seen[parent] = true }
        return Sight(
            try RecordOutcome(stored.subset(seen.indices.filter { seen[$0] }), in: table))
    }

    /// The first versions, by name, that neither had this one before them nor were before it.
    func parallel(to position: Int, limit: Int) -> [OperationName] {
        let isParallel = graph.parallel(to: [position])
        var first: [OperationName] = []
        for other in isParallel.indices where isParallel[other] {
            first.append(stored.versions.name(of: other))
            // Sorted only now and then.
            if first.count == 2 * limit { first = Array(first.sorted().prefix(limit)) }
        }
        return Array(first.sorted().prefix(limit))
    }
}

/// The values that the versions of one branch of a record give it alone.
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

    init(_ stored: StoredVersions, _ own: [Int], in table: VersionTable) throws {
        guard own.count == 1, let only = own.first else {
            let outcome = try RecordOutcome(stored.subset(own), in: table)
            values = outcome.values.mapValues(\.value)
            isDeleted = outcome.deletion.map { _ in outcome.isDeleted }
            state = outcome.review?.state
            return
        }
        // There may be any number of these.
        switch stored.versions.kind(of: only) {
        case .put, .edit:
            for entry in try table.content(of: only, in: stored).values {
                values[entry.field] = entry.value
            }
        case .delete: isDeleted = true
        case .restore: isDeleted = false
        case .review: state = try table.content(of: only, in: stored).state
        case .comment, nil: break
        }
    }
}
