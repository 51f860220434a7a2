import ShareControl
import ShareCore
import ShareCrypto
import ShareStore

extension ControlRoutes {
    func registerRooms(_ router: inout Router) {
        router.on(.get, "/v1/rooms") { _ in await answer { try await rooms() } }
        router.on(.post, "/v1/rooms") { request in await answer { try await create(request) } }
        router.on(.post, "/v1/use") { request in
            await answer {
                let request: RoomRequest = try body(request)
                let room = try await node.rooms.resolve(request.room)
                try await node.rooms.use(room)
                return HTTPResponse(
                    headers: Self.headers(room.isLeaving ? [Self.leaving(room)] : []),
                    body: RoomChangedAnswer(room: room.named).jsonText)
            }
        }
        router.on(.get, "/v1/settings/room") { request in
            await answer(json: { try await settings(of: try await room(request)) })
        }
        router.on(.put, "/v1/settings/room") { request in
            await answer(json: {
                let wanted: RoomSettingsRequest = try body(request)
                return try await set(wanted, in: try await room(request))
            })
        }
        router.on(.get, "/v1/settings/autopush") { request in
            await answer {
                let room = try await room(request)
                return HTTPResponse(
                    body: AutopushAnswer(room: room.named, autopush: room.autopush).jsonText)
            }
        }
        router.on(.put, "/v1/settings/autopush") { request in
            await answer {
                let wanted: AutopushRequest = try body(request)
                let room = try await room(request)
                try await node.rooms.setAutopush(wanted.autopush, for: room)
                if wanted.autopush { await node.noteEntry(in: room.id) }
                return HTTPResponse(
                    body: AutopushAnswer(room: room.named, autopush: wanted.autopush).jsonText)
            }
        }
    }

    /// What to say to who uses a room that this device is leaving.
    private static func leaving(_ room: OpenRoom) -> String {
        "this device is leaving \(room.name): when a member can hear of it, it is gone; see:"
            + " shared status"
    }

    private func rooms() async throws -> HTTPResponse {
        let current = await node.rooms.currentRoom
        var answers: [RoomAnswer] = []
        for room in await node.rooms.all() {
            let removal = await node.removal(of: node.identity.key, from: room)
            answers.append(
                RoomAnswer(
                    name: room.name, id: room.id.text,
                    role: await node.roleWord(in: room, removal), current: room.id == current,
                    removed: removal, notLeft: await node.isKept(room)))
        }
        for room in await node.rooms.allDamaged() {
            let entry = room.entry
            answers.append(
                RoomAnswer(
                    name: entry.name, id: entry.id.text, role: "damaged",
                    current: entry.id == current, problem: room.problem))
        }
        return HTTPResponse(body: answers.jsonText)
    }

    private func create(_ request: HTTPRequest) async throws -> HTTPResponse {
        let wanted: CreateRequest = try body(request)
        guard !wanted.isOpen || !wanted.isHidden else { throw Self.hiddenAndOpen }
        let answer = try await node.create(
            wanted.room, isOpen: wanted.isOpen, isHidden: wanted.isHidden)
        return HTTPResponse(status: 201, body: answer.jsonText)
    }

    private static let hiddenAndOpen = Problem(
        .badRequest, "a room cannot be both open and hidden",
        hint: "Nobody could find it. Choose one; a hidden room is joined with codes.")

    /// What stands in the way of hiding an open room, and of opening a hidden one. Neither gives way
    /// by itself: who hides a room would shut out people, who opens one would give away its name.
    private static func hiddenOrOpen(_ room: OpenRoom, isHidden: Bool) -> Problem {
        isHidden
            ? Problem(
                .openAndHidden, "\(room.name) is hidden, and a hidden room cannot be open",
                hint: "Announce it first: `shared set hidden off`.")
            : Problem(
                .openAndHidden, "\(room.name) is open, and an open room cannot be hidden",
                hint: "Close it first: `shared set open off`.")
    }

    private func settings(of room: OpenRoom) async throws -> RoomSettingsAnswer {
        let settings = await room.store.settings()
        return RoomSettingsAnswer(
            room: room.named, isOpen: settings.isOpen, isHidden: settings.isHidden)
    }

    /// Sets what is given and not so yet, in one batch, and offers it to everybody.
    private func set(
        _ wanted: RoomSettingsRequest, in room: OpenRoom
    ) async throws -> RoomSettingsAnswer {
        let members = MembersWork(node: node, room: room)
        try await members.decide(to: "open, close, hide or show a room") { store in
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
            return changes
        }
        return try await settings(of: room)
    }
}

extension OpenRoom {
    var named: NamedRoom { NamedRoom(name: name, id: id.text) }
}
