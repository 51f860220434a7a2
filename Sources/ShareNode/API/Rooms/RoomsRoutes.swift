import JSON
import ShareControl

/// The routes of rooms and their settings.
struct RoomsRoutes: Sendable {
    let requests: Requests
    let service: RoomsService
    let rooms: RoomBook
    let members: MembersService
    let autopush: Autopush

    func register(on router: inout Router) {
        router.on(.get, "/v1/rooms") { _ in
            await requests.answer(json: { await service.list() })
        }
        router.on(.post, "/v1/rooms") { request in
            await requests.answer {
                HTTPResponse(json: try await service.create(try request.json()), status: 201)
            }
        }
        router.on(.post, "/v1/use") { request in
            await requests.answer {
                let wanted: RoomRequest = try request.json()
                let room = try await rooms.resolve(wanted.room)
                try await rooms.use(room)
                return HTTPResponse(
                    json: RoomChangedAnswer(room: room.named),
                    notices: room.isLeaving ? [RoomsService.leavingNotice(room)] : [])
            }
        }
        router.on(.get, "/v1/settings/room") { request in
            await requests.answer(json: {
                await service.settings(of: try await requests.room(request))
            })
        }
        router.on(.put, "/v1/settings/room") { request in
            await requests.answer(json: {
                let wanted: RoomSettingsRequest = try request.json()
                let room = try await requests.room(request)
                try await service.set(wanted, in: room, by: members)
                return await service.settings(of: room)
            })
        }
        router.on(.get, "/v1/settings/autopush") { request in
            await requests.answer(json: {
                let room = try await requests.room(request)
                return Self.answer(room)
            })
        }
        router.on(.put, "/v1/settings/autopush") { request in
            await requests.answer(json: {
                let wanted: AutopushRequest = try request.json()
                let room = try await requests.room(request)
                try await rooms.setAutopush(wanted.autopush, for: room)
                // What an owner has set just now holds from now on, whoever hears of it when.
                await autopush.follow(room)
                return Self.answer(room)
            })
        }
    }

    private static func answer(_ room: OpenRoom) -> AutopushAnswer {
        AutopushAnswer(
            room: room.named, autopush: room.autopush, own: room.pushing.own,
            everybody: room.pushing.room)
    }
}
