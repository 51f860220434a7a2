import Glibc
import ShareCore
import ShareNet
import ShareStore

/// Announces this device with its rooms, and says where others may reach it.
actor Advertising {
    private let own: OwnDevice
    private let rooms: RoomBook
    /// Where this device listens.
    private let endpoint: Endpoint
    private let discovery: Discovery?
    /// The announcement as it is now.
    private var current: Advertisement?
    /// How often it was looked at anew.
    private var looks = 0

    init(own: OwnDevice, rooms: RoomBook, endpoint: Endpoint, discovery: Discovery?) {
        self.own = own
        self.rooms = rooms
        self.endpoint = endpoint
        self.discovery = discovery
    }

    /// Announces the device with its rooms, where that is not what is announced already.
    func refresh() async {
        guard let discovery else { return }
        looks += 1
        let look = looks
        let wanted = Advertisement(
            name: own.name, port: endpoint.port, device: own.key,
            rooms: await advertisedRooms())
        // Who looked later knows better: a room may be hidden, or left, since.
        guard look == looks, wanted != current else { return }
        current = wanted
        discovery.advertise(wanted)
    }

    /// The rooms that strangers may know of: those that this device is in and that are not hidden.
    nonisolated func advertisedRooms() async -> [AdvertisedRoom] {
        var list: [AdvertisedRoom] = []
        for room in await rooms.all() where !room.isJoining {
            let settings = await room.store.settings()
            guard !settings.isHidden, await rooms.role(in: room.id) != nil,
                let advertised = AdvertisedRoom(
                    name: room.name, shortID: room.id.short, isOpen: settings.isOpen)
            else { continue }
            list.append(advertised)
        }
        return list
    }

    /// Where others on the network may reach this device: `HOST:PORT`, two at most.
    nonisolated func ownAddresses() -> [String] {
        let isAny = ["*", "0.0.0.0", "::"].contains(endpoint.host)
        let hosts =
            isAny ? LocalAddresses.all().filter(PrivateAddress.isPrivate) : [endpoint.host]
        return hosts.prefix(2).map { Endpoint(host: $0, port: endpoint.port).text }
    }
}

/// The addresses of this device that others on the network could use.
enum LocalAddresses {
    /// Numeric IPv4 and global IPv6 addresses, without loopback.
    static func all() -> [String] {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return [] }
        defer { freeifaddrs(list) }
        var found: [String] = []
        var next = list
        while let entry = next {
            next = entry.pointee.ifa_next
            let flags = Int32(bitPattern: entry.pointee.ifa_flags)
            guard flags & Int32(IFF_UP) != 0, flags & Int32(IFF_LOOPBACK) == 0,
                let address = entry.pointee.ifa_addr
            else { continue }
            let family = Int32(UnsafeRawPointer(address).load(as: sa_family_t.self))
            let length =
                family == AF_INET ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size
            guard family == AF_INET || family == AF_INET6 else { continue }
            var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            guard
                getnameinfo(
                    address, socklen_t(length), &host, socklen_t(host.count), nil, 0,
                    NI_NUMERICHOST) == 0
            else { continue }
            let text = String(
                decoding: host.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            if !text.hasPrefix("fe80") { found.append(text) }
        }
        return found
    }
}

/// Addresses that belong to local networks. What others say about where members are is taken
/// only for these, so that nobody can point a room at a stranger on the internet.
enum PrivateAddress {
    static func isPrivate(_ host: String) -> Bool {
        if host.contains(":") {
            let host = host.lowercased()
            return host == "::1" || host.hasPrefix("fe8") || host.hasPrefix("fe9")
                || host.hasPrefix("fea") || host.hasPrefix("feb") || host.hasPrefix("fc")
                || host.hasPrefix("fd")
        }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
            .compactMap { UInt8($0) }
        guard parts.count == 4, host.split(separator: ".").count == 4 else { return false }
        switch (parts[0], parts[1]) {
        case (10, _), (127, _), (192, 168), (169, 254): return true
        case (172, 16...31): return true
        default: return false
        }
    }
}

extension Transport {
    /// Listens where it is asked to; else at the port kept from before, so that addresses that
    /// others remember stay good; else at the usual one; else at any free one.
    func listen(
        on endpoint: Endpoint?, orAt usual: UInt16, keepingPortIn store: NodeStore, log: Log
    ) async throws -> Listener {
        if let endpoint { return try await listen(on: endpoint) }
        let kept = try await store.port()
        for port in [kept ?? usual, 0] {
            do {
                let listener = try await listen(on: Endpoint(host: "*", port: port))
                if listener.endpoint.port != kept {
                    try await store.setPort(listener.endpoint.port)
                }
                return listener
            } catch TransportError.addressInUse where port != 0 {
                log.notice("port in use, taking another", ["port": "\(port)"])
            }
        }
        throw TransportError.addressInUse("*")
    }
}
