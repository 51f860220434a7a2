/// What a receiver says of a batch after its commit.
package struct Acknowledgement: Hashable, Sendable {
    /// Whether a batch is stored, and where it is not whether the receiver's disk is why; as on
    /// the wire (docs/protocol/sessions.md, section 1).
    package enum Storing: UInt64, Hashable, Sendable {
        case notKept = 0
        case stored = 1
        /// Not stored now: the disk is full.
        case diskFull = 2
        /// Not stored now: the disk, or the file on it, fails otherwise.
        case diskFails = 3
    }

    package let log: LogName
    package let head: LogHead
    package let storing: Storing
    package let accepted: UInt64
    package let waiting: UInt64
    package let refused: UInt64

    package init(
        log: LogName, head: LogHead, storing: Storing, accepted: UInt64, waiting: UInt64,
        refused: UInt64
    ) {
        self.log = log
        self.head = head
        self.storing = storing
        self.accepted = accepted
        self.waiting = waiting
        self.refused = refused
    }

    package init(
        log: LogName, head: LogHead, isStored: Bool, accepted: UInt64, waiting: UInt64,
        refused: UInt64
    ) {
        self.init(
            log: log, head: head, storing: isStored ? .stored : .notKept, accepted: accepted,
            waiting: waiting, refused: refused)
    }

    package var isStored: Bool { storing == .stored }

    /// Whether the receiver's disk kept it from being stored.
    package var isHinderedByDisk: Bool { storing == .diskFull || storing == .diskFails }

    /// Whether the sender may call the batch delivered.
    package var isDelivery: Bool { isStored && refused == 0 }
}
