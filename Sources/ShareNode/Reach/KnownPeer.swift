package import ShareCrypto
package import ShareNet

/// A device as this one knows how to reach it.
package struct KnownPeer: Sendable {
    package let key: DeviceKey
    package internal(set) var name: String
    /// When somebody else told that name; nil where the device did, or it is from before the start.
    var nameHeard: ContinuousClock.Instant?
    /// Where it is advertised now.
    var advertised: [Endpoint] = []
    /// Where it was met before, the latest first, or where others met it.
    var remembered: [Endpoint] = []
    /// Short ids and names of the rooms that it advertises.
    package internal(set) var rooms: [AdvertisedRoom] = []
    /// Whether it is advertised now.
    package internal(set) var isNearby = false
    /// When it began to be advertised as it is now: milliseconds since 1970; nil where it was so
    /// already when this program started.
    package internal(set) var lastSeen: UInt64?
    /// When it was connected last: milliseconds since 1970.
    package internal(set) var lastMet: UInt64?
    /// Whether it did not answer when it was tried last, or fell silent while it was connected: what
    /// advertises it may be a memory of the network.
    package internal(set) var isSilent = false

    /// Whether it is advertised and was never met: of one that was, what advertises it may be a memory
    /// of the network, which goes on for minutes.
    var isSeen: Bool { isNearby && lastMet == nil }

    /// Addresses in the order in which they are tried: what worked last comes first.
    var endpoints: [Endpoint] {
        var seen: Set<Endpoint> = []
        return (remembered.prefix(1) + advertised + remembered.dropFirst()).filter {
            seen.insert($0).inserted
        }
    }

    /// Whether it answered just now although it is not advertised: where it was dialled by its
    /// address, say. One of another release comes and goes, and is told of for longer.
    func wasMetLately(now: UInt64) -> Bool {
        guard let lastMet, isMet else { return false }
        return now < lastMet + (otherVersion == nil ? 20_000 : 600_000)
    }

    /// When anything was heard of it last: milliseconds since 1970.
    var lastHeard: UInt64 { max(lastSeen ?? 0, lastMet ?? 0) }

    /// Whether it is likely to answer: it is advertised, or was met lately, and has not failed to.
    func isNear(now: UInt64) -> Bool { !isSilent && (isNearby || wasMetLately(now: now)) }

    /// The version of the protocol that it spoke, where that is not this device's.
    var otherVersion: UInt64?

    /// The release of the program that it ran when it was met last; nil where it has not said.
    var release: String?

    /// Whether it has answered since the start.
    var isMet = false

    package var address: String? { endpoints.first?.text }
}

/// Whom or what to dial: a device, or an address whose device is not known yet.
enum DialTarget: Hashable, Sendable {
    case device(DeviceKey)
    case address(Endpoint)
}
