import ShareControl
import ShareCore
import ShareCrypto
import ShareFormats
import ShareNet

/// Joining without a code: an open room. Where there surely is none of that name, a new one is
/// founded if that was asked for, and only then.
extension JoinCommand {
    private typealias Found = (session: SessionID, offer: OpenOffer)

    /// What came of asking one device.
    private enum Answer {
        case offered(Found)
        /// It lets nobody in just now.
        case full(JoinRefusal)
        case nothing
    }

    func joinOpen(_ name: String, orCreate mayCreate: Bool) async throws -> JoinAnswer {
        let isSure = try await waitUntilSure()
        let nearby = try await freshCandidates(for: name)
        let announced = nearby.flatMap(\.rooms)
        let ids = Set(announced.map(\.shortID))
        guard ids.count < 2 else { throw Self.ambiguous(name, ids) }
        if !ids.isEmpty, !announced.contains(where: \.isOpen) { throw Self.codeNeeded(name) }

        // What is announced is not to be believed; who is asked says what the room is.
        let asked = ids.isEmpty ? await typed() : nearby.filter { !$0.rooms.isEmpty }
        let wanted = ids.first ?? (name.hasPrefix("room:") ? Self.shortID(name) : name)
        for attempt in 1...Self.breaks {
            let (found, full) = await ask(asked, for: wanted)
            if found.isEmpty, let full { throw Problem(JoinFailure.refused(full)) }
            let rooms = Set(found.map(\.offer.welcome.room))
            guard rooms.count < 2 else {
                for one in found { await joins.decline(offerOn: one.session) }
                throw Self.ambiguous(name, Set(rooms.map(\.short)))
            }
            do {
                guard let room = try await enter(found) else { break }
                return try await finish(room, within: .now + Self.patience)
            } catch JoinFailure.connectionLost where attempt < Self.breaks {
                // A crossed dial may have replaced the session.
                try await Task.sleep(for: Self.pauses[attempt - 1])
            }
        }
        if !ids.isEmpty { throw Self.codeNeeded(name) }
        if let own = try? await rooms.resolve(name), own.isLeaving {
            throw leaving.saidToLeave(own)
        }
        guard isSure else {
            if let remedy = discovery?.snapshot.state.hint {
                throw Problem(
                    .discoveryUnavailable,
                    "whether a room \"\(name)\" is nearby is not known: this device does not hear"
                        + " of others",
                    hint: (await own(like: name).map { "\($0) " } ?? "") + remedy)
            }
            throw Problem(
                .discoveryUnavailable,
                "no room \"\(name)\" is known here",
                hint: (await own(like: name) ?? "A room is joined with a code: `shared join CODE`.")
                    + " To found a new room: `shared create \(Self.word(name))`.")
        }
        guard mayCreate else { throw await notNearby(name) }
        return try await creating.create(name)
    }

    /// That this device is in a room of nearly this name; nil where it is in none.
    private func own(like name: String) async -> String? {
        Suggestion.nearest(to: name, among: await rooms.all().map(\.name)).map {
            "You are in \($0): `shared status`."
        }
    }

    private static func ambiguous(_ name: String, _ ids: Set<String>) -> Problem {
        Problem(
            .roomAmbiguous, "there are \(ids.count) rooms called \(name) nearby",
            hint: "Ask which is the right one, then join it by its id: "
                + ids.sorted().map { "`shared join room:\($0)`" }.joined(separator: ", ") + ".")
    }

    private static func codeNeeded(_ name: String) -> Problem {
        Problem(
            .codeNeeded, "\(name) needs a code",
            hint: "Ask somebody in it to run `shared invite`, then:"
                + " `shared join CODE`.")
    }

    /// The rooms that devices in reach announce and that this one is not in, by name.
    func nearby() async -> [NearbyRoom] {
        let own = Set(await rooms.all().map(\.id.short))
        var found: [String: NearbyRoom] = [:]
        for peer in await reach.peers() where peer.isNearby {
            let device = NamedDevice(
                id: peer.key.text, name: peer.name.isEmpty ? peer.key.short : peer.name)
            for room in peer.rooms where !own.contains(room.shortID) {
                found[
                    room.shortID,
                    default: NearbyRoom(
                        name: room.name, id: room.shortID, isOpen: room.isOpen, devices: [])
                ].devices.append(device)
            }
        }
        return found.values.sorted { ($0.name, $0.id) < ($1.name, $1.id) }
    }

    /// As many rooms nearby are named in a sentence.
    private static let namedNearby = 8

    /// The problem that no such room is nearby, with the rooms that are, and how they are joined.
    private func notNearby(_ name: String) async -> Problem {
        let nearby = await nearby()
        let names = nearby.prefix(Self.namedNearby).map {
            "\($0.name) (\($0.isOpen ? "open" : "needs a code"))"
        }
        let list = names.isEmpty ? "" : "; nearby: " + names.joined(separator: ", ")
        let meant = Suggestion.nearest(to: name, among: nearby.map(\.name))
            .flatMap { meant in nearby.first { $0.name == meant } }
        let join =
            switch meant {
            case .some(let room) where room.isOpen: "`shared join \(Self.word(room.name))`"
            case .some(let room): "Ask for a code of \(room.name), then: `shared join CODE`"
            case nil: "With a code from one of its members: `shared join CODE`"
            }
        let own = meant == nil ? await own(like: name) : nil
        return Problem(
            .roomNotNearby, "no room \"\(name)\" is nearby\(list)",
            hint: (own ?? "\(join).") + " To found a new room: `shared create \(Self.word(name))`.")
    }

    /// A room's name as one word of a shell.
    private static func word(_ name: String) -> String {
        let isPlain = name.allSatisfy { $0.isLetter || $0.isNumber || "_-.".contains($0) }
        return isPlain ? name : "'\(name.replacing("'", with: "'\\''"))'"
    }

    /// So long may looking up again what is announced take, before it is taken for what it was.
    private static let freshening = Duration.seconds(1)

    /// Devices in reach with what they announce now: a room may just have been made or opened.
    private func freshCandidates(for name: String) async throws -> [Candidate] {
        let deadline = ContinuousClock.now + Self.freshening
        discovery?.refresh()
        while true {
            let found = await candidates(for: name)
            let isOpen = found.contains { $0.rooms.contains(where: \.isOpen) }
            if discovery == nil || isOpen || ContinuousClock.now > deadline { return found }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    // MARK: Asking

    /// The devices at addresses that were typed: what they are in is announced nowhere.
    private func typed() async -> [Candidate] {
        await reach.configured.compactMap { endpoint, device in
            device == own.key ? nil : Candidate(endpoints: [endpoint], session: nil)
        }
    }

    /// Asks all of them at once, and keeps those that offer an open room, and why one did not.
    private func ask(
        _ candidates: [Candidate], for wanted: String
    ) async -> (found: [Found], full: JoinRefusal?) {
        await withTaskGroup(of: Answer.self) { group in
            for candidate in candidates.prefix(Self.parallel) {
                group.addTask { await self.ask(candidate, for: wanted) }
            }
            var found: [Found] = []
            var full: JoinRefusal?
            for await answer in group {
                switch answer {
                case .offered(let one): found.append(one)
                case .full(let refusal): full = refusal
                case .nothing: break
                }
            }
            return (found, full)
        }
    }

    private func ask(_ candidate: Candidate, for wanted: String) async -> Answer {
        var candidate = candidate
        for attempt in 1...Self.askingBreaks {
            guard let session = await session(with: candidate).0 else {
                // Where the connection was lost the device is there, and perhaps just starting.
                guard attempt > 1 else { return .nothing }
                try? await Task.sleep(for: Self.pauses[attempt - 1])
                continue
            }
            switch await joins.ask(for: wanted, on: session) {
            case .offered(let offer) where Self.isMeant(offer.welcome, by: wanted):
                return .offered((session, offer))
            case .offered:
                await joins.decline(offerOn: session)
                return .nothing
            case .failed(.connectionLost):
                // A crossed dial may have replaced the session, and on a slow device the next
                // one too.
                candidate = Candidate(endpoints: candidate.endpoints, session: nil)
                try? await Task.sleep(for: Self.pauses[attempt - 1])
            case .failed(.refused(let refusal)):
                if case .tooMany = refusal { return .full(refusal) }
                return .nothing
            case .failed: return .nothing
            }
        }
        return .nothing
    }

    /// Asking costs nothing but time, so it is tried more often than a code.
    private static let askingBreaks = 5

    /// Enters the room by the first of those that may admit; where none may or can, this device
    /// waits for one that does. Nil where all refuse.
    private func enter(_ found: [Found]) async throws -> RoomID? {
        let order = found.filter(\.offer.admits) + found.filter { !$0.offer.admits }
        var waiting: RoomID?
        var failure: JoinFailure?
        for (position, one) in order.enumerated() {
            if waiting != nil, !one.offer.admits {
                await joins.decline(offerOn: one.session)
                continue
            }
            switch await joins.take(offerOn: one.session) {
            case .joined(let room):
                for other in order[(position + 1)...] {
                    await joins.decline(offerOn: other.session)
                }
                return room
            case .waiting(let room): waiting = room
            case .failed(let why): failure = why
            }
        }
        if waiting == nil, let failure, failure != .refused(.notOpen) { throw failure }
        return waiting
    }

    /// Whether the absence of a room would be known by now.
    private func waitUntilSure() async throws -> Bool {
        guard let discovery else {
            // Rooms of addresses given by hand are not announced, so absence cannot be known.
            return await reach.configured.isEmpty
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
