import ShareCore

/// The strongest of any number of versions, in bounded memory.
struct StrongestVersions {
    private var kept: [Int] = []
    private static let limit = RecordOutcome.maxLosers

    var isEmpty: Bool { kept.isEmpty }

    mutating func add(_ place: Int, of versions: RecordVersions) {
        kept.append(place)
        // Sorted only now and then, so that no order of arrival costs much.
        if kept.count == 2 * StrongestVersions.limit { kept = places(of: versions) }
    }

    /// Strongest first.
    func places(of versions: RecordVersions) -> [Int] {
        Array(kept.sorted { versions.beats($0, $1) }.prefix(StrongestVersions.limit))
    }
}
