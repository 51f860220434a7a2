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
            let removal = await node.removal(of: node.identity.key, from: room)
            answers.append(
                RoomAnswer(
                    name: room.name, id: room.id.text,
                    role: await node.roleWord(in: room, removal), current: room.id == current,
                    removed: removal))
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
}

extension OpenRoom {
    var named: NamedRoom { NamedRoom(name: name, id: id.text) }
}
