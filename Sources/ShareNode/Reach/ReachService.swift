package import ShareCore
package import ShareCrypto
package import ShareNet
import ShareStore

/// Knows where other devices are, and keeps this one connected to those that it should be
/// connected to.
package actor ReachService {
    let own: DeviceKey
    let transport: Transport
    let sync: SyncService
    let log: Log
    private let advertising: Advertising
    private let memory: NodeStore
    private let wall: @Sendable () -> UInt64
    /// Addresses from the command line, and whom they led to.
    var configured: [Endpoint: DeviceKey?] = [:]
    var known: [DeviceKey: KnownPeer] = [:]
    nonisolated let names = PeerNames()
    /// Members of this device's rooms, and which of them read everything.
    var members: [RoomID: [DeviceKey: Role]] = [:]
    /// The members of the past: they are not sought, and told when they come.
    var former: [RoomID: Set<DeviceKey>] = [:]
    /// The look at each room that its members are known by.
    private var looks: [RoomID: UInt64] = [:]
    /// The members of each room whom this device admitted.
    var admitted: [RoomID: Set<DeviceKey>] = [:]
    var dialing: Set<DialTarget> = []
    /// Where this device's own identity is advertised under another name.
    private var greeted: Set<Endpoint> = []
    var failures: [DialTarget: Int] = [:]
    var notBefore: [DialTarget: ContinuousClock.Instant] = [:]
    var timer: Task<Void, Never>?
    var mixer: Task<Void, Never>?
    var random = SystemRandomNumberGenerator()
    var isStopped = false

    /// Devices remembered beside the members of rooms.
    private static let strangers = 1_024
    private let started = ContinuousClock.now
    /// Who is announced so soon may be a memory of the network, of before this program was started.
    private static let afterStart = Duration.seconds(10)

    init(
        own: DeviceKey, transport: Transport, sync: SyncService, advertising: Advertising,
        configured: [Endpoint], memory: NodeStore, log: Log,
        wall: @escaping @Sendable () -> UInt64
    ) {
        self.advertising = advertising
        self.own = own
        self.transport = transport
        self.sync = sync
        self.memory = memory
        self.log = log
        self.wall = wall
        for endpoint in configured { self.configured[endpoint] = .some(nil) }
    }

    /// Takes in what was remembered from before.
    ///
    /// - Parameter met: when members were heard last, as sessions have noted it: in milliseconds
    ///   since 1970.
    package func recall(met: [DeviceKey: UInt64] = [:]) async {
        var remembered: [NodeDevice] = []
        do {
            remembered = try await memory.devices()
        } catch {
            log.warning("the devices met before cannot be read", ["error": "\(error)"])
        }
        for entry in remembered where entry.key != own {
            var peer = known[entry.key] ?? KnownPeer(key: entry.key, name: entry.name)
            peer.remembered = entry.addresses.compactMap { Endpoint(text: $0) }
            peer.lastMet = [peer.lastMet, entry.lastSeen, met[entry.key]].compactMap(\.self).max()
            peer.release = entry.release
            known[entry.key] = peer
            names.note(entry.key, peer.name)
        }
        await reconsider()
    }

    /// Takes in what discovery sees now.
    package func take(_ snapshot: DiscoverySnapshot) async {
        let seen = Dictionary(
            snapshot.peers.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
        for key in known.keys where seen[key] == nil {
            known[key]?.isNearby = false
            known[key]?.advertised = []
            known[key]?.rooms = []
        }
        for (key, peer) in seen where key != own {
            let isNew = known[key]?.isNearby != true
            guard makePlace(for: key) else { continue }
            var entry = known[key] ?? KnownPeer(key: key, name: peer.name)
            // Of two devices with one name the network calls the second otherwise: what a device has
            // said itself counts.
            if entry.lastMet == nil || entry.name.isEmpty { entry.name = peer.name }
            let advertised = peer.addresses.map { Endpoint(host: $0, port: peer.port) }
            // What goes on to be announced was said then, whoever else says something now, and
            // whatever of it is forgotten.
            let isNews =
                isNew || !peer.rooms.allSatisfy(entry.rooms.contains)
                || !advertised.allSatisfy(entry.advertised.contains)
            if isNews, .now - started > Self.afterStart { entry.lastSeen = wall() }
            entry.isNearby = true
            entry.rooms = peer.rooms
            entry.advertised = advertised
            if isNew { entry.isSilent = false }
            known[key] = entry
            names.note(key, entry.name)
            if isNew { notBefore[.device(key)] = nil }
        }
        greet(snapshot.duplicates)
        await reconsider()
    }

    /// Connects, once, to whoever else advertises this device's identity: to another machine
    /// that uses it, or, by an old advertisement, to itself.
    private func greet(_ duplicates: [DiscoveredPeer]) {
        let endpoints = duplicates.flatMap { peer in
            peer.addresses.map { Endpoint(host: $0, port: peer.port) }
        }
        greeted.formIntersection(endpoints)
        for endpoint in endpoints where greeted.insert(endpoint).inserted {
            Task {
                guard let connection = try? await transport.dial(endpoint) else { return }
                guard connection.peerKey == own else {
                    return connection.close("another device answers there")
                }
                await sync.adopt(connection)
            }
        }
    }

    /// Takes in who is a member of which room, and who was and is none any more.
    ///
    /// - Parameters:
    ///   - admitted: those whom this device admitted: it knows what they call themselves.
    ///   - look: the number of the look at the room that has shown this; what an earlier look has
    ///     shown than the one taken in last is passed over.
    package func setMembers(
        _ list: [DeviceKey: Role], former gone: Set<DeviceKey>,
        admitted: Set<DeviceKey> = [], of room: RoomID, look: UInt64
    ) async {
        let isLate = look < looks[room] ?? 0
        let (list, gone) = isLate ? (members[room] ?? [:], former[room] ?? []) : (list, gone)
        self.admitted[room] = admitted.union(self.admitted[room] ?? []).filter {
            list[$0] != nil || gone.contains($0)
        }
        guard !isLate else { return }
        looks[room] = look
        let before = members[room]
        guard before != list || former[room] != gone else { return }
        members[room] = list
        former[room] = gone
        // Who was met as a stranger, before its grant or ours, is remembered from now on.
        let new = list.keys.filter { before?[$0] == nil && known[$0]?.isMet == true }
        if !new.isEmpty { await remember(new) }
        await shareAddresses()
        await shareNames()
        await reconsider()
    }

    /// Seeks nobody for a room any more, unless a later look at it has shown members.
    package func forget(_ room: RoomID, look: UInt64) {
        guard look >= looks[room] ?? 0 else { return }
        looks[room] = look
        members[room] = nil
        former[room] = nil
        admitted[room] = nil
    }

    /// A device is connected; `address` is where this device dialled it.
    package func met(_ key: DeviceKey, name: String, address: String?) async {
        guard key != own else { return }
        makePlace(for: key)
        var entry = known[key] ?? KnownPeer(key: key, name: name)
        entry.name = name
        names.note(key, name)
        entry.lastMet = wall()
        entry.isMet = true
        entry.isSilent = false
        entry.otherVersion = nil
        if let address, let endpoint = Endpoint(text: address) {
            entry.remembered.removeAll { $0 == endpoint }
            entry.remembered.insert(endpoint, at: 0)
            entry.remembered = Array(entry.remembered.prefix(SyncLimits.addresses))
        }
        known[key] = entry
        failures[.device(key)] = nil
        for (endpoint, device) in configured where device == key {
            failures[.address(endpoint)] = nil
        }
        if isMember(key) {
            await remember(key)
            await shareAddresses()
            await shareNames()
        }
    }

    /// Forgets a device in none of this device's rooms where there are too many such: anybody may
    /// come with any number of keys, or announce them.
    ///
    /// - Returns: false where there are too many that are all nearby.
    @discardableResult
    private func makePlace(for key: DeviceKey) -> Bool {
        guard known[key] == nil, !isMember(key), known.count >= Self.strangers else { return true }
        let strangers = known.values.filter { !isMember($0.key) }
        guard strangers.count >= Self.strangers else { return true }
        guard
            let oldest = strangers.filter({ !$0.isNearby })
                .min(by: { $0.lastHeard < $1.lastHeard })
        else { return false }
        known[oldest.key] = nil
        names.note(oldest.key, nil)
        failures[.device(oldest.key)] = nil
        notBefore[.device(oldest.key)] = nil
        return true
    }

    /// A device speaks another version of the protocol. It may have said nothing else of itself.
    package func noteVersion(_ version: UInt64, of key: DeviceKey) {
        guard key != own else { return }
        makePlace(for: key)
        var entry = known[key] ?? KnownPeer(key: key, name: "")
        entry.otherVersion = version
        entry.isMet = true
        entry.lastMet = wall()
        known[key] = entry
    }

    private func remember(_ key: DeviceKey) async { await remember([key]) }

    /// Keeps members' names, addresses and releases for the next start.
    func remember(_ keys: [DeviceKey]) async {
        let devices = keys.compactMap { known[$0] }.map { entry in
            NodeDevice(
                key: entry.key, name: entry.name, addresses: entry.remembered.map(\.text),
                lastSeen: entry.lastMet, release: entry.release)
        }
        do {
            try await memory.save(devices)
        } catch {
            log.warning("remembering an address failed", ["error": "\(error)"])
        }
    }

    /// Takes in where members listen, or others have met them.
    package func learn(_ addresses: [DeviceKey: [String]]) async {
        var hasNews = false
        for (key, list) in addresses where key != own {
            var entry = known[key] ?? KnownPeer(key: key, name: "")
            let free = max(SyncLimits.addresses - entry.remembered.count, 0)
            // Most of what is told was told before, by others: that is not read again.
            let told = entry.remembered.map(\.text)
            let endpoints = list.filter { !told.contains($0) }.compactMap { Endpoint(text: $0) }
                .filter { PrivateAddress.isPrivate($0.host) && !entry.remembered.contains($0) }
            guard free > 0, !endpoints.isEmpty else { continue }
            entry.remembered += endpoints.prefix(free)
            known[key] = entry
            hasNews = true
        }
        guard hasNews else { return }
        await shareAddresses()
        // Who can be found elsewhere may be parted from.
        for room in members.keys { await trim(room) }
        await reconsider()
    }

    /// A session has ended: soon it is tried again.
    ///
    /// - Parameters:
    ///   - wasMet: whether the device has said hello on it: one that hangs may still be connected to.
    ///   - wasSilent: whether it ended as nothing was heard any more.
    package func ended(_ key: DeviceKey, wasMet: Bool, wasSilent: Bool) async {
        if wasSilent { known[key]?.isSilent = true }
        if wasMet {
            let silence = wasSilent ? UInt64(SyncLimits.deadAfter / .milliseconds(1)) : 0
            let now = wall()
            known[key]?.lastMet = now - min(now, silence)
        }
        // Who is dialled by nobody here needs no pause: strangers may come with any number of keys.
        if known[key] != nil { postpone(.device(key)) }
        for (endpoint, device) in configured where device == key { postpone(.address(endpoint)) }
        await takeName(of: key)
        await reconsider()
    }

    /// Somebody has tried to connect to a device that is not connected.
    func note(_ key: DeviceKey, answers: Bool) { known[key]?.isSilent = !answers }

    /// The version of the protocol that a device spoke, where that is not this device's.
    func otherVersion(of key: DeviceKey) -> UInt64? { known[key]?.otherVersion }

    package func peers() -> [KnownPeer] { Array(known.values) }

    package func stop() {
        isStopped = true
        timer?.cancel()
        mixer?.cancel()
    }

    func isMember(_ key: DeviceKey) -> Bool {
        members.values.contains { $0[key] != nil }
    }

    /// Tells the synchronisation where this device listens, so that who was dialled by a member can
    /// be found by the others too, and where the members of each room were met.
    private func shareAddresses() async {
        let listening = advertising.ownAddresses()
        for (room, list) in members {
            var map: [DeviceKey: [String]] = [:]
            if list[own] != nil, !listening.isEmpty { map[own] = listening }
            for key in list.keys where known[key]?.remembered.isEmpty == false {
                map[key] = known[key]?.remembered.map(\.text)
            }
            await sync.setAddresses(map, in: room)
        }
    }

    /// Addresses from the command line where nobody has answered.
    package func silentEndpoints() -> [Endpoint] {
        configured.filter { $0.value == nil }.keys.sorted { $0.text < $1.text }
    }
}
