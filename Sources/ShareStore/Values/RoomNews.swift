/// What batches have brought about in a room, for those who watch.
package struct RoomNews: Hashable, Sendable {
    /// Records that are named one by one; the rest is counted.
    package static let namedRecords = 64

    /// What accepted operations did. Puts are counted for each form and author.
    package var records: [RecordNews] = []
    /// What was refused.
    package var refused: [MergeRefusal] = []
    /// Ascending by record.
    package var conflicts: [ArisenConflict] = []
    /// Records with conflicts that have arisen beyond those in `conflicts`.
    package var moreConflicts = 0
    /// Forms whose definition in force is another now, ascending.
    package var changedForms: [String] = []

    package init() {}
}
