import ShareControl
import ShareCore
import ShareCrypto
import ShareStore

/// Lists and founds rooms, and says and sets what they are like.
struct RoomsService: Sendable {
    let own: OwnDevice
    let names: DeviceNames
    let rooms: RoomBook
    let membership: Membership
    let leaving: Leaving
    let advertising: Advertising
    let watch: WatchHub

    /// The rooms of this device, damaged ones last.
    func list() async -> [RoomAnswer] {
        let current = await rooms.currentRoom
        var answers: [RoomAnswer] = []
        for room in await rooms.all() {
            let removal = await membership.removal(of: own.key, from: room)
            answers.append(
                RoomAnswer(
                    name: room.name, id: room.id.text,
                    role: await membership.roleWord(in: room, removal),
                    current: room.id == current, removed: removal,
                    notLeft: await leaving.isKept(room)))
        }
        for room in await rooms.allDamaged() {
            let entry = room.entry
            answers.append(
                RoomAnswer(
                    name: entry.name, id: entry.id.text, role: "damaged",
                    current: entry.id == current, problem: room.problem))
        }
        return answers
    }

    // MARK: Founding

    func create(_ wanted: CreateRequest) async throws -> JoinAnswer {
        guard !wanted.isOpen || !wanted.isHidden else { throw Self.hiddenAndOpen }
        return try await create(
            wanted.room, isOpen: wanted.isOpen, isHidden: wanted.isHidden)
    }

    /// Founds a room, announces it, and tells those who watch.
    ///
    /// - Throws: as `RoomBook.create`.
    func create(
        _ name: String, isOpen: Bool = false, isHidden: Bool = false
    ) async throws -> JoinAnswer {
        let recovery = RecoveryCode.generate()
        let room = try await rooms.create(
            name, isOpen: isOpen, isHidden: isHidden, recovery: recovery)
        await advertising.refresh()
        watch.tell("room_changed", in: room.name, "created \(room.name)")
        return JoinAnswer(
            room: room.named, created: true, founder: await names.named(own.key), state: "member",
            role: Role.owner.name, isOpen: isOpen, isHidden: isHidden, recovery: recovery.text)
    }

    // MARK: Settings

    func settings(of room: OpenRoom) async -> RoomSettingsAnswer {
        let settings = await room.store.settings()
        return RoomSettingsAnswer(
            room: room.named, isOpen: settings.isOpen, isHidden: settings.isHidden,
            autopush: settings.autopush, quota: settings.quota?.text)
    }

    /// Sets what is given and not so yet, in one batch, and offers it to everybody.
    func set(
        _ wanted: RoomSettingsRequest, in room: OpenRoom, by members: MembersService
    ) async throws {
        let quota = try wanted.quota.map { try Quota(typed: $0) }
        try await members.decide(to: "set what holds for all members of a room", in: room) {
            store in
            let now = store.settings()
            let isOpen = wanted.isOpen ?? now.isOpen
            let isHidden = wanted.isHidden ?? now.isHidden
            guard !isOpen || !isHidden else {
                guard wanted.isOpen == nil || wanted.isHidden == nil else {
                    throw Self.hiddenAndOpen
                }
                throw Self.hiddenOrOpen(room, isHidden: now.isHidden)
            }
            var changes: [ControlOperation] = []
            if isOpen != now.isOpen {
                changes.append(store.setting(Authority.openSetting, to: isOpen))
            }
            if isHidden != now.isHidden {
                changes.append(store.setting(Authority.hiddenSetting, to: isHidden))
            }
            if let autopush = wanted.autopush, autopush != now.autopush {
                changes.append(store.setting(Authority.autopushSetting, to: autopush))
            }
            if let quota, quota.text != now.quota?.text ?? "" {
                if let reason = quota.shortfall(for: try store.usage()) {
                    throw Problem(
                        .badRequest, "\(reason): these would count no more",
                        hint: "Give at least as much.")
                }
                changes.append(store.setting(Authority.quotaSetting, to: quota.text))
            }
            return changes
        }
    }

    private static let hiddenAndOpen = Problem(
        .badRequest, "a room cannot be both open and hidden",
        hint: "Nobody could find it. Choose one; a hidden room is joined with codes.")

    /// The obstacle to hiding an open room, and to opening a hidden one. Neither gives way by
    /// itself: who hides a room would shut out people, who opens one would give away its name.
    private static func hiddenOrOpen(_ room: OpenRoom, isHidden: Bool) -> Problem {
        isHidden
            ? Problem(
                .openAndHidden, "\(room.name) is hidden, and a hidden room cannot be open",
                hint: "Announce it first: `shared set hidden off`.")
            : Problem(
                .openAndHidden, "\(room.name) is open, and an open room cannot be hidden",
                hint: "Close it first: `shared set open off`.")
    }

    /// The note to whoever uses a room that this device is leaving.
    static func leavingNotice(_ room: OpenRoom) -> String {
        "this device is leaving \(room.name): when a member can hear of it, it is gone; see:"
            + " shared status"
    }
}

extension OpenRoom {
    var named: NamedRoom { NamedRoom(name: name, id: id.text) }
}
