import ShareCore
import ShareCrypto

/// What some versions of a record come to.
struct RecordOutcome {
    /// A field to which versions gave other values, unseen by each other.
    struct Conflict {
        let field: RecordField
        let winner: StoredVersion
        /// Greatest first.
        let losers: [StoredVersion]
    }

    /// What was done beside other versions, up to one of the heads.
    struct Branch {
        let head: StoredVersion
        /// What its versions alone come to.
        let outcome: RecordOutcome
    }

    let isCreated: Bool
    let isDeleted: Bool
    let created: Timestamp
    let updated: Timestamp
    let review: StoredVersion?
    let heads: [OperationName]
    /// Fields that a version has written, cleared ones included, with the winner.
    let values: [FormField: (value: FieldValue, winner: StoredVersion)]
    /// Ascending by field.
    let conflicts: [Conflict]
    let deletion: StoredVersion?
    /// All but comments.
    let versions: [OperationName: StoredVersion]
    let graph: RecordGraph

    init(_ versions: some Sequence<StoredVersion>) {
        var byName: [OperationName: StoredVersion] = [:]
        for version in versions where version.kind != .comment {
            byName[version.version.name] = version
        }
        let graph = RecordGraph(byName.values.map(\.version))
        let puts = byName.values.filter { $0.kind == .put }
        isCreated = !puts.isEmpty
        created = puts.map(\.version.clock).min() ?? .zero
        updated = byName.values.map(\.version.clock).max() ?? .zero
        heads = graph.heads
        var values: [FormField: (value: FieldValue, winner: StoredVersion)] = [:]
        var conflicts: [Conflict] = []
        var review: StoredVersion?
        var deletion: StoredVersion?
        for (field, name) in graph.winners {
            guard let winner = byName[name] else { continue }
            switch field {
            case .field(let field): values[field] = (winner.value(of: field) ?? .absent, winner)
            case .deleted: deletion = winner
            case .reviewState: review = winner
            }
            var losers = (graph.losers[field] ?? []).compactMap { byName[$0] }
            if field == .deleted {
                losers += RecordOutcome.unseenEdits(by: [winner] + losers, in: graph, byName)
            }
            // Who came to the same, each alone, agree; so does an entry that was sealed twice,
            // after a restore.
            losers = losers.filter { $0.said(of: field) != winner.said(of: field) }
            guard !losers.isEmpty else { continue }
            losers.sort { $0.version.beats($1.version) }
            conflicts.append(Conflict(field: field, winner: winner, losers: losers))
        }
        isDeleted = deletion?.kind == .delete
        self.deletion = deletion
        self.values = values
        self.conflicts = conflicts.sorted { $0.field < $1.field }
        self.review = review
        self.versions = byName
        self.graph = graph
    }

    /// Where the record is deleted: the last writers of values that none of those who decided
    /// about that had seen, and that had not seen them.
    private static func unseenEdits(
        by decisions: [StoredVersion], in graph: RecordGraph,
        _ versions: [OperationName: StoredVersion]
    ) -> [StoredVersion] {
        guard decisions.first?.kind == .delete else { return [] }
        let unseen = graph.parallel(to: decisions.map(\.version.name)).filter {
            versions[$0]?.kind == .edit || versions[$0]?.kind == .put
        }
        return graph.latest(of: Set(unseen)).compactMap { versions[$0] }
    }

    /// The branches of a record whose heads have seen different things, where all that was done
    /// can stand side by side: nobody has seen it together yet. Empty where a conflict says so
    /// already, and where all did the same.
    var parallel: [Branch] {
        guard heads.count > 1, conflicts.isEmpty else { return [] }
        let branches = graph.branches.compactMap { head, own -> Branch? in
            versions[head].map {
                Branch(head: $0, outcome: RecordOutcome(own.compactMap { versions[$0] }))
            }
        }
        guard let first = branches.first,
            branches.contains(where: { !$0.outcome.says(sameAs: first.outcome) })
        else { return [] }
        return branches.sorted { $1.head.version.beats($0.head.version) }
    }

    private func says(sameAs other: RecordOutcome) -> Bool {
        values.mapValues(\.value) == other.values.mapValues(\.value)
            && deletion?.kind == other.deletion?.kind
            && review?.content.state == other.review?.content.state
    }

    /// What the record adds to the digest.
    func digest(of record: RecordName, _ writer: ItemWriter) -> StateDigest {
        var items = values.map {
            RecordItem.Value(
                name: $0.key.name, type: $0.key.type.rawValue, value: $0.value.value,
                version: $0.value.winner.version.name)
        }
        if let deletion {
            items.append(
                RecordItem.Value(
                    name: "_deleted", type: 255, value: .integer(isDeleted ? 1 : 0),
                    version: deletion.version.name))
        }
        return RecordItem.digest(
            record, values: items, heads: heads,
            review: review.map { ($0.content.state, $0.version.name) }, writer)
    }
}
