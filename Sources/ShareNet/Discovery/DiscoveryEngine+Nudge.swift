internal import Glibc

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

/// One question to the whole network: who offers our service? (RFC 6762 §5.2.)
enum NetworkQuery {
    private static let port: UInt16 = 5_353
    /// 224.0.0.251, as bytes in memory.
    private static let group = UInt32(bigEndian: 0xE000_00FB)

    /// A query for the PTR records of `_shared._tcp.local`: header with one question, name,
    /// type PTR (12), class IN (1).
    static let packet: [UInt8] = {
        let labels = ["_shared", "_tcp", "local"]
        var packet: [UInt8] = [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]
        for label in labels { packet += [UInt8(label.utf8.count)] + Array(label.utf8) }
        return packet + [0, 0, 12, 0, 1]
    }()

    /// Sends the question from the port of multicast DNS on each interface, so that the answers
    /// go to everyone, and avahi-daemon hears them. What cannot be sent is left out: this only
    /// hastens what happens anyway.
    static func send() {
        let handle = socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard handle >= 0 else { return }
        defer { close(handle) }
        var on: Int32 = 1
        var hops: Int32 = 255
        let size = socklen_t(MemoryLayout<Int32>.size)
        setsockopt(handle, SOL_SOCKET, SO_REUSEADDR, &on, size)
        setsockopt(handle, Int32(IPPROTO_IP), IP_MULTICAST_TTL, &hops, size)
        guard withAddress(0, { bind(handle, $0, $1) }) == 0 else { return }
        for address in interfaceAddresses() {
            var address = address
            setsockopt(
                handle, Int32(IPPROTO_IP), IP_MULTICAST_IF, &address,
                socklen_t(MemoryLayout<in_addr>.size))
            _ = withAddress(group) {
                sendto(handle, packet, packet.count, Int32(MSG_DONTWAIT), $0, $1)
            }
        }
    }

    /// The IPv4 addresses of the interfaces that take part in multicast DNS.
    private static func interfaceAddresses() -> [in_addr] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return [] }
        defer { freeifaddrs(first) }
        var addresses: [in_addr] = []
        var next = first
        while let entry = next?.pointee {
            next = entry.ifa_next
            let flags = Int32(bitPattern: entry.ifa_flags)
            let wanted = Int32(IFF_UP) | Int32(IFF_MULTICAST)
            guard flags & wanted == wanted, flags & Int32(IFF_LOOPBACK) == 0,
                let address = entry.ifa_addr, address.pointee.sa_family == UInt16(AF_INET)
            else { continue }
            address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                addresses.append($0.pointee.sin_addr)
            }
        }
        return addresses
    }

    private static func withAddress<R>(
        _ host: UInt32, _ body: (UnsafePointer<sockaddr>, socklen_t) -> R
    ) -> R {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = host
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
