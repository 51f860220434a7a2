import ShareControl

/// The routes of members: who they are, what they may do, and how they come to be none.
struct MembersRoutes: Sendable {
    let requests: Requests
    let members: MembersService
    let leave: LeaveService

    func register(on router: inout Router) {
        router.on(.get, "/v1/members") { request in
            await requests.answer(json: {
                let room = try await requests.room(request)
                await members.sync.look()
                return try await members.list(
                    room, all: try request.flag("all"), withForms: try request.flag("forms"))
            })
        }
        router.on(.post, "/v1/role") { request in
            await requests.answer(json: {
                let wanted: RoleRequest = try request.json()
                return try await members.setRole(wanted, in: try await requests.room(request))
            })
        }
        router.on(.post, "/v1/remove") { request in
            await requests.answer(json: {
                let wanted: RemoveRequest = try request.json()
                return try await members.remove(wanted, in: try await requests.room(request))
            })
        }
        router.on(.post, "/v1/accept") { request in
            await requests.answer(json: {
                let wanted: AcceptRequest = try request.json()
                return try await members.accept(wanted, in: try await requests.room(request))
            })
        }
        router.on(.post, "/v1/leave") { request in
            await requests.answer(json: {
                let wanted: RoomRequest = try request.json()
                do {
                    return try await leave.leave(try await requests.rooms.resolve(wanted.room))
                } catch RoomError.damaged(let damaged) {
                    return try await leave.forget(damaged)
                }
            })
        }
    }
}
