package import ShareCore
package import ShareCrypto
package import ShareNet
package import ShareStore

/// Knows where other devices are, and keeps this one connected to those that it should be
/// connected to.
package actor ReachService {
    private let own: DeviceKey
    private let transport: Transport
    private let sync: SyncService
    private let log: Log
    private let memory: NodeStore
    private let wall: @Sendable () -> UInt64
    /// Addresses from the command line, and whom they led to.
    private var configured: [Endpoint: DeviceKey?] = [:]
    private(set) var known: [DeviceKey: KnownPeer] = [:]
    /// Members of this device's rooms, and which of them read everything.
    private var members: [RoomID: [DeviceKey: Role]] = [:]
    /// Who is a member no more: they are not sought, and told when they come.
    private var former: [RoomID: Set<DeviceKey>] = [:]
    private var dialing: Set<DialTarget> = []
    /// Where this device's own identity is advertised under another name.
    private var greeted: Set<Endpoint> = []
    private var failures: [DialTarget: Int] = [:]
    private var notBefore: [DialTarget: ContinuousClock.Instant] = [:]
    private var timer: Task<Void, Never>?
    private var mixer: Task<Void, Never>?
    private var random = SystemRandomNumberGenerator()
    private var isStopped = false

    private static let schedule = RetrySchedule(first: .milliseconds(500), longest: .seconds(30))
    /// Dials under way at a time.
    private static let parallel = 8
    private static let mixEvery = Duration.seconds(60)
    /// Devices remembered beside the members of rooms.
    private static let strangers = 1_024

    package init(
        own: DeviceKey, transport: Transport, sync: SyncService, configured: [Endpoint],
        memory: NodeStore, log: Log, wall: @escaping @Sendable () -> UInt64
    ) {
        self.own = own
        self.transport = transport
        self.sync = sync
        self.memory = memory
        self.log = log
        self.wall = wall
        for endpoint in configured { self.configured[endpoint] = .some(nil) }
    }

    /// Takes in what was remembered from before.
    package func recall() async {
        for entry in (try? await memory.devices()) ?? [] where entry.key != own {
            var peer = known[entry.key] ?? KnownPeer(key: entry.key, name: entry.name)
            peer.remembered = entry.addresses.compactMap { Endpoint(text: $0) }
            peer.lastSeen = entry.lastSeen
            known[entry.key] = peer
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
            guard known[key] != nil || known.count < Self.strangers else { continue }
            var entry = known[key] ?? KnownPeer(key: key, name: peer.name)
            entry.name = peer.name
            entry.isNearby = true
            entry.rooms = peer.rooms
            entry.advertised = peer.addresses.map { Endpoint(host: $0, port: peer.port) }
            entry.lastSeen = wall()
            known[key] = entry
            if isNew { notBefore[.device(key)] = nil }
        }
        greet(snapshot.twins)
        await reconsider()
    }

    /// Connects, once, to whoever else advertises this device's identity: to another machine
    /// that uses it, or, by an old advertisement, to itself.
    private func greet(_ twins: [DiscoveredPeer]) {
        let endpoints = twins.flatMap { peer in
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
    package func setMembers(
        _ list: [DeviceKey: Role], former gone: Set<DeviceKey>, of room: RoomID
    ) async {
        let before = members[room]
        guard before != list || former[room] != gone else { return }
        members[room] = list
        former[room] = gone
        // Who was met as a stranger, before its grant or ours, is remembered from now on.
        for key in list.keys where before?[key] == nil && known[key]?.isMet == true {
            await remember(key)
        }
        await shareAddresses()
        await reconsider()
    }

    /// Seeks nobody for a room any more.
    package func forget(_ room: RoomID) {
        members[room] = nil
        former[room] = nil
    }

    /// A device is connected; `address` is where this device dialled it.
    package func met(_ key: DeviceKey, name: String, address: String?) async {
        guard key != own else { return }
        makePlace(for: key)
        var entry = known[key] ?? KnownPeer(key: key, name: name)
        entry.name = name
        entry.lastSeen = wall()
        entry.isMet = true
        entry.otherVersion = nil
        if let address, let endpoint = Endpoint(text: address) {
            entry.remembered.removeAll { $0 == endpoint }
            entry.remembered.insert(endpoint, at: 0)
            entry.remembered = Array(entry.remembered.prefix(SyncLimits.addresses))
        }
        known[key] = entry
        failures[.device(key)] = nil
        if isMember(key) {
            await remember(key)
            await shareAddresses()
        }
    }

    /// Takes in what somebody else calls a member, as long as it has not said its name itself.
    func note(_ name: String, of key: DeviceKey) async {
        guard key != own, !name.isEmpty, isMember(key), known[key]?.name.isEmpty ?? true else {
            return
        }
        var entry = known[key] ?? KnownPeer(key: key, name: name)
        entry.name = name
        known[key] = entry
        await remember(key)
    }

    /// Forgets a device in none of this device's rooms where there are too many such: anybody may
    /// come with any number of keys.
    private func makePlace(for key: DeviceKey) {
        guard known[key] == nil, !isMember(key) else { return }
        let strangers = known.values.filter { !$0.isNearby && !isMember($0.key) }
        guard strangers.count >= Self.strangers,
            let oldest = strangers.min(by: { ($0.lastSeen ?? 0) < ($1.lastSeen ?? 0) })
        else { return }
        known[oldest.key] = nil
        failures[.device(oldest.key)] = nil
        notBefore[.device(oldest.key)] = nil
    }

    /// A device speaks another version of the protocol.
    package func noteVersion(_ version: UInt64, of key: DeviceKey) {
        known[key]?.otherVersion = version
    }

    /// Keeps a member's name and addresses for the next start.
    private func remember(_ key: DeviceKey) async {
        guard let entry = known[key] else { return }
        do {
            try await memory.saveDevice(
                NodeDevice(
                    key: key, name: entry.name, addresses: entry.remembered.map(\.text),
                    lastSeen: entry.lastSeen))
        } catch {
            log.warning("remembering an address failed", ["error": "\(error)"])
        }
    }

    /// Others met a member at these addresses.
    package func learn(_ addresses: [String], of key: DeviceKey) async {
        guard key != own, isMember(key) else { return }
        var entry = known[key] ?? KnownPeer(key: key, name: "")
        let endpoints = addresses.compactMap { Endpoint(text: $0) }
            .filter { PrivateAddress.isPrivate($0.host) && !entry.remembered.contains($0) }
        guard !endpoints.isEmpty else { return }
        entry.remembered = Array(
            (entry.remembered + endpoints).prefix(SyncLimits.addresses))
        known[key] = entry
        await reconsider()
    }

    /// A session has ended: soon it is tried again.
    package func ended(_ key: DeviceKey) async {
        known[key]?.lastSeen = wall()
        // Who is dialled by nobody here needs no pause: strangers may come with any number of keys.
        if known[key] != nil { postpone(.device(key)) }
        for (endpoint, device) in configured where device == key { postpone(.address(endpoint)) }
        await reconsider()
    }

    /// The version of the protocol that a device spoke, where that is not this device's.
    func otherVersion(of id: String) -> UInt64? {
        known.values.first { $0.key.text == id }?.otherVersion
    }

    package func peers() -> [KnownPeer] { Array(known.values) }

    /// What a device calls itself, or its short id.
    package func peerName(_ key: DeviceKey) -> String {
        let name = known[key]?.name ?? ""
        return name.isEmpty ? key.short : name
    }

    package func stop() {
        isStopped = true
        timer?.cancel()
        mixer?.cancel()
    }

    private func isMember(_ key: DeviceKey) -> Bool {
        members.values.contains { $0[key] != nil }
    }

    /// Tells the synchronisation where the members of each room were met.
    private func shareAddresses() async {
        for (room, list) in members {
            var map: [DeviceKey: [String]] = [:]
            for key in list.keys where known[key]?.remembered.isEmpty == false {
                map[key] = known[key]?.remembered.map(\.text)
            }
            await sync.setAddresses(map, in: room)
        }
    }

    // MARK: Keeping sessions few

    /// Ends sessions beyond those that a room needs. Called when one has been added.
    package func trim(_ room: RoomID) async {
        let linked = await sync.linkedKeys(in: room)
        guard let overlay = overlay(of: room, connected: Set(linked.keys)) else { return }
        if let spare = overlay.excess(connected: Set(linked.keys), using: &random) {
            await sync.part(from: spare, in: room)
        }
        // Only where not everybody can be talked to is there anything to mix.
        if linked.count >= Overlay.sought, mixer == nil { startMixing() }
    }

    /// Replaces one random dial a minute, so that islands of old acquaintances mix.
    private func startMixing() {
        mixer = Task {
            while !Task.isCancelled {
                try? await Task.sleep(for: Self.mixEvery)
                await self.mix()
            }
        }
    }

    private func mix() async {
        for room in members.keys {
            let linked = await sync.linkedKeys(in: room)
            guard let overlay = overlay(of: room, connected: Set(linked.keys)),
                linked.count >= Overlay.sought
            else { continue }
            let neighbours = overlay.neighbours(of: own)
            let dialled = linked.filter { $0.value && !neighbours.contains($0.key) }
            if let key = dialled.keys.randomElement(using: &random) {
                await sync.part(from: key, in: room)
            }
        }
    }

    private func overlay(of room: RoomID, connected: Set<DeviceKey>) -> Overlay? {
        guard let list = members[room], list[own]?.readsAll == true else { return nil }
        let readers = list.keys.filter {
            list[$0]?.readsAll == true
                && (connected.contains($0) || known[$0]?.endpoints.isEmpty == false)
        }
        return Overlay(room: room, key: own, readers: readers)
    }

    // MARK: Dialling

    private func postpone(_ target: DialTarget) {
        failures[target, default: 0] += 1
        let delay = Self.schedule.delay(
            after: failures[target] ?? 1, jitter: Double.random(in: 0..<1, using: &random))
        notBefore[target] = .now + delay
    }

    /// Dials whoever should be connected and is not, and comes back when the next may be tried.
    package func reconsider() async {
        guard !isStopped else { return }
        let wanted = await targets()
        let now = ContinuousClock.now
        var next: ContinuousClock.Instant?
        for target in wanted where !dialing.contains(target) {
            if let time = notBefore[target], time > now {
                next = min(next ?? time, time)
                continue
            }
            guard dialing.count < Self.parallel else { break }
            dialing.insert(target)
            Task { await self.dial(target) }
        }
        timer?.cancel()
        guard let next else { return }
        timer = Task {
            try? await Task.sleep(until: next)
            if !Task.isCancelled { await self.reconsider() }
        }
    }

    private func targets() async -> [DialTarget] {
        let connected = await sync.connectedKeys()
        var targets: [DialTarget] = []
        for (endpoint, device) in configured {
            if let device, connected.contains(device) || device == own { continue }
            targets.append(.address(endpoint))
        }
        var wanted: Set<DeviceKey> = []
        for (room, list) in members {
            let reachable = list.keys.filter {
                $0 != own && (connected.contains($0) || known[$0]?.endpoints.isEmpty == false)
            }
            if list[own]?.readsAll == false {
                wanted.formUnion(reachable.sorted().prefix(3))
                continue
            }
            let readers = reachable.filter { list[$0]?.readsAll == true }
            let overlay = Overlay(room: room, key: own, readers: readers)
            wanted.formUnion(overlay.dials(connected: connected, using: &random))
        }
        // A device that advertises one of our rooms may be a member whose grant is not here yet.
        for peer in known.values where peer.isNearby && !isMember(peer.key) {
            let mayShare = members.keys.contains { room in
                former[room]?.contains(peer.key) != true
                    && peer.rooms.contains { $0.shortID == room.short }
            }
            if mayShare { wanted.insert(peer.key) }
        }
        targets += wanted.subtracting(connected).sorted().map { .device($0) }
        return targets
    }

    private func dial(_ target: DialTarget) async {
        let endpoints: [Endpoint] =
            switch target {
            case .device(let key): known[key]?.endpoints ?? []
            case .address(let endpoint): [endpoint]
            }
        for endpoint in endpoints {
            do {
                let connection = try await transport.dial(endpoint)
                guard admit(connection, from: endpoint, for: target) else { continue }
                await sync.adopt(connection)
                dialing.remove(target)
                postpone(target)
                return await reconsider()
            } catch {
                log.debug("dial failed", ["address": endpoint.text, "why": "\(error)"])
            }
        }
        dialing.remove(target)
        postpone(target)
        await reconsider()
    }

    /// Whether the device at the other end is the one that was meant.
    private func admit(
        _ connection: Connection, from endpoint: Endpoint, for target: DialTarget
    ) -> Bool {
        switch target {
        case .address:
            // With this device's own key it may be another machine: its hello tells.
            configured[endpoint] = .some(connection.peerKey)
        case .device(let key):
            guard connection.peerKey == key else {
                known[key]?.remembered.removeAll { $0 == endpoint }
                connection.close("another device answers there")
                return false
            }
        }
        return true
    }

    /// Connects to a device or address now, for a join; nil if that fails.
    package func connect(to endpoint: Endpoint, within time: Duration) async -> SessionID? {
        guard let connection = try? await transport.dial(endpoint, deadline: time) else {
            return nil
        }
        guard connection.peerKey != own else {
            connection.close("it is this device")
            return nil
        }
        if let session = await sync.session(with: connection.peerKey) {
            connection.close("connected already")
            return session
        }
        let key = connection.peerKey
        await sync.adopt(connection)
        return await sync.sessionOnceMet(with: key, within: time)
    }

    /// Addresses from the command line where nobody has answered.
    package func silentEndpoints() -> [Endpoint] {
        configured.filter { $0.value == nil }.keys.sorted { $0.text < $1.text }
    }

    /// The addresses given on the command line, and whom they led to.
    var configuredDevices: [Endpoint: DeviceKey?] { configured }
}
