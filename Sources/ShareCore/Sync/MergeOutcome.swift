/// What became of one batch that was handed to the store.
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

    /// What its sender is told.
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
