/// A request for a log that waits for its end, and what has come of it.
///
/// Only what is new counts, as the store says, or what is still on its way to the store: a peer
/// that sends what is held already does not keep others from being asked.
struct LogAsk: Sendable {
    /// When the turn of this peer began, and when it last brought something new.
    private var begun: Duration
    private var since: Duration
    /// Bytes that were new in this turn.
    private var brought = 0
    /// Batches that the store has not answered yet.
    private var pending = 0

    init(now: Duration) {
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
