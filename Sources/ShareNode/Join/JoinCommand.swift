import ShareControl
import ShareCore
import ShareCrypto
import ShareNet
import ShareStore

/// Joins a room for `shared join` (docs/protocol/joining.md).
struct JoinCommand: Sendable {
    let own: OwnDevice
    let names: DeviceNames
    let rooms: RoomBook
    let sync: SyncService
    let reach: ReachService
    let joins: JoinService
    let membership: Membership
    let leaving: Leaving
    let completion: JoinCompletion
    let advertising: Advertising
    let discovery: Discovery?
    let creating: RoomsService

    /// The whole of it takes no longer.
    static let patience = Duration.seconds(30)
    /// After so long without an answer a device is given up.
    static let dialTime = Duration.seconds(3)
    /// An open room is given up where the connection breaks so often.
    static let breaks = 3
    /// Devices that are asked at a time.
    static let parallel = 64
    /// So long must discovery have looked before "there is none" means something.
    static let browsing = Duration.seconds(3)
    /// The room's forms are waited for so long after the grant.
    private static let formsWait = Duration.seconds(5)

    /// A device that may be asked, and how to reach it.
    struct Candidate {
        let endpoints: [Endpoint]
        let session: SessionID?
        /// The rooms of the wanted name that it announces.
        var rooms: [AdvertisedRoom] = []
        /// Whether the code came with this device's address.
        var isNamed = false
        /// Whether all that is known of it is where it was met before.
        var isRemembered = false
    }

    /// How many devices that are not seen now are looked for where they were met before.
    static let remembered = 16

    func run(_ request: JoinRequest) async throws -> JoinAnswer {
        let wanted = request.room
        let held = if let wanted { try? await rooms.resolve(wanted) } else { nil as OpenRoom? }
        discovery?.refresh()
        // A code in the place of a name is meant as one, and leads to its room by itself; a short id
        // may look like one.
        if let wanted, request.code == nil, held == nil, JoinCode.hasShape(wanted),
            await !nearby().contains(where: { $0.id == wanted })
        {
            guard !request.create else { throw RoomError.looksLikeCode(wanted) }
            return try await join(nil, with: wanted, at: request.at)
        }
        if let code = request.code {
            return try await join(wanted, with: code, at: request.at)
        }
        guard let wanted else {
            throw Problem(
                .badRequest, "neither a room nor a code is named",
                hint: "Use `shared join CODE`, or `shared join ROOM` for an open one.")
        }
        if let held, held.isLeaving, try await leaving.stay(in: held) {
            return try await finish(held.id, within: .now, stays: true)
        }
        if let held, let role = await rooms.role(in: held.id) {
            throw Problem(.alreadyMember(held.id, held.name, role))
        }
        if let held, held.joining == .open { return try await ask(again: held) }
        if held == nil, let back = try await rooms.takeUp(wanted) {
            return try await finish(back.id, within: .now, stays: true)
        }
        // It may become the name of a room; nobody should wait to hear that it cannot.
        let name = try RoomName.checked(wanted)
        let likeness = JoinCode.likeness(of: name)
        // No device is asked for a room whose name is most of a code.
        if case .mistyped(let slip) = likeness, await !isAnnounced(name) {
            throw Problem(mistyped: name, slip, mayBeName: false)
        }
        do {
            return try await joinOpen(name, orCreate: request.create)
        } catch let problem as Problem
            where [.roomNotNearby, .discoveryUnavailable].contains(problem.code)
        {
            guard case .close(let slip) = likeness else { throw problem }
            throw Problem(mistyped: name, slip, mayBeName: true)
        }
    }

    private func isAnnounced(_ name: String) async -> Bool {
        await nearby().contains { $0.id == name || RoomName.areAlike($0.name, name) }
    }

    private func join(
        _ room: String?, with typed: String, at addresses: [String]
    ) async throws -> JoinAnswer {
        let code = try JoinCode(typed: typed)
        guard await !joins.invites().contains(where: { $0.code == code }) else {
            throw Problem(JoinFailure.refused(.ownKey))
        }
        return try await join(room, with: code, at: addresses)
    }

    /// The note on a room that was created where nobody could be asked for one.
    func notices(about answer: JoinAnswer) -> [String] {
        guard answer.created, discovery == nil else { return [] }
        let name = answer.room.name
        return [
            "nobody was asked whether there is a room \(name) nearby: discovery is off, and no"
                + " address was given with --peer; if there is one, leave this one (shared leave),"
                + " and join that with a code"
        ]
    }

    /// Asks once more to be let into an open room that this device waits for.
    private func ask(again room: OpenRoom) async throws -> JoinAnswer {
        await joins.seekAdmission()
        let deadline = ContinuousClock.now + Self.formsWait
        while await rooms.role(in: room.id) == nil, ContinuousClock.now < deadline {
            try await Task.sleep(for: .milliseconds(50))
        }
        return try await finish(room.id, within: deadline)
    }

    // MARK: Whom to ask

    /// Devices in reach, but for those that have answered; with the rooms of that name or short
    /// id that they announce.
    func candidates(
        for name: String?, without answered: Set<DeviceKey> = []
    ) async -> [Candidate] {
        var found: [Candidate] = []
        var keys = answered
        for peer in await reach.peers() where peer.isNearby {
            guard keys.insert(peer.key).inserted else { continue }
            found.append(
                Candidate(
                    endpoints: peer.endpoints, session: await sync.session(with: peer.key),
                    rooms: peer.rooms.filter { Self.isMeant($0, by: name) }))
        }
        for peer in await sync.peers() where keys.insert(peer.key).inserted {
            found.append(Candidate(endpoints: [], session: peer.session))
        }
        for (endpoint, device) in await reach.configured {
            if let device, !keys.insert(device).inserted || device == own.key {
                continue
            }
            found.append(Candidate(endpoints: [endpoint], session: nil))
        }
        return found
    }

    /// Devices that are not seen now, where they were met before; the latest first.
    func rememberedCandidates(without answered: Set<DeviceKey>) async -> [Candidate] {
        let connected = Set(await sync.peers().map(\.key))
        let peers = await reach.peers().filter {
            !$0.isNearby && !$0.endpoints.isEmpty && !answered.contains($0.key)
                && !connected.contains($0.key)
        }
        return peers.sorted { $0.lastHeard > $1.lastHeard }.prefix(Self.remembered)
            .map {
                Candidate(
                    endpoints: Array($0.endpoints.prefix(1)), session: nil, isRemembered: true)
            }
    }

    /// Whether an announced room is the one of that name, in either case, short id or id; any is
    /// where no name is given.
    static func isMeant(_ room: AdvertisedRoom, by name: String?) -> Bool {
        guard let name else { return true }
        return RoomName.areAlike(room.name, name) || room.shortID == shortID(name)
    }

    /// The same for a room that a device has shown.
    static func isMeant(_ welcome: JoinWelcome, by name: String?) -> Bool {
        guard let name else { return true }
        return RoomName.areAlike(welcome.name, name) || welcome.room.short == shortID(name)
    }

    /// The short id in a room's id, or what was typed in its place.
    static func shortID(_ text: String) -> String {
        if let id = RoomID(text: text) { return id.short }
        let bare = text.hasPrefix("room:") ? String(text.dropFirst("room:".count)) : text
        return bare.lowercased()
    }

    /// - Returns: no session where it cannot be reached, and whether it took a connection there and
    ///   ended it at once.
    func session(with candidate: Candidate) async -> (SessionID?, isTurnedAway: Bool) {
        if let session = candidate.session { return (session, false) }
        var isTurnedAway = false
        for endpoint in candidate.endpoints {
            do throws(TransportError) {
                if let session = try await reach.connect(to: endpoint, within: Self.dialTime) {
                    return (session, false)
                }
            } catch {
                if case .turnedAway = error { isTurnedAway = true }
            }
        }
        return (nil, isTurnedAway)
    }

    // MARK: The end

    /// Waits a little for the room's forms and members, so that the next command finds them. The
    /// records, of which there may be any number, come in afterwards.
    ///
    /// - Parameters:
    ///   - already: whether this device was a member before.
    ///   - stays: whether it was to leave, and goes on as it was: nothing is waited for.
    func finish(
        _ id: RoomID, within deadline: ContinuousClock.Instant, already: Bool = false,
        stays: Bool = false
    ) async throws -> JoinAnswer {
        guard let room = await rooms.open(id) else {
            throw Problem(.storage, "the room could not be kept")
        }
        // The store may be merging what comes in: it is asked nothing that would wait for that.
        if room.joining == .invited {
            _ = await sync.admission(to: id, within: deadline - .now)
        }
        var incoming: UInt64 = 0
        let isMember = await sync.view(of: id)?.role(of: own.key) != nil
        if !isMember || stays {
            await membership.refresh(room)
            if !isMember { await joins.seekAdmission() }
        } else if await sync.controlLogs(of: id, within: Self.formsWait) {
            incoming = await sync.operationsLacking(in: id)
            completion.look(at: room)
        }
        try await rooms.use(room)
        if stays { await advertising.refresh() }
        let view = await sync.view(of: id)
        let role = view?.role(of: own.key)
        return JoinAnswer(
            room: room.named, created: false, founder: await named(view?.founder),
            state: role == nil ? "waiting" : "member", role: role?.name,
            already: already, stays: stays, isOpen: room.joining == .open,
            isHidden: view?.isHidden ?? false, incoming: Int(clamping: incoming))
    }

    private func named(_ key: DeviceKey?) async -> NamedDevice? {
        guard let key else { return nil }
        return await names.named(key)
    }
}
