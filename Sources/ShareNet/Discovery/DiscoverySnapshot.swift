package import ShareCrypto
internal import Synchronization

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
    package var duplicates: [DiscoveredPeer] = []

    package init() {}

    /// Whether absence means something: this device has browsed for that long without a break.
    package func hasBrowsed(
        for duration: Duration, at now: ContinuousClock.Instant = .now
    ) -> Bool {
        guard let browsingSince else { return false }
        return browsingSince.duration(to: now) >= duration
    }
}

/// A device as its advertisement describes it. Anyone on the Wi-Fi can advertise anything: only
/// a handshake with the key shows that an address is the device's.
package struct DiscoveredPeer: Hashable, Sendable {
    package let key: DeviceKey
    /// The name that it advertises, made fit for a screen.
    package let name: String
    package let port: UInt16
    /// Numeric addresses, IPv4 first, at most 16; link-local IPv6 with its scope
    /// (`fe80::1%eth0`).
    package let addresses: [String]
    package let rooms: [AdvertisedRoom]
    /// The protocol version that it speaks.
    package let protocolVersion: Int
    /// Names of the network interfaces on which it is seen, sorted.
    package let interfaces: [String]
}

/// Where the newest snapshot hangs: read at once from anywhere, and followed by one reader.
final class SnapshotCache: Sendable {
    let stream: AsyncStream<DiscoverySnapshot>
    private let continuation: AsyncStream<DiscoverySnapshot>.Continuation
    private let newest = Mutex(DiscoverySnapshot())

    init() {
        (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    deinit { continuation.finish() }

    var snapshot: DiscoverySnapshot { newest.withLock { $0 } }

    /// Replaces the snapshot and tells the reader, unless nothing has changed.
    func publish(_ snapshot: DiscoverySnapshot) {
        let changed = newest.withLock { newest in
            guard newest != snapshot else { return false }
            newest = snapshot
            return true
        }
        if changed { continuation.yield(snapshot) }
    }
}
