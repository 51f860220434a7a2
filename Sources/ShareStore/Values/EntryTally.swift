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
    /// What one device does to an entry at one moment is one change; where it is not known which
    /// entry a row is of, what it does to rows at one moment.
    ///
    /// - Parameter entry: the entry that a row of a block lies in, where that is known.
    /// - Complexity: O(operations).
    package init(
        _ blocks: [RecordsBlock], repeats: Set<OperationName>,
        entry: (RecordsBlock, RecordsBlock.Row) throws -> RecordID?
    ) rethrows {
        var made: Set<RecordID> = []
        var moments: Set<Change> = []
        for block in blocks where !repeats.contains(block.form) {
            for row in block.rows {
                if block.kind == .put {
                    entries += 1
                    made.insert(row.id)
                }
                moments.insert(Change(of: row.id, at: row.wall.milliseconds))
                moments.insert(Change(of: nil, at: row.wall.milliseconds))
            }
        }
        // Entries of which rows alone have changed.
        var parents: Set<ParentName> = []
        var (added, changed): (Set<Change>, Set<Change>) = ([], [])
        for block in blocks where repeats.contains(block.form) {
            for (position, row) in block.rows.enumerated() {
                let moment = Change(of: try entry(block, row), at: row.wall.milliseconds)
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

    /// What is done at one moment, to one entry where that is known.
    private struct Change: Hashable {
        let entry: RecordID?
        let moment: UInt64

        init(of entry: RecordID?, at moment: UInt64) {
            self.entry = entry
            self.moment = moment
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
