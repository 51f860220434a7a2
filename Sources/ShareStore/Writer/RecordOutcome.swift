import ShareCore
import ShareCrypto

/// What some versions of a record come to. Versions are named by their places in `stored`.
struct RecordOutcome {
    let stored: StoredVersions
    let graph: RecordGraph
    let isCreated: Bool
    let isDeleted: Bool
    let created: Timestamp
    let updated: Timestamp
    /// The review that counts, and the state that it gives.
    let review: (version: Int, state: String?)?
    /// Fields that a version has written, cleared ones included, with the winner.
    let values: [FormField: (value: FieldValue, winner: Int)]
    let deletion: Int?

    /// - Parameter writer: whose file says what the versions say; only winners are looked up.
    init(_ stored: StoredVersions, in writer: RoomWriter) throws {
        let versions = stored.versions
        let graph = RecordGraph(versions)
        self.stored = stored
        self.graph = graph
        var created: Timestamp?
        var updated = Timestamp.zero
        for place in 0..<versions.count {
            let clock = versions.clock(of: place)
            if clock > updated { updated = clock }
            if versions.kind(of: place) == .put { created = min(created ?? clock, clock) }
        }
        isCreated = created != nil
        self.created = created ?? .zero
        self.updated = updated

        var fieldsOf: [Int: [FormField]] = [:]
        var values: [FormField: (value: FieldValue, winner: Int)] = [:]
        var review: (version: Int, state: String?)?
        var deletion: Int?
        for (number, field) in versions.fields.enumerated() {
            guard let winner = graph.winner(of: number) else { continue }
            switch field {
            case .field(let field): fieldsOf[winner, default: []].append(field)
            case .deleted: deletion = winner
            case .reviewState:
                review = (winner, try writer.content(of: winner, in: stored).state)
            }
        }
        for (winner, fields) in fieldsOf {
            let content = try writer.content(of: winner, in: stored)
            let said = Dictionary(
                content.values.map { ($0.field, $0.value) }, uniquingKeysWith: { $1 })
            for field in fields { values[field] = (said[field] ?? .absent, winner) }
        }
        self.values = values
        self.review = review
        self.deletion = deletion
        isDeleted = deletion.map { versions.kind(of: $0) == .delete } ?? false
    }

    /// What the record adds to the digest.
    func digest(of record: RecordName, _ writer: ItemWriter) -> StateDigest {
        let versions = stored.versions
        var items = values.map {
            RecordItem.Value(
                name: $0.key.name, type: $0.key.type.rawValue, value: $0.value.value,
                version: versions.name(of: $0.value.winner))
        }
        if let deletion {
            items.append(
                RecordItem.Value(
                    name: "_deleted", type: 255, value: .integer(isDeleted ? 1 : 0),
                    version: versions.name(of: deletion)))
        }
        return RecordItem.digest(
            record, values: items, heads: graph.heads.lazy.map { versions.name(of: $0) },
            review: review.map { ($0.state, versions.name(of: $0.version)) }, writer)
    }
}
