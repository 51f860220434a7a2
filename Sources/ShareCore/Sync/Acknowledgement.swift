/// What a receiver says of a batch after its commit.
package struct Acknowledgement: Hashable, Sendable {
    package let log: LogName
    package let head: LogHead
    package let isStored: Bool
    package let accepted: UInt64
    package let waiting: UInt64
    package let refused: UInt64

    package init(
        log: LogName, head: LogHead, isStored: Bool, accepted: UInt64, waiting: UInt64,
        refused: UInt64
    ) {
        self.log = log
        self.head = head
        self.isStored = isStored
        self.accepted = accepted
        self.waiting = waiting
        self.refused = refused
    }

    /// Whether the sender may call the batch delivered.
    package var isDelivery: Bool { isStored && refused == 0 }
}
