import ShareCore

/// The versions of a record as the side tables keep them, packed. What they say stays in the file
/// until it is asked for, a version at a time.
struct StoredVersions {
    /// The record's number in the side tables; nil for one that is only a row.
    let record: Int64?
    var versions = RecordVersions()
    /// For each batch in `versions` its row, ascending.
    var rows: [Int64] = []
    /// Whether it is still being filled.
    var isOpen: [Bool] = []
    /// The one version of a record that is only a row.
    var plain: StoredVersion?

    init(record: Int64?) { self.record = record }

    func local(_ position: Int) -> LocalName {
        LocalName(batch: rows[versions.batch(of: position)], index: versions.index(of: position))
    }

    func isPending(_ position: Int) -> Bool { isOpen[versions.batch(of: position)] }

    var hasPending: Bool { isOpen.contains(true) }

    /// Those that are sealed.
    var sealed: StoredVersions {
        hasPending ? subset((0..<versions.count).filter { !isPending($0) }) : self
    }

    func subset(_ positions: some RandomAccessCollection<Int>) -> StoredVersions {
        var subset = self
        subset.versions = versions.subset(positions)
        return subset
    }

    /// Places from that of the weakest to that of the strongest; only so many of the strongest.
    func ordered(_ positions: some Collection<Int>, limit: Int) -> ArraySlice<Int> {
        positions.sorted { versions.beats($1, $0) }.suffix(limit)
    }
}

/// A version of a record with all that is known of it.
struct StoredVersion {
    let local: LocalName
    let version: RecordVersion
    let kind: RecordsBlock.Kind
    /// The time on its author's own clock.
    let wall: WallTime
    /// Made here and not sealed.
    let isPending: Bool
    let content: VersionContent
}

/// The strongest of any number of versions, in bounded memory.
struct StrongestVersions {
    private var kept: [Int] = []
    private static let limit = RecordOutcome.maxLosers

    var isEmpty: Bool { kept.isEmpty }

    mutating func add(_ position: Int, of versions: RecordVersions) {
        kept.append(position)
        // Sorted only now and then, so that no order of arrival costs much.
        if kept.count == 2 * StrongestVersions.limit { kept = positions(of: versions) }
    }

    /// Strongest first.
    func positions(of versions: RecordVersions) -> [Int] {
        Array(kept.sorted { versions.beats($0, $1) }.prefix(StrongestVersions.limit))
    }
}
