import Glibc

/// A network interface of this machine, but for the loopback.
struct NetworkLink: Sendable {
    let name: String
    /// Whether a cable or a Wi-Fi carries it.
    var hasSignal: Bool
    var addresses: [Address] = []

    /// An IPv4 address with its network.
    struct Address: Sendable {
        let host: UInt32
        let mask: UInt32

        /// As people write it: `192.168.43.0/24`.
        var network: String { "\(Self.text(host & mask))/\(mask.nonzeroBitCount)" }

        /// Whether a host is in the same network.
        func holds(_ text: String) -> Bool {
            var address = in_addr()
            guard inet_pton(AF_INET, text, &address) == 1 else { return false }
            return UInt32(bigEndian: address.s_addr) & mask == host & mask
        }

        private static func text(_ host: UInt32) -> String {
            [24, 16, 8, 0].map { "\(host >> $0 & 255)" }.joined(separator: ".")
        }
    }

    /// Whether there are networks, and none of them has a signal.
    static func isSilent(_ links: [NetworkLink]) -> Bool {
        let networks = links.filter { !$0.addresses.isEmpty }
        return !networks.isEmpty && !networks.contains(where: \.hasSignal)
    }

    /// That no network has a signal, for people; nil where one has, or there is none.
    static func silence(of links: [NetworkLink]) -> String? {
        guard isSilent(links) else { return nil }
        let names = links.filter { !$0.addresses.isEmpty }.map(\.name)
        return names.joined(separator: " and ") + (names.count == 1 ? " has" : " have")
            + " no signal (cable or Wi-Fi)"
    }

    /// The interfaces that are switched on.
    static func all() -> [NetworkLink] {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return [] }
        defer { freeifaddrs(list) }
        var found: [String: NetworkLink] = [:]
        var next = list
        while let entry = next {
            next = entry.pointee.ifa_next
            let flags = Int32(bitPattern: entry.pointee.ifa_flags)
            guard flags & Int32(IFF_UP) != 0, flags & Int32(IFF_LOOPBACK) == 0 else { continue }
            let name = String(cString: entry.pointee.ifa_name)
            let hasSignal = flags & Int32(IFF_RUNNING) != 0
            found[name, default: NetworkLink(name: name, hasSignal: hasSignal)].hasSignal =
                hasSignal
            guard let address = entry.pointee.ifa_addr, let mask = entry.pointee.ifa_netmask,
                Int32(UnsafeRawPointer(address).load(as: sa_family_t.self)) == AF_INET
            else { continue }
            func number(_ pointer: UnsafePointer<sockaddr>) -> UInt32 {
                let address = UnsafeRawPointer(pointer).load(as: sockaddr_in.self)
                return UInt32(bigEndian: address.sin_addr.s_addr)
            }
            found[name]?.addresses.append(Address(host: number(address), mask: number(mask)))
        }
        return found.values.sorted { $0.name < $1.name }
    }
}
