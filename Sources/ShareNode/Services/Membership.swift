import ShareControl
import ShareCore
import ShareCrypto
import ShareStore
import Synchronization

/// Says who is a member of which room, to people and to those who dial.
final class Membership: Sendable {
    private typealias Standings = [DeviceKey: RoomView.Standing]

    private let own: OwnDevice
    private let names: DeviceNames
    private let rooms: RoomBook
    private let reach: ReachService
    private let advertising: Advertising
    private let watch: WatchHub
    private let log: Log
    private let state = Mutex(State())

    private struct State {
        /// How often a room was looked at: of two looks at once the one that began later counts.
        var looks: UInt64 = 0
        /// The members of each room when people were last told, so that they are told of changes
        /// alone, with the look that has shown them; nil of a room that is not shared any more.
        var notified: [RoomID: (look: UInt64, members: Standings?)] = [:]

        mutating func nextLook() -> UInt64 {
            looks += 1
            return looks
        }
    }

    init(
        own: OwnDevice, names: DeviceNames, rooms: RoomBook, reach: ReachService,
        advertising: Advertising, watch: WatchHub, log: Log
    ) {
        self.own = own
        self.names = names
        self.rooms = rooms
        self.reach = reach
        self.advertising = advertising
        self.watch = watch
        self.log = log
    }

    /// How a device came to be no member of a room any more; nil where it is one, or never was.
    func removal(of key: DeviceKey, from room: OpenRoom) async -> RemovalAnswer? {
        guard let removal = await room.store.authority().formerMember(key) else { return nil }
        return await answer(removal, in: room)
    }

    func answer(_ removal: FormerMember, in room: OpenRoom) async -> RemovalAnswer {
        let wall = await room.store.entry(of: removal.removal)?.wall
        return RemovalAnswer(
            by: await names.named(removal.by, in: room),
            at: WallClock.text(wall?.milliseconds ?? 0),
            reason: removal.reason)
    }

    /// This device's role in a room, or what it is instead.
    func roleWord(in room: OpenRoom, _ removal: RemovalAnswer?) async -> String {
        if room.isLeaving { return "leaving" }
        if let removal { return removal.by.id == own.key.text ? "left" : "removed" }
        if let role = await room.store.authority().currentRole(of: own.key) {
            return role.name
        }
        return room.isJoining ? "joining" : "none"
    }

    /// Refuses where this device is neither editor nor owner.
    ///
    /// - Parameter what: what only they do, before the room's name.
    /// - Throws: `Problem` of `not_allowed`.
    func requireEditor(of room: OpenRoom, to what: String, hint: String) async throws {
        let role = await room.store.authority().currentRole(of: own.key)
        guard let role, role >= .editor else {
            let who = role?.phrase ?? "who is not a member"
            throw Problem(.notAllowed, "\(who) may not \(what) \(room.name)", hint: hint)
        }
    }

    /// Lets those go on who may still say something in a room.
    ///
    /// - Throws: `Problem` of `removed`, which says by whom, when and why; `Problem` of
    ///   `not_a_member` where the identity that was a member is no longer this device's.
    func requireMember(of room: OpenRoom) async throws {
        guard let removal = await removal(of: own.key, from: room) else {
            guard await isUnadmitted(to: room) else { return }
            throw Problem(
                .notAMember, await unadmitted(to: room),
                hint: "Ask there for an invite, then: `shared join CODE`.")
        }
        throw Problem(
            .removed, Self.sentence(removal, self: own.key.text, room: room.name),
            hint: "What is here stays, and can be shown and exported. To come back ask for a code,"
                + " then: `shared join CODE`.")
    }

    /// Whether this device never had a role in a room that it holds: it has got another identity
    /// since.
    func isUnadmitted(to room: OpenRoom) async -> Bool {
        guard !room.isJoining, await !room.store.isRefilling else { return false }
        return await !room.store.authority().knows(own.key)
    }

    /// One clause that tells why nobody in a room counts this device as a member.
    func unadmitted(to room: OpenRoom) async -> String {
        await room.store.isGranted(to: own.key)
            ? "whoever let this device into \(room.name) was not allowed to any more"
            : own.formerKeys.isEmpty
                ? "the file of \(room.name) knows nothing of this device: its identity"
                    + " was replaced, or the file is another device's"
                : "this device is not admitted to \(room.name) under its new identity"
    }

    /// One clause that tells how this device came to be no member.
    private static func sentence(
        _ removal: RemovalAnswer, self device: String, room: String
    ) -> String {
        if removal.by.id == device {
            return "this device left \(room) at \(WallClock.words(removal.at))"
        }
        let by = "\(removal.by.name) (\(removal.by.id.dropFirst(4).prefix(8)))"
        let reason = removal.reason.isEmpty ? "" : ": \(removal.reason)"
        return "\(by) removed this device from \(room) at \(WallClock.words(removal.at))\(reason)"
    }

    /// Tells those who find and dial peers who the members of a room are, and people what has
    /// changed.
    func refresh(_ room: OpenRoom) async {
        let look = state.withLock { $0.nextLook() }
        guard let view = try? await room.store.view() else { return }
        let now = view.standings
        let last = state.withLock { state in
            let last = state.notified[room.id]
            if last.map({ $0.look < look }) ?? true { state.notified[room.id] = (look, now) }
            return last
        }
        // Who began to look later has seen all that this look was for.
        if let last, last.look > look { return }
        let before = last?.members
        var members: [DeviceKey: Role] = [:]
        for case (let key, .member(let role)) in now { members[key] = role }
        if view.isGone(own.key) {
            // Whoever is out of a room seeks nobody for it; others would not answer.
            await reach.forget(room.id, look: look)
        } else {
            let new = members.keys.filter { before?[$0] != now[$0] }
            await reach.setMembers(
                members, former: Set(now.keys.filter(view.isGone)),
                admitted: await admitted(new, to: room), of: room.id, look: look)
        }
        do {
            try await room.store.note(await names.known(Array(now.keys)))
        } catch {
            log.warning("names of members are not noted", ["error": "\(error)"])
        }
        guard let before, before != now else { return }
        await tellChanges(of: room, from: before, to: now)
        if before[own.key] != now[own.key] { await advertising.refresh() }
    }

    /// Those of these members whom this device admitted.
    private func admitted(_ members: [DeviceKey], to room: OpenRoom) async -> Set<DeviceKey> {
        let authority = await room.store.authority()
        var admitted: Set<DeviceKey> = []
        for member in members {
            for decision in authority.decisions(about: member) where decision.author == own.key {
                guard case .grant = await room.store.entry(of: decision.name)?.operation else {
                    continue
                }
                admitted.insert(member)
            }
        }
        return admitted
    }

    /// Seeks nobody for a room any more, and forgets what people were told of it.
    func forget(_ room: RoomID) async {
        let look = state.withLock { state in
            let look = state.nextLook()
            state.notified[room] = (look, nil)
            return look
        }
        await reach.forget(room, look: look)
    }

    private func tellChanges(
        of room: OpenRoom, from before: Standings,
        to now: Standings
    ) async {
        for key in Set(before.keys).union(now.keys).sorted() where before[key] != now[key] {
            await tellChange(of: room, key, from: before[key], to: now[key])
        }
    }

    private func tellChange(
        of room: OpenRoom, _ key: DeviceKey, from before: RoomView.Standing?,
        to now: RoomView.Standing?
    ) async {
        let isSelf = key == own.key
        let name = await names.named(key).name
        let who = isSelf ? "this device" : name
        switch now {
        case .left:
            watch.tell(
                "member_left", in: room.name, peer: key, named: name, "\(who) left \(room.name)")
        case .removed:
            guard let removal = await removal(of: key, from: room) else { return }
            let reason = removal.reason.isEmpty ? "" : ": \(removal.reason)"
            watch.tell(
                isSelf ? "removed" : "member_removed", in: room.name, peer: key, named: name,
                "\(removal.by.name) removed \(who) from \(room.name)\(reason)")
            if isSelf {
                log.warning(
                    "this device was removed from a room",
                    ["room": room.id.short, "by": String(removal.by.id.dropFirst(4).prefix(8))])
            }
        case .member(let role):
            if case .member(let old) = before {
                watch.tell(
                    "role_changed", in: room.name, peer: key, named: name,
                    "\(who) is \(role.name) in \(room.name) now, and was \(old.name)")
            } else {
                watch.tell(
                    "member_joined", in: room.name, peer: key, named: name,
                    "\(who) is in \(room.name) now, as \(role.name)")
            }
        case nil:
            watch.tell(
                "member_changed", in: room.name, peer: key, named: name,
                "\(who) is no member of \(room.name) any more")
        }
    }
}

/// Ends the joining of rooms: once the grant and all control logs are here. Before, this device
/// may not have heard that a room is hidden.
final class JoinCompletion: Sendable {
    private let rooms: RoomBook
    private let sync: SyncService
    private let advertising: Advertising
    private let watch: WatchHub
    /// Rooms whose joining is about to end.
    private let underWay = Mutex<Set<RoomID>>([])

    private static let patience = Duration.seconds(5)

    init(rooms: RoomBook, sync: SyncService, advertising: Advertising, watch: WatchHub) {
        self.rooms = rooms
        self.sync = sync
        self.advertising = advertising
        self.watch = watch
    }

    /// Looks, in the background, whether a room that is being joined is joined by now.
    func look(at room: OpenRoom) {
        guard room.isJoining, underWay.withLock({ $0.insert(room.id).inserted }) else { return }
        Task {
            if await rooms.role(in: room.id) != nil,
                await sync.controlLogs(of: room.id, within: Self.patience)
            {
                await rooms.setJoined(room.id)
                await advertising.refresh()
                watch.tell("room_changed", in: room.name, "joined \(room.name)")
            }
            _ = underWay.withLock { $0.remove(room.id) }
        }
    }
}
