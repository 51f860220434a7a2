/// Having the network asked again.
///
/// Avahi asks who is there in waits that double up to an hour, whatever its clients do, and does
/// not notice a cable that is pulled and plugged in again while the address stays: two devices
/// that missed each other's announcements would not meet for long. So this asks itself; the
/// answers go to everyone, avahi-daemon among them, and come back by the browser.
extension DiscoveryEngine {
    /// How often to ask while nobody is there.
    static let nudgeIntervalAlone = Duration.seconds(60)
    /// How often to ask in company.
    static let nudgeInterval = Duration.seconds(300)
    /// How often at most, however often `refresh` is called.
    static let nudgeIntervalLeast = Duration.seconds(1)

    func nudge(at now: ContinuousClock.Instant) {
        guard browser != nil else { return nudgeAt = nil }
        let isAlone = neighbourhood.peers(except: device).isEmpty
        nudgeAt =
            now + (isAlone ? DiscoveryEngine.nudgeIntervalAlone : DiscoveryEngine.nudgeInterval)
        if let nudgedAt, now < nudgedAt + DiscoveryEngine.nudgeIntervalLeast { return }
        nudgedAt = now
        NetworkQuery.send()
    }
}
