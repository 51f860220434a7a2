package import ShareCrypto

/// How far a log goes, somewhere.
package struct LogState: Hashable, Sendable {
    /// Normally one; of very many some.
    package var heads: [LogHead]
    /// Stands for all heads where there are more than can be told; nil where `heads` are all.
    package var all: Digest?
    /// Operations in the whole log; for people, as nobody checks what a peer says of it.
    package var operations: UInt64

    package init(heads: [LogHead], all: Digest? = nil, operations: UInt64) {
        self.heads = heads
        self.all = all
        self.operations = operations
    }

    /// A digest that stands for all of these heads, in ascending order.
    package static func digest(of heads: [LogHead]) -> Digest {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(heads.count * 32)
        for head in heads { bytes += head.batch.bytes }
        return Hash.digest(bytes)
    }

    /// The greatest number; 0 without heads.
    package var number: UInt64 { heads.map(\.number).max() ?? 0 }

    /// How many operations each of two devices lacks of a log, at least.
    ///
    /// - Parameter held: Batches that this device is known to hold beside its heads.
    func gap(to theirs: LogState, held: Set<BatchID>) -> (theyLack: UInt64, weLack: UInt64) {
        let areAlike = theirs.all == all
        let haveTheirs =
            (areAlike || theirs.all == nil)
            && theirs.heads.allSatisfy { heads.contains($0) || held.contains($0.batch) }
        let haveOurs =
            (areAlike || all == nil) && heads.allSatisfy { theirs.heads.contains($0) }
        let areLines = heads.count <= 1 && theirs.heads.count <= 1
        // Of two lines with unlike numbers the shorter one is taken for the beginning of the
        // longer one: so it is but after a fork, which the batches will show.
        let theyMayLack = !haveOurs && !(areLines && !haveTheirs && theirs.number > number)
        let weMayLack = !haveTheirs && !(areLines && !haveOurs && theirs.number < number)
        return (
            theyMayLack ? max(operations.subtractingClamped(theirs.operations), 1) : 0,
            weMayLack ? max(theirs.operations.subtractingClamped(operations), 1) : 0
        )
    }

    /// Notes that `head` is held too. `previous`, if it is known, is a head no more.
    ///
    /// Of one known head and another that does not follow it, the lower one is taken for the
    /// beginning of the other's line: so it is but after a fork, which the batches, or the next
    /// telling, will show. Heads with one number are of two branches.
    mutating func advance(to head: LogHead, previous: BatchID?, operations: UInt64?) {
        if let operations { self.operations = max(self.operations, operations) }
        guard !heads.contains(head) else { return }
        if let previous {
            let count = heads.count
            heads.removeAll { $0.batch == previous }
            // Behind a head that is known already: nothing new. One that follows a head always is.
            if heads.count == count, count == 1, heads[0].number > head.number { return }
        } else if heads.count == 1, heads[0].number < head.number {
            heads.removeAll()
        }
        // Of very many those that were told of last.
        if heads.count >= Limits.headsTold { heads.removeFirst() }
        heads.append(head)
        heads.sort()
    }
}

/// A request for a log that waits for its end, and what has come of it.
///
/// Only what is new counts, as the store says, or what is still on its way to the store: a peer
/// that sends what is held already does not keep others from being asked.
struct LogAsk: Sendable {
    /// Whether all of the log was asked for, from its beginning on.
    let isWhole: Bool
    /// When the turn of this peer began, and when it last brought something new.
    private var begun: Duration
    private var since: Duration
    /// Bytes that were new in this turn.
    private var brought = 0
    /// Batches that the store has not answered yet.
    private var pending = 0

    init(isWhole: Bool, now: Duration) {
        self.isWhole = isWhole
        begun = now
        since = now
    }

    mutating func noteReceived() { pending += 1 }

    mutating func noteMerged(_ outcome: MergeOutcome, now: Duration) {
        pending = max(pending - 1, 0)
        guard outcome.fate == .stored else { return }
        if now - begun >= SyncLimits.askTurn, brought >= SyncLimits.askTurnBytes {
            begun = now
            brought = 0
        }
        brought += outcome.size
        since = now
    }

    /// Whether nobody else is to be asked for the log yet.
    func isFruitful(now: Duration) -> Bool {
        let patience = pending > 0 ? SyncLimits.askTurn : SyncLimits.askPatience
        return now - since < patience
            && (now - begun < SyncLimits.askTurn || brought >= SyncLimits.askTurnBytes)
    }

    /// When it is to be looked at again.
    var patienceEnds: Duration { since + SyncLimits.askPatience }
}
