/// How a member stood at the end of a session, and how much this device held then of the logs that
/// the two exchange.
struct Departure: Sendable {
    let standing: PeerStanding
    /// Operations in this device's own logs.
    let own: UInt64
    /// Operations in all others.
    let others: UInt64

    /// How it stands now as far as is known, where this device holds as much.
    ///
    /// What has come from others since may be what the member had alone.
    func standing(own now: UInt64, others: UInt64) -> PeerStanding {
        let more = others.subtractingClamped(self.others)
        let caughtUp = min(more, standing.ahead)
        let behind = standing.behind.addingClamped(now.subtractingClamped(own))
            .addingClamped(more - caughtUp)
        let ahead = standing.ahead - caughtUp
        let isSame = behind == standing.behind && ahead == standing.ahead
        return PeerStanding(isSame ? standing.state : .differing, behind: behind, ahead: ahead)
    }
}
