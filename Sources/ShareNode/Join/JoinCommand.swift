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
    private static let dialTime = Duration.seconds(5)
    /// So long must discovery have looked before "there is none" means something.
    private static let browsing = Duration.seconds(3)
    /// The room's forms are waited for so long after the grant.
    private static let settling = Duration.seconds(5)

    /// A device that may know the code, and how to reach it.
    private struct Candidate {
        let name: String
        let endpoints: [Endpoint]
        let session: SessionID?
        let announces: Bool
    }

    func run(_ request: JoinRequest) async throws -> JoinAnswer {
        if let own = try? await node.rooms.resolve(request.room), !own.isJoining {
            throw Problem(
                .alreadyMember, "this device is in \(own.name) already",
                hint: "Use it with `shared use`, or leave it first with `shared leave`.")
        }
        node.discovery?.refresh()
        guard let typed = request.code else { return try await joinOpen(request.room) }
        do {
            return try await join(request.room, with: try JoinCode(typed: typed))
        } catch let error as JoinCodeError {
            throw Problem(error)
        }
    }

    // MARK: With a code

    private func join(_ name: String, with code: JoinCode) async throws -> JoinAnswer {
        let deadline = ContinuousClock.now + Self.patience
        var tried: Set<String> = []
        var failure: Problem?
        repeat {
            for candidate in await candidates(announcing: name)
            where !tried.contains(candidate.name) {
                guard let session = await session(with: candidate) else { continue }
                tried.insert(candidate.name)
                let expected = RoomID(text: name)
                switch await node.joins.join(with: code, on: session, expecting: expected) {
                case .joined(let room), .waiting(let room):
                    return try await finish(room, within: deadline)
                case .failed(let why):
                    failure = moreTelling(Problem(why, at: candidate.name), than: failure)
                }
            }
            if let failure, failure.code != .noInvite { throw failure }
            // Somebody may appear yet: discovery has only just begun to look, perhaps.
            if await hasLooked() { break }
            try await Task.sleep(for: .milliseconds(200))
        } while ContinuousClock.now < deadline
        if let failure { throw failure }
        throw Problem(
            .nobodyInReach, "no device in reach could be asked for \(name)",
            hint: "`shared doctor` says why; where multicast is blocked start sharedd with"
                + " --peer HOST:PORT.")
    }

    /// "No such invite" says less than anything else that went wrong.
    private func moreTelling(_ problem: Problem, than other: Problem?) -> Problem {
        guard let other, problem.code == .noInvite else { return problem }
        return other
    }

    private func hasLooked() async -> Bool {
        guard let discovery = node.discovery else { return true }
        if case .unavailable = discovery.snapshot.state { return true }
        return discovery.snapshot.hasBrowsed(for: Self.browsing)
    }

    /// Devices that may have made the code: those that announce the room first.
    private func candidates(announcing name: String) async -> [Candidate] {
        var found: [Candidate] = []
        var keys: Set<DeviceKey> = []
        for peer in await node.reach.peers() where peer.isNearby {
            keys.insert(peer.key)
            found.append(
                Candidate(
                    name: peer.key.text, endpoints: peer.endpoints,
                    session: await node.sync.session(with: peer.key),
                    announces: peer.rooms.contains { $0.name == name }))
        }
        for peer in await node.sync.peers() where keys.insert(peer.key).inserted {
            found.append(
                Candidate(
                    name: peer.key.text, endpoints: [], session: peer.session, announces: false))
        }
        for endpoint in await node.reach.configuredEndpoints {
            found.append(
                Candidate(
                    name: endpoint.text, endpoints: [endpoint], session: nil, announces: false))
        }
        return found.filter(\.announces) + found.filter { !$0.announces }
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
        if isMember { _ = await node.sync.settle(id, within: Self.settling) }
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
            return await node.reach.configuredEndpoints.isEmpty
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

extension Problem {
    /// Why a join with one device failed.
    fileprivate init(_ failure: JoinFailure, at device: String) {
        switch failure {
        case .refused(let refusal): self.init(refusal)
        case .unproven:
            self.init(
                .wrongCode, "the device that answered does not know the code",
                hint: "Look at the code again; if it is right, somebody on this network pretends"
                    + " to be the inviter.")
        case .notARoom:
            self.init(.noInvite, "the device that answered showed no room of its own")
        case .otherRoom(let room):
            self.init(
                .noInvite, "that code leads to another room (\(room.short))",
                hint: "Ask for a code of the room that you named.")
        case .violation:
            self.init(
                .noInvite, "the device that answered does not follow the protocol",
                hint: "It may run another release.")
        case .late, .connectionLost:
            self.init(
                .timedOut, "the connection to the inviter was lost",
                hint: "Try again with the same code: nothing was used up.")
        case .storage:
            self.init(.storage, "the room could not be written down", hint: "Is the disk full?")
        }
    }

    private init(_ refusal: JoinRefusal) {
        switch refusal {
        case .noInvite:
            self.init(
                .noInvite, "nobody in reach has made this code, or it has ended",
                hint: "Codes live ten minutes and admit one device; ask for a new one.")
        case .wrongCode(let left):
            self.init(
                left > 0 ? .wrongCode : .inviteEnded,
                left > 0
                    ? "wrong code; \(left) more \(left == 1 ? "try" : "tries")"
                    : "wrong code; the invite has ended",
                hint: left > 0 ? "Look at it again." : "Ask for a new code.")
        case .busy:
            self.init(.busy, "somebody else is joining with this code just now", hint: "Try again.")
        case .tooMany:
            self.init(
                .tooManyAttempts, "too many tries from this device", hint: "Wait a minute.")
        case .ownKey:
            self.init(
                .badRequest, "that code is this device's own",
                hint: "Enter it on the other device.")
        case .violation, .unavailable, .late:
            self.init(
                .timedOut, "the inviter could not go on (\(refusal.name))",
                hint: "Try again; its log says why.")
        }
    }
}
