/// Having the network asked again.
///
/// Avahi asks who is there in waits that double up to an hour, and does not notice a cable that
/// is pulled and plugged in again while the address stays: two devices that missed each other's
/// announcements would not meet for long. A new browser makes it ask at once, and what comes of
/// it reaches the old browser too.
extension DiscoveryEngine {
    /// How often to ask while nobody is there.
    static let nudgeIntervalAlone = Duration.seconds(60)
    /// How often to ask in company.
    static let nudgeInterval = Duration.seconds(300)
    /// How long the second browser lives: Avahi asks within this time.
    static let nudgeLength = Duration.seconds(1)

    func nudge(at now: ContinuousClock.Instant) {
        guard browser != nil else { return nudgeAt = nil }
        let isAlone = neighbourhood.peers(except: device).isEmpty
        nudgeAt =
            now + (isAlone ? DiscoveryEngine.nudgeIntervalAlone : DiscoveryEngine.nudgeInterval)
        guard nudger == nil else { return }
        // Where it fails the first browser fails too, and says so.
        nudger = try? ServiceReference.browse(on: executor.queue) { _ in }
        nudgeEnds = now + DiscoveryEngine.nudgeLength
    }

    func endNudge() {
        nudger?.close()
        (nudger, nudgeEnds) = (nil, nil)
    }
}
