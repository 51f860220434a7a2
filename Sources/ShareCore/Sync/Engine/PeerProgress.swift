/// How a connected peer's copy of a room and this device's stand to each other, as far as the
/// peer has told (docs/protocol.md, "Standing").
package struct PeerProgress: Hashable, Sendable {
    /// The numbers are those of `node.sqlite`.
    package enum State: Int, Hashable, Sendable {
        /// The peer has not told yet what it holds.
        case unheard
        /// The same batches and, where both may hold all of them, the same state made of them.
        case identical
        /// The same batches; what the peer made of them has not been told yet.
        case comparing
        /// One of the two lacks something.
        case differing
        /// The same batches and another state: a fault of one of the two.
        case digestDiffers
    }

    package let state: State
    /// Operations that the peer lacks.
    package let behind: UInt64
    /// Operations that this device lacks, by the peer's own count.
    package let ahead: UInt64

    package init(_ state: State, behind: UInt64 = 0, ahead: UInt64 = 0) {
        self.state = state
        self.behind = behind
        self.ahead = ahead
    }
}

/// How a member stood when it was met last, and how much this device held then of the logs that
/// the two exchange.
package struct LastKnownStatus: Hashable, Sendable {
    package let progress: PeerProgress
    /// Operations in this device's own logs.
    package let own: UInt64
    /// Operations in all others.
    package let others: UInt64
    /// Those of them in the member's own logs.
    package let theirs: UInt64
    /// Operations that the member had made and not sealed, as it had said.
    package let pending: UInt64?
    /// Milliseconds of this device's wall clock since 1970.
    package let at: UInt64

    package init(
        progress: PeerProgress, own: UInt64, others: UInt64, theirs: UInt64, pending: UInt64?,
        at: UInt64
    ) {
        self.progress = progress
        self.own = own
        self.others = others
        self.theirs = theirs
        self.pending = pending
        self.at = at
    }

    init(progress: PeerProgress, _ held: HeldOperations, pending: UInt64?, at: UInt64) {
        self.init(
            progress: progress, own: held.own, others: held.others, theirs: held.theirs,
            pending: pending, at: at)
    }

    /// How it stands now as far as is known, where this device holds as much.
    ///
    /// What has come from others since may be what the member had alone; what it wrote itself, a
    /// file or a third device has brought, and it does not lack that.
    func progress(_ now: HeldOperations) -> PeerProgress {
        let more = now.others.subtractingClamped(others)
        let written = min(more, now.theirs.subtractingClamped(theirs))
        let caughtUp = min(more, progress.ahead)
        let behind = progress.behind.addingClamped(now.own.subtractingClamped(own))
            .addingClamped(more - max(caughtUp, written))
        let ahead = progress.ahead - caughtUp
        let isSame = behind == progress.behind && ahead == progress.ahead
        return PeerProgress(isSame ? progress.state : .differing, behind: behind, ahead: ahead)
    }

    /// The operations that it has not sealed, as far as is known: of those that it had not are some
    /// here by now, brought by a file or a third device, after what it had sealed already.
    func pending(_ now: HeldOperations) -> UInt64? {
        let more = now.theirs.subtractingClamped(theirs).subtractingClamped(progress.ahead)
        return pending.map { $0.subtractingClamped(more) }
    }

    /// How it stands now, where it is known besides how much it lacked at most when it wrote a file.
    func reading(behind: UInt64, _ now: HeldOperations) -> LastKnownStatus {
        let known = progress(now)
        guard behind < known.behind else { return self }
        let isSame = behind == 0 && known.ahead == 0
        return LastKnownStatus(
            progress: PeerProgress(
                isSame ? .comparing : .differing, behind: behind, ahead: known.ahead),
            now, pending: pending(now), at: at)
    }
}

/// How much this device holds of the logs that it exchanges with a member.
struct HeldOperations {
    /// Operations in this device's own logs.
    var own: UInt64 = 0
    /// Operations in all others.
    var others: UInt64 = 0
    /// Those of them in the member's own logs.
    var theirs: UInt64 = 0
}
