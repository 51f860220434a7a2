package import ShareCore

/// Operations as people count them: an entry with the rows of its repeats is one, and so is a
/// change of it.
package struct EntryTally: Hashable, Sendable {
    /// New entries.
    package internal(set) var entries = 0
    /// Operations that count with another one, or not at all: a row of a repeat is a part of its
    /// entry.
    package internal(set) var parts = 0

    /// Of more operations all rows are taken for parts: each would have to be looked at.
    static let looked = 10_000
    /// The same, of bytes: `status` asks each time.
    static let lookedBytes = 4 << 20

    init() {}

    /// The tally of some blocks, of which those with these definitions are rows of repeats.
    ///
    /// What one device does to an entry at one moment is one change.
    ///
    /// - Complexity: O(operations).
    package init(_ blocks: [RecordsBlock], repeats: Set<OperationName>) {
        var made: Set<RecordID> = []
        var moments: Set<UInt64> = []
        for block in blocks where !repeats.contains(block.form) {
            for row in block.rows {
                if block.kind == .put {
                    entries += 1
                    made.insert(row.id)
                }
                moments.insert(row.wall.milliseconds)
            }
        }
        // Entries of which rows alone have changed.
        var parents: Set<ParentName> = []
        var (added, changed): (Set<UInt64>, Set<UInt64>) = ([], [])
        for block in blocks where repeats.contains(block.form) {
            for (position, row) in block.rows.enumerated() {
                let moment = row.wall.milliseconds
                let isPart: Bool
                if block.kind == .put, let parent = block.parent(ofRow: position) {
                    let isKnown = made.contains(parent.id)
                    made.insert(row.id)
                    isPart =
                        isKnown || !parents.insert(parent).inserted || moments.contains(moment)
                        || changed.contains(moment)
                    added.insert(moment)
                } else {
                    isPart =
                        moments.contains(moment) || added.contains(moment)
                        || !changed.insert(moment).inserted
                }
                if isPart { parts += 1 }
            }
        }
    }
}

extension RecordsBlock {
    /// The entry or row that a row of a repeat is added to.
    fileprivate func parent(ofRow row: Int) -> ParentName? {
        guard fields.first == 0, case .text(let text) = value(row: row, column: 0) else {
            return nil
        }
        return ParentName(text.utf8)
    }
}

extension Body {
    /// Its blocks of operations on entries.
    package var records: [RecordsBlock] {
        blocks.compactMap { if case .records(let block) = $0 { block } else { nil } }
    }
}
