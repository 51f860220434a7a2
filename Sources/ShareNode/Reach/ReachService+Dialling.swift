package import ShareCore
import ShareCrypto
package import ShareNet

/// Connecting to whoever should be connected.
extension ReachService {
    private static let schedule = RetrySchedule(first: .milliseconds(500), longest: .seconds(30))
    /// Dials under way at a time.
    private static let parallel = 8
    /// Whoever waits for a dial looks so often whether it has ended.
    private static let lookAgain = Duration.milliseconds(20)

    func postpone(_ target: DialTarget) {
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
        var wanted: Set<DeviceKey> = []
        /// Members whose typed addresses are left to their rooms' overlays.
        var unwanted: Set<DeviceKey> = []
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
            if !overlay.wantsTyped(connected: connected) { unwanted.formUnion(readers) }
        }
        // A device that advertises one of our rooms may be a member whose grant is not here yet.
        for peer in known.values where peer.isNearby && !isMember(peer.key) {
            let mayShare = members.keys.contains { room in
                former[room]?.contains(peer.key) != true
                    && peer.rooms.contains { $0.shortID == room.short }
            }
            if mayShare { wanted.insert(peer.key) }
        }
        let typed = configured.filter { _, device in
            guard let device else { return true }
            return device != own && !connected.contains(device) && !unwanted.contains(device)
        }
        return typed.keys.map { .address($0) }
            + wanted.subtracting(connected).sorted().map { .device($0) }
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
        if case .device(let key) = target { known[key]?.isSilent = true }
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

    /// Connects to a device or address now, for a join; nil where it says nothing in time, or is this
    /// one.
    package func connect(
        to endpoint: Endpoint, within time: Duration
    ) async throws(TransportError) -> SessionID? {
        // Of two connections to one device one ends, in the middle of an exchange: a dial that is
        // under way there is waited for, and none begins beside this one.
        let deadline = ContinuousClock.now + time
        while dialing.contains(.address(endpoint)) {
            guard .now < deadline else { return nil }
            try? await Task.sleep(for: Self.lookAgain)
        }
        // Its hello may still be under way: a second connection would take this one's place.
        if let device = configured[endpoint] ?? nil, await sync.connectedKeys().contains(device),
            let session = await sync.sessionOnceMet(with: device, within: deadline - .now)
        {
            return session
        }
        guard dialing.insert(.address(endpoint)).inserted else { return nil }
        defer { dialing.remove(.address(endpoint)) }
        let connection: Connection
        do throws(TransportError) {
            connection = try await transport.dial(endpoint, deadline: time)
        } catch {
            for key in known.values.filter({ $0.endpoints.contains(endpoint) }).map(\.key) {
                note(key, answers: false)
            }
            throw error
        }
        if configured[endpoint] != nil { configured[endpoint] = .some(connection.peerKey) }
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
}

/// Keeping sessions few.
extension ReachService {
    private static let mixEvery = Duration.seconds(60)

    /// Ends sessions beyond those that a room needs. Called when one has been added.
    ///
    /// Who has dialled, and has not told yet where it listens, stays: others cannot find it, and it
    /// would come back at once.
    package func trim(_ room: RoomID) async {
        let linked = await sync.linkedKeys(in: room)
        guard let overlay = overlay(of: room, connected: Set(linked.keys)) else { return }
        var findable = Set(linked.keys.filter { known[$0]?.endpoints.isEmpty == false })
        while let spare = overlay.excess(connected: findable, using: &random) {
            findable.remove(spare)
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
}
