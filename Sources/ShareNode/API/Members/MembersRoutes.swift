import ShareControl
import ShareCore
import ShareStore

/// The routes of members: who they are, what they may do, and how they come to be none.
extension ControlRoutes {
    func registerMembers(_ router: inout Router) {
        router.on(.get, "/v1/members") { request in
            await answer(json: {
                let work = MembersWork(node: node, room: try await room(request))
                return await work.list(all: try flag("all", of: request))
            })
        }
        router.on(.post, "/v1/role") { request in
            await answer(json: {
                let wanted: RoleRequest = try body(request)
                return try await MembersWork(node: node, room: try await room(request))
                    .setRole(wanted)
            })
        }
        router.on(.post, "/v1/remove") { request in
            await answer(json: {
                let wanted: RemoveRequest = try body(request)
                return try await MembersWork(node: node, room: try await room(request))
                    .remove(wanted)
            })
        }
        router.on(.post, "/v1/accept") { request in
            await answer(json: {
                let wanted: AcceptRequest = try body(request)
                return try await MembersWork(node: node, room: try await room(request))
                    .accept(wanted)
            })
        }
        router.on(.post, "/v1/leave") { request in
            await answer(json: {
                let wanted: RoomRequest = try body(request)
                do {
                    let room = try await node.rooms.resolve(wanted.room)
                    return try await MembersWork(node: node, room: room).leave()
                } catch RoomError.damaged(let damaged) {
                    return try await forget(damaged)
                }
            })
        }
    }

    /// Lets go of a room whose file cannot be opened: nobody can be told.
    private func forget(_ room: DamagedRoom) async throws -> LeftAnswer {
        try await node.rooms.forget(room)
        return LeftAnswer(
            room: NamedRoom(name: room.entry.name, id: room.entry.id.text),
            current: await node.rooms.currentOpen?.named, heard: [], notHeard: [], isPending: false,
            isSaid: false, onlyHere: 0)
    }
}
