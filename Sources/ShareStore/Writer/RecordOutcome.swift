import ShareCore
import ShareCrypto

/// What some versions of a record come to.
struct RecordOutcome {
    let isCreated: Bool
    let isDeleted: Bool
    let created: Timestamp
    let updated: Timestamp
    let review: (state: String?, version: OperationName)?
    let heads: [OperationName]
    /// Fields that a version has written, cleared ones included, with the winner.
    let values: [FormField: (value: FieldValue, winner: StoredVersion)]
    /// Fields where parallel versions stand beside the winner; `deleted` for a delete that had
    /// not seen an edit.
    let conflicts: [(field: RecordField, winner: StoredVersion, losers: [StoredVersion])]
    private let deletion: StoredVersion?

    init(_ versions: [StoredVersion]) {
        let versions = versions.filter { $0.kind != .comment }
        let graph = RecordGraph(versions.map(\.version))
        let byName = Dictionary(
            versions.map { ($0.version.name, $0) }, uniquingKeysWith: { first, _ in first })
        let puts = versions.filter { $0.kind == .put }
        isCreated = !puts.isEmpty
        created = puts.map(\.version.clock).min() ?? .zero
        updated = versions.map(\.version.clock).max() ?? .zero
        heads = graph.heads
        var values: [FormField: (value: FieldValue, winner: StoredVersion)] = [:]
        var conflicts: [(field: RecordField, winner: StoredVersion, losers: [StoredVersion])] = []
        var review: (state: String?, version: OperationName)?
        var deletion: StoredVersion?
        for (field, name) in graph.winners {
            guard let winner = byName[name] else { continue }
            switch field {
            case .field(let field):
                values[field] = (winner.value(of: field) ?? .absent, winner)
            case .deleted: deletion = winner
            case .reviewState: review = (winner.content.state, name)
            }
            // Who says the same does not contradict: an entry sealed twice, after a restore.
            let losers = (graph.losers[field] ?? []).compactMap { byName[$0] }
                .filter { !$0.says(the: field, as: winner) }
            if !losers.isEmpty { conflicts.append((field, winner, losers)) }
        }
        isDeleted = deletion?.kind == .delete
        if isDeleted, let deletion {
            let unseen = RecordOutcome.unseenEdits(by: deletion, among: versions, graph.heads)
            if !unseen.isEmpty, !conflicts.contains(where: { $0.field == .deleted }) {
                conflicts.append((.deleted, deletion, unseen))
            }
        }
        self.deletion = deletion
        self.values = values
        self.conflicts = conflicts
        self.review = review
    }

    /// Heads that wrote values, and that neither saw the deletion nor were seen by it.
    private static func unseenEdits(
        by deletion: StoredVersion, among versions: [StoredVersion], _ heads: [OperationName]
    ) -> [StoredVersion] {
        let byName = Dictionary(
            versions.map { ($0.version.name, $0) }, uniquingKeysWith: { first, _ in first })
        return heads.filter { $0 != deletion.version.name }.compactMap { byName[$0] }.filter {
            head in
            guard head.kind == .edit || head.kind == .put else { return false }
            var seen: Set<OperationName> = []
            var left = [head.version.name]
            while let name = left.popLast() {
                if name == deletion.version.name { return false }
                guard seen.insert(name).inserted, let version = byName[name] else { continue }
                left += version.version.bases
            }
            return true
        }
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
        return RecordItem.digest(record, values: items, heads: heads, review: review, writer)
    }
}
