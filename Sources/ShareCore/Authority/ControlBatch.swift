package import ShareCrypto

/// A batch of a control log, as far as authority needs it (docs/protocol/authority.md).
///
/// It has the outline of its operations, and what some of them say: all of them while it is open.
/// Closed it costs as little as a member can make it cost whose operations count for nothing.
package struct ControlBatch: Hashable, Sendable {
    package struct Entry: Hashable, Sendable {
        /// The operation's place in its batch.
        package let index: Int
        package let operation: ControlOperation

        package init(index: Int, operation: ControlOperation) {
            self.index = index
            self.operation = operation
        }
    }

    /// The part that a closed batch has too; shared, as authority and the store both hold it.
    private final class Outline: Sendable {
        let author: DeviceKey
        let head: LogHead
        let previous: BatchID
        let operations: ControlOutline
        let isAboutDevices: Bool
        let hasLeave: Bool
        let admits: Bool

        init(author: DeviceKey, head: LogHead, previous: BatchID, _ entries: [Entry]) {
            self.author = author
            self.head = head
            self.previous = previous
            operations = ControlOutline(entries, by: author)
            isAboutDevices = operations.has(\.isAboutDevice)
            hasLeave = operations.items.contains(where: \.isLeave)
            admits = operations.has { $0 == .grant }
        }
    }

    private let shared: Outline
    /// Operations that are at hand, in the order of their places; none for a malformed body.
    package let entries: [Entry]

    package init(author: DeviceKey, head: LogHead, previous: BatchID, entries: [Entry]) {
        shared = Outline(author: author, head: head, previous: previous, entries)
        self.entries = entries
    }

    /// The part of a decoded batch that matters; a nil body is a malformed one. Nil for a batch
    /// of a records log.
    package init?(_ batch: Batch, body: Body?) {
        guard batch.kind == .control else { return nil }
        var entries: [Entry] = []
        for case .control(let block) in body?.blocks ?? [] {
            for (place, entry) in block.entries.enumerated() {
                entries.append(
                    Entry(
                        index: block.firstIndex + place, operation: entry.operation.withoutCells))
            }
        }
        self.init(
            author: batch.author, head: batch.head, previous: batch.previous, entries: entries)
    }

    private init(_ batch: ControlBatch, keeping entries: [Entry]) {
        shared = batch.shared
        self.entries = entries
    }

    package var author: DeviceKey { shared.author }
    package var head: LogHead { shared.head }
    /// The batch before this one in its log; for number 1 it is not looked at.
    package var previous: BatchID { shared.previous }
    package var outline: ControlOutline { shared.operations }
    /// Whether any of its operations is about a device.
    var isAboutDevices: Bool { shared.isAboutDevices }
    /// Whether any of its operations removes its author.
    var hasLeave: Bool { shared.hasLeave }
    /// Whether any of its operations is a grant that an editor may write.
    var admits: Bool { shared.admits }

    /// Whether all of its operations are at hand.
    package var isOpen: Bool { entries.count == outline.items.count }
    /// The same without any.
    package var closed: ControlBatch { ControlBatch(self, keeping: []) }
    /// The same with those of its operations alone that stand at these places.
    package func keeping(_ places: Set<Int>) -> ControlBatch {
        ControlBatch(self, keeping: entries.filter { places.contains($0.index) })
    }

    /// The operation at a place, where it is at hand.
    ///
    /// - Complexity: O(log n).
    package func entry(at index: Int) -> Entry? {
        let place = entries.end { $0.index < index }
        return place < entries.count && entries[place].index == index ? entries[place] : nil
    }

    package func name(of entry: Entry) -> OperationName { name(at: entry.index) }

    package func name(at index: Int) -> OperationName {
        OperationName(batch: head.batch, index: index)
    }

    package static func == (one: ControlBatch, other: ControlBatch) -> Bool {
        one.head == other.head && one.author == other.author && one.previous == other.previous
            && one.outline == other.outline && one.entries == other.entries
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(head) }
}
