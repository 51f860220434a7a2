package import ShareCrypto

/// The versions of one record, packed: a version takes some forty bytes and four for each of its
/// parents, so that whoever makes a million versions of one record costs the others no more memory
/// than what it sent.
///
/// Versions are numbered by their *positions*, batch by batch, in the order in which they were
/// added.
package struct RecordVersions: Sendable {
    /// The kind of a version and the fields that it writes: the same for all rows of a block.
    private struct Shape: Hashable {
        let kind: RecordsBlock.Kind?
        let fields: [Int32]
    }

    private struct Version {
        let clock: Timestamp
        let batch: Int32
        let shape: Int32
        let index: UInt16
    }

    /// The batches that versions are in.
    package private(set) var batches: [BatchID] = []
    private var authors: [DeviceKey] = []
    /// All that any version writes.
    package private(set) var fields: [RecordField] = []
    private var numbers: [RecordField: Int32] = [:]
    private var shapes: [Shape] = []
    private var shapeNumbers: [Shape: Int32] = [:]
    private var versions: [Version] = []
    /// Where the parents of each version begin; of the last ones none may have been added yet.
    private var starts: [UInt32] = []
    private var parents: [Int32] = []

    package init() {}

    /// The versions in the order of their names.
    package init(_ list: some Sequence<RecordVersion>) {
        var byName: [OperationName: RecordVersion] = [:]
        for version in list { byName[version.name] = version }
        let ordered = byName.values.sorted { $0.name < $1.name }
        for version in ordered {
            if batches.last != version.name.batch {
                addBatch(version.name.batch, by: version.author)
            }
            append(
                at: version.name.index, clock: version.clock,
                shape: shape(nil, writing: version.writes))
        }
        let positions = Dictionary(uniqueKeysWithValues: ordered.enumerated().map { ($1.name, $0) })
        for (position, version) in ordered.enumerated() {
            setParents(of: position, version.parents.compactMap { positions[$0] })
        }
    }

    // MARK: Adding

    /// Begins with the versions of another batch.
    package mutating func addBatch(_ batch: BatchID, by author: DeviceKey) {
        batches.append(batch)
        authors.append(author)
    }

    /// The number of a kind with the fields that it writes, in this order.
    package mutating func shape(
        _ kind: RecordsBlock.Kind?, writing written: some Sequence<RecordField>
    ) -> Int {
        var list: [Int32] = []
        for field in written {
            if let number = numbers[field] {
                list.append(number)
            } else {
                let number = Int32(truncatingIfNeeded: fields.count)
                fields.append(field)
                numbers[field] = number
                list.append(number)
            }
        }
        let shape = Shape(kind: kind, fields: list)
        if let number = shapeNumbers[shape] { return Int(number) }
        shapeNumbers[shape] = Int32(truncatingIfNeeded: shapes.count)
        shapes.append(shape)
        return shapes.count - 1
    }

    /// Adds a version of the batch that was begun last; in one batch by ascending index.
    package mutating func append(at index: Int, clock: Timestamp, shape: Int) {
        versions.append(
            Version(
                clock: clock, batch: Int32(truncatingIfNeeded: batches.count - 1),
                shape: Int32(truncatingIfNeeded: shape), index: UInt16(truncatingIfNeeded: index)))
    }

    /// Says what a version is based on; to be called by ascending position, when all are added.
    package mutating func setParents(of position: Int, _ positions: some Sequence<Int>) {
        while starts.count <= position { starts.append(UInt32(truncatingIfNeeded: parents.count)) }
        let first = Int(starts[position])
        for parent in positions {
            let parent = Int32(truncatingIfNeeded: parent)
            // At most 64: a name may stand twice.
            if !parents[first...].contains(parent) { parents.append(parent) }
        }
    }

    // MARK: Looking

    package var count: Int { versions.count }

    package func batch(of position: Int) -> Int { Int(versions[position].batch) }
    package func index(of position: Int) -> Int { Int(versions[position].index) }
    package func clock(of position: Int) -> Timestamp { versions[position].clock }
    package func author(of position: Int) -> DeviceKey { authors[batch(of: position)] }
    package func name(of position: Int) -> OperationName {
        OperationName(batch: batches[batch(of: position)], index: index(of: position))
    }

    package func shape(of position: Int) -> Int { Int(versions[position].shape) }
    package var shapeCount: Int { shapes.count }
    /// Numbers of the fields that versions of a shape write, in the order that was given.
    package func fields(ofShape shape: Int) -> [Int32] { shapes[shape].fields }
    package func fields(of position: Int) -> [Int32] { shapes[shape(of: position)].fields }
    package func kind(of position: Int) -> RecordsBlock.Kind? { shapes[shape(of: position)].kind }
    package func number(of field: RecordField) -> Int? { numbers[field].map { Int($0) } }

    package func parents(of position: Int) -> ArraySlice<Int32> {
        guard position < starts.count else { return [] }
        let end = position + 1 < starts.count ? Int(starts[position + 1]) : parents.count
        return parents[Int(starts[position])..<end]
    }

    /// Whether the one wins where neither had seen the other: by clock, then author, then batch,
    /// then index.
    package func beats(_ one: Int, _ other: Int) -> Bool {
        let (a, b) = (versions[one], versions[other])
        if a.clock != b.clock { return b.clock < a.clock }
        if a.batch == b.batch { return b.index < a.index }
        return (author(of: other), name(of: other)) < (author(of: one), name(of: one))
    }

    /// Where the version with an index in a batch, by its number, is.
    ///
    /// - Complexity: O(log n).
    package func position(batch: Int, index: Int) -> Int? {
        var range = 0..<versions.count
        while !range.isEmpty {
            let middle = (range.lowerBound + range.upperBound) / 2
            let found = (self.batch(of: middle), self.index(of: middle))
            if found == (batch, index) { return middle }
            range =
                found < (batch, index)
                ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return nil
    }

    /// Some of the versions alone, whose positions are to ascend; the others count for nothing as
    /// parents.
    package func subset(_ positions: some RandomAccessCollection<Int>) -> RecordVersions {
        var subset = self
        subset.versions = positions.map { versions[$0] }
        subset.starts = []
        subset.parents = []
        for (new, old) in positions.enumerated() {
            subset.setParents(
                of: new,
                parents(of: old).compactMap {
                    subset.position(batch: batch(of: Int($0)), index: index(of: Int($0)))
                })
        }
        return subset
    }
}
