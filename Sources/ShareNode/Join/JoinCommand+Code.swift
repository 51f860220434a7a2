import ShareControl
import ShareCore
import ShareCrypto
import ShareNet
import ShareStore

/// Joining with a code. It never creates a room.
extension JoinCommand {
    /// Between two rounds of asking: a session that replaced another one is there at once, a device
    /// appears, an invite is in use no more.
    static let pauses = [20, 200, 200, 500, 500, 1_000].map { Duration.milliseconds($0) }

    /// The answers so far.
    private struct Progress {
        /// Devices whose answer stands.
        var answered: Set<DeviceKey> = []
        /// Devices to which the connection broke: the code may be good there, and nothing of it is
        /// used up, so they are asked again until the time is over.
        var broken: Set<DeviceKey> = []
        /// Whether in this round a device could not be asked.
        var isUnreached = false
        /// Whether a device took a connection and ended it at once.
        var isTurnedAway = false
        var failure: Problem?
        var rounds = 0
        /// Whether the time is over in which a device that is seen should have answered.
        var hasWaited = false
        /// Whether the code leads to a room that this device is in, and gives it no more there.
        var isMemberAlready = false

        /// Whether another device, or the same one later, may still let this one in.
        func mayYetSucceed(after failure: Problem) -> Bool {
            switch failure.code {
            case .noInvite, .busy: true
            // It did not look for the code; another device may have made it.
            case .tooManyAttempts: isOwed
            default: false
            }
        }

        /// Whether a device to which the connection broke has not answered since.
        var hasLost: Bool { !broken.isSubset(of: answered) }

        /// Whether a device that may have made the code has still to answer. "No such invite"
        /// from all others says nothing then.
        var isOwed: Bool {
            hasLost || (isUnreached && !hasWaited && rounds < JoinCommand.unreachedRounds)
        }
    }

    /// A session that crossed with another one is there a moment later; a device that is away
    /// keeps nobody waiting longer than this.
    private static let unreachedRounds = 4
    private static let unreachedTime = Duration.seconds(9)

    func join(
        _ name: String?, with code: JoinCode, at addresses: [String]
    ) async throws -> JoinAnswer {
        let begun = ContinuousClock.now
        let deadline = begun + Self.patience
        var progress = Progress()
        repeat {
            progress.isUnreached = false
            // Anew each time: an exchange that another command began may have ended.
            let roles = await ownRoles()
            var found = await candidates(for: name, without: progress.answered)
            if progress.rounds == 0 { found += Self.named(addresses) }
            let away = await rememberedCandidates(without: progress.answered)
            // First those that are likely to have made the code, so that nobody else is asked
            // without need.
            let waves = [
                found.filter(\.isNamed), found.filter { !$0.isNamed && !$0.rooms.isEmpty },
                found.filter { !$0.isNamed && $0.rooms.isEmpty }, away,
            ]
            for wave in waves {
                if let room = await ask(wave, for: name, with: code, roles, &progress) {
                    let answer = try await finish(
                        room, within: deadline, already: progress.isMemberAlready,
                        stays: try await stays(in: room, progress))
                    guard answer.role != nil else { throw Self.unfinished(answer.room.name) }
                    return answer
                }
            }
            if let failure = progress.failure, !progress.mayYetSucceed(after: failure) {
                throw failure
            }
            progress.hasWaited = begun.duration(to: .now) >= Self.unreachedTime
            // Somebody may appear yet: discovery has only just begun to look, or a peer to run.
            if await hasLooked(since: begun, hasMet: progress.failure != nil), !progress.isOwed,
                progress.failure?.code != .busy
            {
                break
            }
            // A device whose invite was in use is asked again; what it says then counts.
            if progress.failure?.code == .busy { progress.failure = nil }
            let pause = min(progress.rounds, Self.pauses.count - 1)
            progress.rounds += 1
            try await Task.sleep(for: Self.pauses[pause])
        } while ContinuousClock.now < deadline
        if progress.hasLost {
            progress.failure = moreTelling(
                Problem(JoinFailure.connectionLost), than: progress.failure)
        }
        let seen = await unreached(without: progress.answered)
        if let failure = progress.failure {
            guard failure.code == .noInvite,
                let name, let own = await ownRoles().values.first(where: { $0.name == name })
            else {
                guard failure.code == .noInvite, !seen.isEmpty else { throw failure }
                throw Problem(
                    .noInvite,
                    "no device that answers has made this code; \(Self.unreachable(seen))",
                    hint: "If it was made there it is good still. \(Self.apart)")
            }
            if let hint = await stayingHint(name) {
                throw Problem(failure.code, failure.detail, hint: hint)
            }
            throw Problem(
                failure.code, failure.detail,
                hint: "This device is in \(name) already, as \(own.role.name): a code is needed"
                    + " only to become more than that.")
        }
        if progress.isTurnedAway {
            throw Problem(
                .nobodyInReach, "a device in reach takes connections and ends each at once",
                hint: "It may have too many open: its log says so. Try again in a moment; if that"
                    + " does not help, restart sharedd there.")
        }
        let detail = "no device\(name.map { " of \($0)" } ?? "") answers"
        throw Problem(
            .nobodyInReach,
            seen.isEmpty
                ? detail
                : detail + ": " + Self.unreachable(seen),
            hint: await stayingHint(name)
                ?? (seen.isEmpty
                    ? "Are you on the same Wi-Fi? `shared doctor` says more."
                    : Self.apart))
    }

    private static func unreachable(_ names: [String]) -> String {
        "\(Sentence.list(names)) \(names.count == 1 ? "is" : "are") seen, and cannot be connected"
    }

    private static let apart =
        "A firewall on one of the two, or an access point that keeps devices apart (client"
        + " isolation): `shared doctor` says more."

    /// The names of devices that are seen nearby and have not answered.
    private func unreached(without answered: Set<DeviceKey>) async -> [String] {
        let connected = Set(await sync.peers().map(\.key))
        return await reach.peers().filter {
            $0.isNearby && !answered.contains($0.key) && !connected.contains($0.key)
        }.map { $0.name.isEmpty ? $0.key.short : $0.name }.sorted()
    }

    /// Takes back that this device leaves a room, which a code has led to that gives it no more.
    private func stays(in id: RoomID, _ progress: Progress) async throws -> Bool {
        guard progress.isMemberAlready, let room = await rooms.open(id), room.isLeaving else {
            return false
        }
        guard try await leaving.stay(in: room) else { throw leaving.saidToLeave(room) }
        return true
    }

    /// The inviter went away between this device's acceptance and its grant: who asked for a
    /// member must not take it for done (docs/protocol/joining.md §8).
    private static func unfinished(_ name: String) -> Problem {
        Problem(
            .nobodyInReach,
            "not a member of \(name) yet: the device that made the code went away before it had"
                + " admitted this one",
            hint:
                "Join again with the same code once it is back: `shared join CODE`."
                + " If it had admitted this device after all, meeting any member is enough.")
    }

    /// The way on without any code, for a room that is still being left.
    private func stayingHint(_ name: String?) async -> String? {
        guard let name, let own = try? await rooms.resolve(name), own.isLeaving,
            await rooms.role(in: own.id) != nil
        else { return nil }
        return "This device has not left \(own.name) yet; to stay in it no code is needed:"
            + " `shared join \(own.name)`."
    }

    /// The addresses that came with a code, as far as they are in a local network.
    private static func named(_ addresses: [String]) -> [Candidate] {
        addresses.prefix(JoinLink.addresses).compactMap { Endpoint(text: $0) }
            .filter { PrivateAddress.isPrivate($0.host) }
            .map { Candidate(endpoints: [$0], session: nil, isNamed: true) }
    }

    /// This device's roles in its rooms: a code is good for it only if it gives more.
    private func ownRoles() async -> [RoomID: (name: String, role: Role)] {
        var roles: [RoomID: (String, Role)] = [:]
        for room in await rooms.all() {
            guard let role = await room.store.authority().currentRole(of: own.key)
            else { continue }
            roles[room.id] = (room.name, role)
        }
        return roles
    }

    /// Connects to all of them at once and runs the exchange with one after the other, so that
    /// devices that do not answer keep nobody waiting.
    private func ask(
        _ wave: [Candidate], for name: String?, with code: JoinCode,
        _ roles: [RoomID: (name: String, role: Role)], _ progress: inout Progress
    ) async -> RoomID? {
        let announced = Set(wave.flatMap(\.rooms).map(\.shortID))
        let own = if let name { try? await rooms.resolve(name).id } else { nil as RoomID? }
        return await withTaskGroup(of: (SessionID?, Bool, Bool).self) { group in
            for candidate in wave.prefix(Self.parallel) {
                group.addTask {
                    let (session, isTurnedAway) = await self.session(with: candidate)
                    return (session, isTurnedAway, candidate.isRemembered)
                }
            }
            for await (session, isTurnedAway, isRemembered) in group {
                if isTurnedAway { progress.isTurnedAway = true }
                guard let session, let key = await sync.joinable(session)?.peer else {
                    if !isRemembered { progress.isUnreached = true }
                    continue
                }
                guard !progress.answered.contains(key) else { continue }
                let outcome = await joins.join(
                    with: code, on: session, expecting: name.flatMap { RoomID(text: $0) }
                ) { welcome in
                    // The code leads to a room; it must be the one that was asked for.
                    let room = welcome.room
                    guard
                        Self.isMeant(welcome, by: name) || room == own
                            || announced.contains(room.short)
                    else { return .otherRoom(room, welcome.name) }
                    if let held = roles[room], held.role >= welcome.role {
                        return .alreadyMember(room, held.name, held.role)
                    }
                    return nil
                }
                switch outcome {
                case .joined(let room), .waiting(let room):
                    group.cancelAll()
                    return room
                case .failed(.alreadyMember(let room, _, _)):
                    group.cancelAll()
                    progress.isMemberAlready = true
                    return room
                case .failed(let why):
                    note(why, of: key, &progress)
                }
            }
            return nil
        }
    }

    private func note(_ why: JoinFailure, of key: DeviceKey, _ progress: inout Progress) {
        guard why != .connectionLost else {
            // A crossed dial may have replaced the session.
            progress.broken.insert(key)
            return
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
        let isAlone = await reach.configured.isEmpty
        let isTold = hasMet || isAlone || begun.duration(to: .now) > Self.browsing
        guard let discovery else { return isTold }
        if case .unavailable = discovery.snapshot.state { return isTold }
        return discovery.snapshot.hasBrowsed(for: Self.browsing)
    }
}
