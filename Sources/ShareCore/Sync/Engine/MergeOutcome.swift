/// The fate of one batch that was handed to the store.
package struct MergeOutcome: Hashable, Sendable {
    package enum Fate: Hashable, Sendable {
        /// Stored now, and new.
        case stored
        /// Held already.
        case known
        /// Its predecessor is not held.
        case gap
        /// Kept apart, as its author has no grant that is known.
        case apart
        /// Not kept: it lies past the cutoff of a removed device.
        case pastCutoff
        /// Not kept: of another room.
        case dropped
        /// Not kept: the disk is full.
        case diskFull
        /// Not kept: the file would not take it now.
        case failed
    }

    /// Whether this device holds it now.
    var isKept: Bool { fate == .stored || fate == .known }

    /// The answer to its sender.
    var storing: Acknowledgement.Storing {
        switch fate {
        case .stored, .known: .stored
        case .gap, .apart, .pastCutoff, .dropped: .notKept
        case .diskFull: .diskFull
        case .failed: .diskFails
        }
    }

    package let log: LogName
    package let head: LogHead
    package let fate: Fate
    /// Bytes of the batch.
    package let size: Int
    /// Verdicts over its operations.
    package let accepted: Int
    package let waiting: Int
    package let refused: Int

    package init(
        log: LogName, head: LogHead, fate: Fate, size: Int, accepted: Int, waiting: Int,
        refused: Int
    ) {
        self.log = log
        self.head = head
        self.fate = fate
        self.size = size
        self.accepted = accepted
        self.waiting = waiting
        self.refused = refused
    }
}

/// A receiver's answer to a batch, after its commit.
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
