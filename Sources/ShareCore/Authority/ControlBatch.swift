package import ShareCrypto

/// A batch of a control log, as far as authority needs it (docs/protocol/authority.md).
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

    package let author: DeviceKey
    package let head: LogHead
    /// The batch before this one in its log; for number 1 it is not looked at.
    package let previous: BatchID
    /// In the order of their places; none for a malformed body.
    package let entries: [Entry]
    /// Whether any of its operations is about a device.
    let isAboutDevices: Bool
    /// Whether any of its operations removes its author.
    let hasLeave: Bool
    /// Whether any of its operations is a grant that an editor may write.
    let admits: Bool

    package init(author: DeviceKey, head: LogHead, previous: BatchID, entries: [Entry]) {
        self.author = author
        self.head = head
        self.previous = previous
        self.entries = entries
        isAboutDevices = entries.contains { OperationSort($0.operation).isAboutDevice }
        hasLeave = entries.contains { $0.isLeave(of: author) }
        admits = entries.contains { OperationSort($0.operation) == .grant }
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

    package func name(of entry: Entry) -> OperationName {
        OperationName(batch: head.batch, index: entry.index)
    }
}

extension ControlBatch.Entry {
    /// Whether it removes the author of its batch.
    func isLeave(of author: DeviceKey) -> Bool {
        if case .removal(let removal) = operation { removal.subject == author } else { false }
    }
}
