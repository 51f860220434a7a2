/// Decides what a record's accepted versions come to (docs/protocol.md, "State").
///
/// A pure function of the set of versions: their order does not matter, and each counts once.
/// Versions, and fields, are named by their numbers in `versions`.
package struct RecordGraph: Sendable {
    package let versions: RecordVersions
    /// Versions that no other is based on, in the order of their names.
    package private(set) var heads: [Int] = []
    /// The version whose value each field has.
    private var winners: [Int?]
    /// For each 64 fields, a bit for each of them in every version that lost it; nothing where
    /// none of these fields has a loser.
    private var losers: [[UInt64]] = []
    /// Every version after those that it is based on.
    private let order: [Int32]
    private let dependents: Steps

    /// For each version, those that are based on it.
    private struct Steps {
        private var starts: [UInt32]
        private var targets: [Int32]

        init(_ versions: RecordVersions) {
            starts = [UInt32](repeating: 0, count: versions.count + 1)
            for position in 0..<versions.count {
                for parent in versions.parents(of: position) { starts[Int(parent) + 1] += 1 }
            }
            for position in 0..<versions.count { starts[position + 1] += starts[position] }
            targets = [Int32](repeating: 0, count: Int(starts.last ?? 0))
            var next = starts
            for position in 0..<versions.count {
                for parent in versions.parents(of: position) {
                    targets[Int(next[Int(parent)])] = Int32(truncatingIfNeeded: position)
                    next[Int(parent)] += 1
                }
            }
        }

        subscript(_ position: Int) -> ArraySlice<Int32> {
            targets[Int(starts[position])..<Int(starts[position + 1])]
        }
    }

    package init(_ versions: some Sequence<RecordVersion>) {
        self.init(RecordVersions(versions))
    }

    /// - Complexity: O((n + b) · (1 + f/64)) for n versions of one record with b parents that write
    ///   f fields, beside the sorting of the heads.
    package init(_ versions: RecordVersions) {
        self.versions = versions
        let dependents = Steps(versions)
        let order = RecordGraph.parentsFirst(versions, dependents)
        self.dependents = dependents
        self.order = order
        winners = [Int?](repeating: nil, count: versions.fields.count)
        heads = order.lazy.map { Int($0) }.filter { dependents[$0].isEmpty }
        heads.sort { versions.name(of: $0) < versions.name(of: $1) }
        for first in stride(from: 0, to: versions.fields.count, by: 64) { decide(from: first) }
    }

    /// Decides 64 fields at a time, one bit for each: fields that some descendant writes.
    private mutating func decide(from first: Int) {
        let writes = (0..<versions.shapeCount).map { shape in
            versions.fields(ofShape: shape).reduce(into: UInt64(0)) { mask, field in
                let bit = Int(field) - first
                if (0..<64).contains(bit) { mask |= 1 << UInt64(bit) }
            }
        }
        var covered = [UInt64](repeating: 0, count: versions.count)
        var candidates = [UInt64](repeating: 0, count: versions.count)
        var best = [Int?](repeating: nil, count: 64)
        for position in order.reversed() {
            let position = Int(position)
            var beyond: UInt64 = 0
            for dependent in dependents[position] {
                beyond |= covered[Int(dependent)] | writes[versions.shape(of: Int(dependent))]
            }
            covered[position] = beyond
            candidates[position] = writes[versions.shape(of: position)] & ~beyond
            for bit in RecordGraph.bits(of: candidates[position]) {
                if let found = best[bit], versions.beats(found, position) { continue }
                best[bit] = position
            }
        }
        for (bit, winner) in best.enumerated() {
            guard let winner else { continue }
            winners[first + bit] = winner
            candidates[winner] &= ~(1 << UInt64(bit))
        }
        losers.append(candidates.contains { $0 != 0 } ? candidates : [])
    }

    // MARK: Fields

    /// The version whose value a field has.
    package func winner(of field: Int) -> Int? { winners[field] }

    /// The name of the version whose value a field has; nil where no version writes it.
    package func winner(of field: RecordField) -> OperationName? {
        versions.number(of: field).flatMap { winners[$0] }.map { versions.name(of: $0) }
    }

    /// The names of the first heads.
    package func headNames(upTo limit: Int) -> [OperationName] {
        heads.prefix(limit).map { versions.name(of: $0) }
    }

    package var hasLosers: Bool { losers.contains { !$0.isEmpty } }

    /// Whether a version wrote any field without effect, though no winner had seen that.
    package func hasLost(_ position: Int) -> Bool {
        losers.contains { !$0.isEmpty && $0[position] != 0 }
    }

    /// Whether a version wrote a field, and is neither its winner nor seen by one that wrote it.
    package func hasLost(_ position: Int, _ field: Int) -> Bool {
        let group = losers[field / 64]
        return !group.isEmpty && group[position] >> UInt64(field % 64) & 1 == 1
    }

    // MARK: What was seen

    /// Marks the versions that the authors of these had before them, with those of these that
    /// another had.
    ///
    /// - Complexity: O(n + b), as all that follow.
    package func seen(by positions: some Sequence<Int>) -> [Bool] {
        reached(from: positions) { versions.parents(of: $0) }
    }

    /// Marks the versions that neither had one of these before them nor were before one of them;
    /// these are not among them.
    package func parallel(to positions: some Collection<Int>) -> [Bool] {
        guard !positions.isEmpty else { return [Bool](repeating: false, count: versions.count) }
        let earlier = seen(by: positions)
        var parallel = reached(from: positions) { dependents[$0] }
        for position in parallel.indices {
            parallel[position] = !parallel[position] && !earlier[position]
        }
        for position in positions { parallel[position] = false }
        return parallel
    }

    /// Those of some versions that no other of them had before it.
    package func latest(of positions: some Collection<Int>) -> [Int] {
        let earlier = seen(by: positions)
        return positions.filter { !earlier[$0] }
    }

    /// Calls `body` for each head with what it, and no other head, had before it and with the head
    /// itself, by ascending position, until it returns false. Heads come by ascending position.
    package func eachBranch(_ body: (_ head: Int, _ own: [Int]) throws -> Bool) rethrows {
        /// The one head above a version; -1 where there are several.
        var head = [Int32](repeating: -1, count: versions.count)
        for position in order.reversed() {
            let position = Int(position)
            let above = dependents[position]
            guard let first = above.first else {
                head[position] = Int32(truncatingIfNeeded: position)
                continue
            }
            let one = head[Int(first)]
            head[position] = above.allSatisfy { head[Int($0)] == one } ? one : -1
        }
        var own = head.indices.filter { head[$0] >= 0 }
        own.sort { (head[$0], $0) < (head[$1], $1) }
        var start = own.startIndex
        while start < own.endIndex {
            let top = head[own[start]]
            let end = own[start...].firstIndex { head[$0] != top } ?? own.endIndex
            guard try body(Int(top), Array(own[start..<end])) else { return }
            start = end
        }
    }

    /// Marks what can be reached in at least one step.
    private func reached(
        from start: some Sequence<Int>, along steps: (Int) -> ArraySlice<Int32>
    ) -> [Bool] {
        var marks = [Bool](repeating: false, count: versions.count)
        var next = start.map { Int32(truncatingIfNeeded: $0) }
        while let position = next.popLast() {
            for step in steps(Int(position)) where !marks[Int(step)] {
                marks[Int(step)] = true
                next.append(step)
            }
        }
        return marks
    }

    /// The versions in an order in which each comes after those that it is based on. Names are
    /// hashes of what they name, so no version can be its own ancestor.
    private static func parentsFirst(_ versions: RecordVersions, _ dependents: Steps) -> [Int32] {
        var waitingFor = [UInt8](repeating: 0, count: versions.count)
        var ready: [Int32] = []
        for position in 0..<versions.count {
            // At most `Limits.parentsPerOperation`.
            waitingFor[position] = UInt8(truncatingIfNeeded: versions.parents(of: position).count)
            if waitingFor[position] == 0 { ready.append(Int32(truncatingIfNeeded: position)) }
        }
        var ordered: [Int32] = []
        ordered.reserveCapacity(versions.count)
        while let position = ready.popLast() {
            ordered.append(position)
            for dependent in dependents[Int(position)] {
                waitingFor[Int(dependent)] &-= 1
                if waitingFor[Int(dependent)] == 0 { ready.append(dependent) }
            }
        }
        return ordered
    }

    private static func bits(of mask: UInt64) -> some Sequence<Int> {
        sequence(state: mask) { rest in
            guard rest != 0 else { return nil }
            defer { rest &= rest - 1 }
            return rest.trailingZeroBitCount
        }
    }
}
