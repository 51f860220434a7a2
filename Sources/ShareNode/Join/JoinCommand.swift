import ShareControl
import ShareCore
import ShareCrypto
import ShareNet
import ShareStore

/// What `shared join` does (docs/protocol.md, "Joining").
struct JoinCommand {
    let node: Node

    /// The whole of it takes no longer.
    private static let patience = Duration.seconds(30)
    /// After so long without an answer a device is given up.
    private static let dialTime = Duration.seconds(3)
    /// A device whose connection breaks so often is given up.
    private static let breaks = 3
    /// Devices that are asked at a time.
    private static let parallel = 64
    /// So long must discovery have looked before "there is none" means something.
    private static let browsing = Duration.seconds(3)
    /// The room's forms are waited for so long after the grant, and its records.
    private static let settling = Duration.seconds(5)
    private static let recordsTime = Duration.milliseconds(500)

    /// A device that may know the code, and how to reach it.
    private struct Candidate {
        let endpoints: [Endpoint]
        let session: SessionID?
        /// Short ids of the rooms of the wanted name that it announces.
        let rooms: [String]

        var announces: Bool { !rooms.isEmpty }
    }

    func run(_ request: JoinRequest) async throws -> JoinAnswer {
        let own = try? await node.rooms.resolve(request.room)
        // Who was removed, or has left, may come back.
        if let own, !own.isJoining, await node.rooms.isMember(of: own.id) {
            throw Problem(
                .alreadyMember, "this device is in \(own.name) already",
                hint: "Use it with `shared use`, or leave it first with `shared leave`.")
        }
        node.discovery?.refresh()
        guard let typed = request.code else { return try await joinOpen(request.room) }
        return try await join(request.room, with: try JoinCode(typed: typed))
    }

    // MARK: With a code

    /// What has come of asking so far.
    private struct Progress {
        /// Devices whose answer stands.
        var answered: Set<DeviceKey> = []
        /// How often the connection to a device broke.
        var broken: [DeviceKey: Int] = [:]
        var failure: Problem?
    }

    private func join(_ name: String, with code: JoinCode) async throws -> JoinAnswer {
        let deadline = ContinuousClock.now + Self.patience
        let begun = ContinuousClock.now
        var progress = Progress()
        repeat {
            let found = await candidates(announcing: name, without: progress.answered)
            // Those that announce the room first, so that nobody else is asked without need.
            for wave in [found.filter(\.announces), found.filter { !$0.announces }] {
                if let room = await ask(wave, for: name, with: code, &progress) {
                    return try await finish(room, within: deadline)
                }
            }
            if let failure = progress.failure, failure.code != .noInvite, failure.code != .busy {
                throw failure
            }
            // Somebody may appear yet: discovery has only just begun to look, or a peer to run.
            if await hasLooked(since: begun, hasMet: progress.failure != nil),
                progress.failure?.code != .busy
            {
                break
            }
            try await Task.sleep(for: .milliseconds(200))
        } while ContinuousClock.now < deadline
        if let failure = progress.failure { throw failure }
        throw Problem(
            .nobodyInReach, "no device in reach could be asked for \(name)",
            hint: "`shared doctor` says why; where multicast is blocked start sharedd with"
                + " --peer HOST:PORT.")
    }

    /// Connects to all of them at once and runs the exchange with one after the other, so that
    /// devices that do not answer keep nobody waiting.
    private func ask(
        _ wave: [Candidate], for name: String, with code: JoinCode, _ progress: inout Progress
    ) async -> RoomID? {
        let announced = Set(wave.flatMap(\.rooms))
        return await withTaskGroup(of: SessionID?.self) { group in
            for candidate in wave.prefix(Self.parallel) {
                group.addTask { await self.session(with: candidate) }
            }
            for await session in group {
                guard let session, let key = await node.sync.joinable(session)?.peer,
                    !progress.answered.contains(key)
                else { continue }
                let outcome = await node.joins.join(
                    with: code, on: session, expecting: RoomID(text: name)
                ) { welcome in
                    // The code leads to a room; it must be the one that was asked for.
                    welcome.name == name || announced.contains(welcome.room.short)
                        || welcome.room.text == name || welcome.room.short == name
                        || RoomID(text: name) == welcome.room
                }
                switch outcome {
                case .joined(let room), .waiting(let room):
                    group.cancelAll()
                    return room
                case .failed(let why):
                    note(why, of: key, &progress)
                }
            }
            return nil
        }
    }

    private func note(_ why: JoinFailure, of key: DeviceKey, _ progress: inout Progress) {
        if why == .connectionLost {
            // A crossed dial may have replaced the session.
            progress.broken[key, default: 0] += 1
            guard progress.broken[key] == Self.breaks else { return }
        }
        progress.failure = moreTelling(Problem(why), than: progress.failure)
        if why != .refused(.busy) { progress.answered.insert(key) }
    }

    /// "No such invite" says less than anything else that went wrong.
    private func moreTelling(_ problem: Problem, than other: Problem?) -> Problem {
        guard let other, problem.code == .noInvite else { return problem }
        return other
    }

    private func hasLooked(since begun: ContinuousClock.Instant, hasMet: Bool) async -> Bool {
        let isAlone = await node.reach.configuredDevices.isEmpty
        let isTold = hasMet || isAlone || begun.duration(to: .now) > Self.browsing
        guard let discovery = node.discovery else { return isTold }
        if case .unavailable = discovery.snapshot.state { return isTold }
        return discovery.snapshot.hasBrowsed(for: Self.browsing)
    }

    /// Devices that may have made the code.
    private func candidates(
        announcing name: String, without answered: Set<DeviceKey>
    ) async -> [Candidate] {
        var found: [Candidate] = []
        var keys = answered
        for peer in await node.reach.peers() where peer.isNearby {
            guard keys.insert(peer.key).inserted else { continue }
            let rooms = peer.rooms.filter { $0.name == name || name.hasSuffix($0.shortID) }
            found.append(
                Candidate(
                    endpoints: peer.endpoints, session: await node.sync.session(with: peer.key),
                    rooms: rooms.map(\.shortID)))
        }
        for peer in await node.sync.peers() where keys.insert(peer.key).inserted {
            found.append(Candidate(endpoints: [], session: peer.session, rooms: []))
        }
        for (endpoint, device) in await node.reach.configuredDevices {
            if let device, !keys.insert(device).inserted || device == node.identity.key {
                continue
            }
            found.append(Candidate(endpoints: [endpoint], session: nil, rooms: []))
        }
        return found
    }

    private func session(with candidate: Candidate) async -> SessionID? {
        if let session = candidate.session { return session }
        for endpoint in candidate.endpoints {
            if let session = await node.reach.connect(to: endpoint, within: Self.dialTime) {
                return session
            }
        }
        return nil
    }

    /// Waits a little for the room's forms and members, so that the next command finds them.
    private func finish(
        _ id: RoomID, within deadline: ContinuousClock.Instant
    ) async throws -> JoinAnswer {
        while ContinuousClock.now < deadline, !(await node.rooms.isMember(of: id)) {
            try await Task.sleep(for: .milliseconds(20))
        }
        guard let room = await node.rooms.open(id) else {
            throw Problem(.storage, "the room could not be kept")
        }
        let isMember = await node.rooms.isMember(of: id)
        if isMember, await node.sync.controlLogs(of: id, within: Self.settling) {
            _ = await node.sync.settle(id, within: Self.recordsTime)
        }
        try await node.rooms.use(room)
        await node.advertise()
        node.tell("room_changed", in: room.name, "joined \(room.name)")
        let founder = await room.store.authority().founder
        return JoinAnswer(
            room: room.named, created: false, founder: await named(founder),
            state: isMember ? "member" : "waiting")
    }

    private func named(_ key: DeviceKey?) async -> NamedDevice? {
        guard let key else { return nil }
        return await node.named(key)
    }

    // MARK: Without a code

    private func joinOpen(_ name: String) async throws -> JoinAnswer {
        let isSure = try await waitUntilSure()
        let announced = await node.reach.peers().filter(\.isNearby).flatMap { peer in
            peer.rooms.filter { $0.name == name || name.hasSuffix($0.shortID) }
        }
        let ids = Set(announced.map(\.shortID))
        if ids.count > 1 {
            throw Problem(
                .roomAmbiguous, "there are \(ids.count) rooms called \(name) nearby",
                hint: "Ask for a code of the right one: " + ids.sorted().joined(separator: ", ")
                    + ".")
        }
        if !ids.isEmpty {
            throw Problem(
                .codeNeeded, "\(name) needs a code",
                hint: "Ask somebody in it to run `shared invite`, then:"
                    + " shared join \(name) --code CODE")
        }
        guard isSure else {
            throw Problem(
                .discoveryUnavailable,
                "whether there is a room \(name) nearby cannot be told: discovery does not run",
                hint: "Join with a code, or make the room with `shared create \(name)`.")
        }
        let room = try await node.rooms.create(name, isOpen: false)
        await node.advertise()
        node.tell("room_changed", in: room.name, "created \(room.name)")
        return JoinAnswer(
            room: room.named, created: true, founder: await node.named(node.identity.key),
            state: "member")
    }

    /// Whether the absence of a room would be known by now.
    private func waitUntilSure() async throws -> Bool {
        guard let discovery = node.discovery else {
            // Rooms of addresses given by hand are not announced, so absence cannot be known.
            return await node.reach.configuredDevices.isEmpty
        }
        let deadline = ContinuousClock.now + Self.browsing + .seconds(2)
        while ContinuousClock.now < deadline {
            if discovery.snapshot.hasBrowsed(for: Self.browsing) { return true }
            if case .unavailable = discovery.snapshot.state { return false }
            try await Task.sleep(for: .milliseconds(100))
        }
        return false
    }
}
