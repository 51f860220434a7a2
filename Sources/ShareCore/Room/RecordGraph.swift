/// Decides what a record's accepted versions come to (docs/protocol.md, "State").
///
/// A pure function of the set of versions: their order does not matter, and each counts once.
package struct RecordGraph: Sendable {
    /// The version whose value each field has.
    package private(set) var winners: [RecordField: OperationName] = [:]
    /// Versions of a field that no winner had seen and that had not seen it, greatest first;
    /// only fields that have such.
    package private(set) var losers: [RecordField: [OperationName]] = [:]
    /// Versions that no other is based on, in order.
    package private(set) var heads: [OperationName] = []
    private let places: [OperationName: Int]
    private let ancestors: [BitSet]

    /// - Complexity: O(n²/64) for n versions of one record, beside the sorting.
    package init(_ versions: some Sequence<RecordVersion>) {
        var byName: [OperationName: RecordVersion] = [:]
        for version in versions { byName[version.name] = version }
        let ordered = RecordGraph.ancestorsFirst(byName)
        let places = Dictionary(
            uniqueKeysWithValues: ordered.enumerated().map { ($1.name, $0) })
        self.places = places

        var ancestors: [BitSet] = []
        var isBase = [Bool](repeating: false, count: ordered.count)
        for version in ordered {
            var set = BitSet(count: ordered.count)
            for base in version.bases {
                guard let place = places[base] else { continue }
                set.formUnion(ancestors[place])
                set.insert(place)
                isBase[place] = true
            }
            ancestors.append(set)
        }
        self.ancestors = ancestors
        heads = ordered.indices.filter { !isBase[$0] }.map { ordered[$0].name }.sorted()

        var writers: [RecordField: [Int]] = [:]
        for (place, version) in ordered.enumerated() {
            for field in Set(version.writes) { writers[field, default: []].append(place) }
        }
        for (field, places) in writers {
            var seen = BitSet(count: ordered.count)
            for place in places { seen.formUnion(ancestors[place]) }
            let candidates = places.filter { !seen.contains($0) }
                .map { ordered[$0] }.sorted { $0.beats($1) }
            winners[field] = candidates.first?.name
            if candidates.count > 1 { losers[field] = candidates.dropFirst().map(\.name) }
        }
    }

    /// Whether the author of a version had another one before it. Names that no version bears
    /// have seen nothing, and nobody has seen them.
    package func has(_ version: OperationName, seen other: OperationName) -> Bool {
        guard let version = places[version], let other = places[other] else { return false }
        return ancestors[version].contains(other)
    }

    /// Whether neither of two versions had seen the other.
    package func areParallel(_ a: OperationName, _ b: OperationName) -> Bool {
        a != b && !has(a, seen: b) && !has(b, seen: a)
    }

    /// The versions in an order in which each comes after those that it is based on. Names are
    /// hashes of what they name, so no version can be its own ancestor.
    private static func ancestorsFirst(
        _ versions: [OperationName: RecordVersion]
    ) -> [RecordVersion] {
        var waitingFor: [OperationName: Int] = [:]
        var dependents: [OperationName: [OperationName]] = [:]
        for version in versions.values {
            let bases = Set(version.bases).filter { versions[$0] != nil }
            waitingFor[version.name] = bases.count
            for base in bases { dependents[base, default: []].append(version.name) }
        }
        var ready = waitingFor.filter { $0.value == 0 }.map(\.key)
        var ordered: [RecordVersion] = []
        while let name = ready.popLast() {
            if let version = versions[name] { ordered.append(version) }
            for dependent in dependents[name] ?? [] {
                let left = (waitingFor[dependent] ?? 0) - 1
                waitingFor[dependent] = left
                if left == 0 { ready.append(dependent) }
            }
        }
        return ordered
    }
}
