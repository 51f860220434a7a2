import ShareCore
import ShareCrypto

/// The record that some of its versions make. Versions are named by their indexes in `stored`.
struct RecordOutcome {
    let stored: StoredVersions
    let graph: RecordGraph
    let isCreated: Bool
    let isDeleted: Bool
    /// The least clock of its puts.
    let created: Timestamp
    let updated: Timestamp
    /// The strongest of all versions: the last change; nil without versions.
    let latest: Int?
    /// The review that counts, and the state that it gives.
    let review: (version: Int, state: String?)?
    /// Fields that a version has written, cleared ones included, with the winner.
    let values: [FormField: (value: FieldValue, winner: Int)]
    let deletion: Int?

    /// - Parameter table: says what the versions say; only winners are looked up.
    init(_ stored: StoredVersions, in table: VersionTable) throws {
        let versions = stored.versions
        let graph = RecordGraph(versions)
        self.stored = stored
        self.graph = graph
        var created: Timestamp?
        var updated = Timestamp.zero
        var latest: Int?
        for position in 0..<versions.count {
            let clock = versions.clock(of: position)
            if clock > updated { updated = clock }
            if latest.map({ versions.beats(position, $0) }) ?? true { latest = position }
            if versions.kind(of: position) == .put { created = min(created ?? clock, clock) }
        }
        isCreated = created != nil
        self.created = created ?? .zero
        self.updated = updated
        self.latest = latest

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
                review = (winner, try table.content(of: winner, in: stored).state)
            }
        }
        for (winner, fields) in fieldsOf {
            let content = try table.content(of: winner, in: stored)
            let said = Dictionary(
                content.values.map { ($0.field, $0.value) }, uniquingKeysWith: { $1 })
            for field in fields { values[field] = (said[field] ?? .absent, winner) }
        }
        self.values = values
        self.review = review
        self.deletion = deletion
        isDeleted = deletion.map { versions.kind(of: $0) == .delete } ?? false
    }

    /// The value that is shown of a field: where it was a whole number in other versions of the
    /// form, what was said last.
    func value(of field: FormField, or whole: FormField?) -> FieldValue {
        guard let earlier = whole.flatMap({ values[$0] }) else {
            return values[field]?.value ?? .absent
        }
        guard let own = values[field] else { return earlier.value }
        return stored.versions.beats(own.winner, earlier.winner) ? own.value : earlier.value
    }

    /// The value of a field whatever its type: what was said last.
    func value(named name: String) -> FieldValue {
        values.filter { $0.key.name.utf8.elementsEqual(name.utf8) }.values
            .max { stored.versions.beats($1.winner, $0.winner) }?.value ?? .absent
    }

    /// The versions that changed the record after it was made, reviews aside.
    private var changes: some Sequence<Int> {
        (0..<stored.versions.count).lazy.filter { version in
            stored.versions.kind(of: version).map(RecordsBlock.Kind.changes.contains) ?? false
        }
    }

    /// The strongest of these.
    var lastChange: Int? { changes.max { stored.versions.beats($1, $0) } }

    /// Whether one of these is none that the review had seen.
    var isChangedSinceReview: Bool {
        guard let review else { return false }
        let seen = graph.seen(by: [review.version])
        return changes.contains { !seen[$0] }
    }

    /// The record's part of the digest.
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

/// Where versions stand against each other, or beside each other.
extension RecordOutcome {
    /// A field to which versions gave other values, unseen by each other.
    struct Conflict {
        let field: RecordField
        let winner: Int
        /// Greatest first; of more than `maxLosers` only these.
        let losers: [Int]
    }

    /// Losers of one field that are noted and told: as many as the operation that resolves them
    /// can name.
    static let maxLosers = Limits.parentsPerOperation

    /// Conflicts, ascending by field.
    func conflicts(in table: VersionTable) throws -> [Conflict] {
        let versions = stored.versions
        var losers = [Int: StrongestVersions]()
        if graph.hasLosers {
            try table.eachContent(of: stored, where: { graph.hasLost($0) }) { position, reader in
                // Who came to the same, each alone, agrees; so does an entry that was sealed
                // twice, after a restore.
                try reader.each(of: versions.fields(of: position)) { number, said in
                    guard graph.hasLost(position, number), try said() != winning(number) else {
                        return
                    }
                    losers[number, default: StrongestVersions()].add(position, of: versions)
                }
            }
        }
        if let deletion, let number = versions.number(of: .deleted) {
            var strongest = StrongestVersions()
            var decisions = [deletion]
            for position in 0..<versions.count
            where graph.hasLosers && graph.hasLost(position, number) {
                decisions.append(position)
                // A delete beside a restore; two of a kind agree.
                if versions.kind(of: position) != versions.kind(of: deletion) {
                    strongest.add(position, of: versions)
                }
            }
            for position in unseenEdits(by: decisions) { strongest.add(position, of: versions) }
            losers[number] = strongest
        }
        var conflicts = losers.compactMap { number, strongest -> Conflict? in
            guard let winner = graph.winner(of: number), !strongest.isEmpty else { return nil }
            let conflict = Conflict(
                field: versions.fields[number], winner: winner,
                losers: strongest.positions(of: versions))
            return isSettled(conflict) ? nil : conflict
        }
        if versions.count > 1 { try addWidened(to: &conflicts, in: table) }
        return conflicts.sorted { $0.field < $1.field }
    }

    /// Whole numbers and decimals of one name are one number, whichever version of the form their
    /// authors had: adds where both were given unseen by each other.
    private func addWidened(to conflicts: inout [Conflict], in table: VersionTable) throws {
        let versions = stored.versions
        for case .field(let decimal) in versions.fields where decimal.type == .decimal {
            let whole = FormField(name: decimal.name, type: .integer)
            guard let one = values[decimal], let other = values[whole],
                one.value != other.value.asDecimal,
                graph.parallel(to: [one.winner])[other.winner]
            else { continue }
            let isFirst = versions.beats(one.winner, other.winner)
            let (winner, shown) =
                isFirst ? (one.winner, one.value) : (other.winner, other.value.asDecimal)
            var sides: Set<Int> = [one.winner, other.winner]
            for conflict in conflicts
            where conflict.field == .field(decimal) || conflict.field == .field(whole) {
                sides.formUnion(conflict.losers)
            }
            conflicts.removeAll { $0.field == .field(decimal) || $0.field == .field(whole) }
            var strongest = StrongestVersions()
            for side in sides.subtracting([winner])
            where try table.content(of: side, in: stored).value(of: decimal) != shown {
                strongest.add(side, of: versions)
            }
            conflicts.append(
                Conflict(
                    field: .field(decimal), winner: winner,
                    losers: strongest.positions(of: versions)))
        }
    }

    /// Whether a conflict of whole numbers was seen by who wrote the field since, as a decimal.
    private func isSettled(_ conflict: Conflict) -> Bool {
        guard case .field(let field) = conflict.field, field.type == .integer,
            let decimal = values[FormField(name: field.name, type: .decimal)]
        else { return false }
        let seen = graph.seen(by: [decimal.winner])
        return seen[conflict.winner] && conflict.losers.allSatisfy { seen[$0] }
    }

    /// The value that the winner of a field gives it.
    private func winning(_ number: Int) -> FieldValue {
        switch stored.versions.fields[number] {
        case .field(let field): values[field]?.value ?? .absent
        case .reviewState: review?.state.map { .text($0) } ?? .absent
        case .deleted: .absent
        }
    }

    /// Where the record is deleted: the last writers of values that none of those who decided
    /// about that had seen, and that had not seen them.
    private func unseenEdits(by decisions: [Int]) -> [Int] {
        guard isDeleted else { return [] }
        let unseen = graph.parallel(to: decisions)
        return graph.latest(
            of: unseen.indices.filter {
                unseen[$0]
                    && (stored.versions.kind(of: $0) == .edit
                        || stored.versions.kind(of: $0) == .put)
            })
    }

    // MARK: Branches

    /// The changes made beside other versions, up to one of the heads.
    struct Branch {
        let head: Int
        let said: BranchSaying
    }

    /// Branches that are told of one record.
    static let maxBranches = Limits.parentsPerOperation

    /// Whether the heads of a record have seen different things that can stand side by side,
    /// what is in conflict left aside: nobody has seen it together yet.
    func isParallel(in table: VersionTable, beside conflicts: [Conflict]) throws -> Bool {
        guard graph.heads.count > 1, let aside = Self.aside(conflicts) else { return false }
        var first: BranchSaying?
        var isParallel = false
        try graph.eachBranch { _, own in
            guard let said = try saying(own, without: aside, in: table) else { return true }
            isParallel = first.map { $0 != said } ?? false
            if first == nil { first = said }
            return !isParallel
        }
        return isParallel
    }

    /// The branches of a record whose heads are parallel, oldest first; of more than
    /// `maxBranches` those with the strongest heads.
    func branches(in table: VersionTable, beside conflicts: [Conflict]) throws -> [Branch] {
        guard let aside = Self.aside(conflicts) else { return [] }
        let told = Set(stored.ordered(graph.heads, limit: RecordOutcome.maxBranches))
        var branches: [Branch] = []
        try graph.eachBranch { head, own in
            if told.contains(head), let said = try saying(own, without: aside, in: table) {
                branches.append(Branch(head: head, said: said))
            }
            return true
        }
        return branches.sorted { stored.versions.beats($1.head, $0.head) }
    }

    /// The fields that are told as conflicts. Nil beside a delete, where all that others wrote is.
    private static func aside(_ conflicts: [Conflict]) -> Set<RecordField>? {
        var fields = Set(conflicts.map(\.field))
        for case .field(let field) in fields where field.type == .decimal {
            fields.insert(.field(FormField(name: field.name, type: .integer)))
        }
        return fields.contains(.deleted) ? nil : fields
    }

    /// The changes of a branch to other fields than these; nil where it changes these alone.
    private func saying(
        _ own: [Int], without aside: Set<RecordField>, in table: VersionTable
    ) throws -> BranchSaying? {
        guard !aside.isEmpty else { return try BranchSaying(stored, own, in: table) }
        let versions = stored.versions
        let saysMore = own.contains { position in
            versions.fields(of: position).contains { !aside.contains(versions.fields[Int($0)]) }
        }
        guard saysMore else { return nil }
        let said = try BranchSaying(stored, own, in: table).without(aside)
        return said.isEmpty ? nil : said
    }
}
