/// Decides what a record's accepted versions come to (docs/protocol.md, "State").
///
/// A pure function of the set of versions: their order does not matter, and each counts once.
/// Its memory is that of the versions and their bases: who makes a hundred thousand versions of
/// one record costs the others no more than what it sent.
package struct RecordGraph: Sendable {
    /// The version whose value each field has.
    package private(set) var winners: [RecordField: OperationName] = [:]
    /// Versions of a field that no winner had seen and that had not seen it, greatest first;
    /// only fields that have such.
    package private(set) var losers: [RecordField: [OperationName]] = [:]
    /// Versions that no other is based on, in order.
    package private(set) var heads: [OperationName] = []
    /// Every version after those that it is based on.
    private let names: [OperationName]
    private let places: [OperationName: Int]
    /// For each version, the places of those that it is based on.
    private let bases: [[Int]]
    /// For each version, the places of those based on it.
    private let dependents: [[Int]]

    /// - Complexity: O((n + b) · (1 + f/64)) for n versions of one record with b bases that write
    ///   f fields, beside the sorting.
    package init(_ versions: some Sequence<RecordVersion>) {
        var byName: [OperationName: RecordVersion] = [:]
        for version in versions { byName[version.name] = version }
        let ordered = RecordGraph.basesFirst(byName)
        let places = Dictionary(
            uniqueKeysWithValues: ordered.enumerated().map { ($1.name, $0) })
        let bases = ordered.map { Set($0.bases).compactMap { places[$0] } }
        var dependents = [[Int]](repeating: [], count: ordered.count)
        for (place, bases) in bases.enumerated() {
            for base in bases { dependents[base].append(place) }
        }
        names = ordered.map(\.name)
        self.places = places
        self.bases = bases
        self.dependents = dependents
        heads = ordered.indices.filter { dependents[$0].isEmpty }.map { ordered[$0].name }.sorted()

        var writers: [RecordField: [Int]] = [:]
        for (place, version) in ordered.enumerated() {
            for field in Set(version.writes) { writers[field, default: []].append(place) }
        }
        // 64 fields at a time, one bit for each: fields that some descendant writes.
        let fields = Array(writers)
        for first in stride(from: 0, to: fields.count, by: 64) {
            let group = fields[first..<min(first + 64, fields.count)]
            var written = [UInt64](repeating: 0, count: ordered.count)
            for (bit, (_, places)) in group.enumerated() {
                for place in places { written[place] |= 1 << UInt64(bit) }
            }
            var covered = [UInt64](repeating: 0, count: ordered.count)
            for place in ordered.indices.reversed() {
                for dependent in dependents[place] {
                    covered[place] |= covered[dependent] | written[dependent]
                }
            }
            for (bit, (field, places)) in group.enumerated() {
                let candidates = places.filter { covered[$0] >> UInt64(bit) & 1 == 0 }
                    .map { ordered[$0] }.sorted { $0.beats($1) }
                winners[field] = candidates.first?.name
                if candidates.count > 1 { losers[field] = candidates.dropFirst().map(\.name) }
            }
        }
    }

    /// The versions that the authors of these had before them, with those of these that another
    /// had. Names that no version bears have seen nothing, and nobody has seen them.
    ///
    /// - Complexity: O(n + b).
    package func seen(by versions: some Sequence<OperationName>) -> Set<OperationName> {
        named(RecordGraph.reached(from: versions.compactMap { places[$0] }, along: bases))
    }

    /// The versions that neither had one of these before them nor were before one of them; these
    /// are not among them.
    ///
    /// - Complexity: O(n + b).
    package func parallel(
        to versions: some Sequence<OperationName>
    ) -> [OperationName] {
        let own = versions.compactMap { places[$0] }
        guard !own.isEmpty else { return [] }
        var related = RecordGraph.reached(from: own, along: bases)
        for (place, isLater) in RecordGraph.reached(from: own, along: dependents).enumerated()
        where isLater { related[place] = true }
        for place in own { related[place] = true }
        return names.indices.filter { !related[$0] }.map { names[$0] }
    }

    /// Those of some versions that no other of them had before it.
    ///
    /// - Complexity: O(n + b).
    package func latest(of versions: Set<OperationName>) -> [OperationName] {
        let earlier = seen(by: versions)
        return versions.filter { !earlier.contains($0) }
    }

    /// For each head what it, and no other head, had before it, with the head itself.
    ///
    /// - Complexity: O(n + b).
    package var branches: [OperationName: [OperationName]] {
        /// The one head above a version; `nil` where there are several.
        var head = [Int?](repeating: nil, count: names.count)
        var branches: [OperationName: [OperationName]] = [:]
        for place in names.indices.reversed() {
            if let first = dependents[place].first {
                let above = head[first]
                let isOne = dependents[place].allSatisfy { head[$0] == above }
                head[place] = isOne ? above : nil
            } else {
                head[place] = place
            }
            if let head = head[place] { branches[names[head], default: []].append(names[place]) }
        }
        return branches
    }

    private func named(_ marks: [Bool]) -> Set<OperationName> {
        Set(marks.indices.lazy.filter { marks[$0] }.map { names[$0] })
    }

    /// What can be reached in at least one step.
    private static func reached(from start: [Int], along steps: [[Int]]) -> [Bool] {
        var marks = [Bool](repeating: false, count: steps.count)
        var next = start
        while let place = next.popLast() {
            for step in steps[place] where !marks[step] {
                marks[step] = true
                next.append(step)
            }
        }
        return marks
    }

    /// The versions in an order in which each comes after those that it is based on. Names are
    /// hashes of what they name, so no version can be its own ancestor.
    private static func basesFirst(
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
