/// All that discovery knows at one moment.
package struct DiscoverySnapshot: Equatable, Sendable {
    package var state: DiscoveryState = .off
    /// The name under which this device is registered, which differs from its own where that
    /// was taken; nil until the network has accepted it.
    package var registeredName: String?
    /// Since when, without a break, this device has browsed; nil while it does not.
    package var browsingSince: ContinuousClock.Instant?
    /// Whether this device's own advertisement has come back to it.
    package var ownSeen = false
    /// The other devices nearby, ordered by key, at most 1,024.
    package var peers: [DiscoveredPeer] = []
    /// Where this device's identity is advertised under another name: by another machine that
    /// uses it, or by a name that this one had before.
    package var twins: [DiscoveredPeer] = []

    package init() {}

    /// Whether absence means something: this device has browsed for that long without a break.
    package func hasBrowsed(
        for duration: Duration, at now: ContinuousClock.Instant = .now
    ) -> Bool {
        guard let browsingSince else { return false }
        return browsingSince.duration(to: now) >= duration
    }
}
