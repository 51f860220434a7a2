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
                return HTTPResponse(body: RoomChangedAnswer(room: room.named).jsonText)
            }
        }
        router.on(.post, "/v1/leave") { request in await answer { try await leave(request) } }
        router.on(.get, "/v1/members") { request in await answer { try await members(request) } }
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

    private func rooms() async throws -> HTTPResponse {
        let current = await node.rooms.currentRoom
        var answers: [RoomAnswer] = []
        for room in await node.rooms.all() {
            let role = await room.store.authority().currentRole(of: node.identity.key)
            answers.append(
                RoomAnswer(
                    name: room.name, id: room.id.text,
                    role: role?.name ?? (room.isJoining ? "joining" : "none"),
                    current: room.id == current))
        }
        return HTTPResponse(body: answers.jsonText)
    }

    private func create(_ request: HTTPRequest) async throws -> HTTPResponse {
        let wanted: CreateRequest = try body(request)
        guard !wanted.isOpen else {
            throw Problem(
                .badRequest, "open rooms cannot be made by this release",
                hint: "Create the room without --open and admit others with `shared invite`.")
        }
        let room = try await node.rooms.create(wanted.room, isOpen: false)
        await node.advertise()
        node.tell("room_changed", in: room.name, "created \(room.name)")
        let answer = JoinAnswer(
            room: room.named, created: true, founder: await node.named(node.identity.key),
            state: "member")
        return HTTPResponse(status: 201, body: answer.jsonText)
    }

    private func leave(_ request: HTTPRequest) async throws -> HTTPResponse {
        let wanted: RoomRequest = try body(request)
        let room = try await node.rooms.resolve(wanted.room)
        let authority = await room.store.authority()
        if authority.owners == [node.identity.key], authority.members.count > 1 {
            throw Problem(
                .notAllowed, "you are the only owner of \(room.name), and others are in it",
                hint: "Invite another owner first: shared invite --role owner")
        }
        let pending = try await room.store.counts().pending
        if pending > 0 { _ = try await node.seal(room) }
        if let batch = try await room.leave(node.identity.key, through: node.sealing) {
            _ = await node.sync.delivery(of: [batch.id], in: room.id, within: .seconds(2))
        }
        try await node.rooms.forget(room)
        try await node.joins.withdrawAll(to: room.id)
        await node.sync.remove(room.id)
        await node.reach.forget(room.id)
        await node.advertise()
        node.tell("room_changed", in: room.name, "left \(room.name)")
        return HTTPResponse(body: RoomChangedAnswer(room: room.named).jsonText)
    }

    private func members(_ request: HTTPRequest) async throws -> HTTPResponse {
        let room = try await room(request)
        let faults = await node.faults(in: [room])
        var answers: [MemberAnswer] = []
        for member in await room.store.authority().members {
            let named = await node.named(member.device)
            answers.append(
                MemberAnswer(
                    id: named.id, name: named.name, role: member.role.name,
                    isSelf: member.device == node.identity.key,
                    faults: faults.filter { $0.device.id == named.id }.map(\.detail)))
        }
        return HTTPResponse(body: answers.jsonText)
    }
}

extension OpenRoom {
    var named: NamedRoom { NamedRoom(name: name, id: id.text) }
}
