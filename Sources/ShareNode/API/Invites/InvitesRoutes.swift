import JSON
import ShareControl

/// The routes of joining: with invites on the one side, with their codes on the other.
struct InvitesRoutes: Sendable {
    let requests: Requests
    let invites: InvitesService
    let join: JoinCommand

    func register(on router: inout Router) {
        router.on(.post, "/v1/join") { request in
            await requests.answer {
                let answer = try await join.run(try request.json())
                return HTTPResponse(json: answer, notices: join.notices(about: answer))
            }
        }
        router.on(.get, "/v1/rooms/nearby") { _ in
            await requests.answer {
                HTTPResponse(
                    json: await join.nearby(),
                    notices: [join.discovery?.deafNotice].compactMap(\.self))
            }
        }
        router.on(.post, "/v1/invites") { request in
            await requests.answer {
                let wanted: InviteRequest = try request.json()
                let room = try await requests.memberRoom(request)
                return HTTPResponse(json: try await invites.make(wanted, to: room), status: 201)
            }
        }
        router.on(.get, "/v1/invites") { request in
            await requests.answer(json: {
                await invites.list(of: try await requests.namedRoom(request))
            })
        }
        router.on(.delete, "/v1/invites/{selector}") { request in
            await requests.answer(json: {
                try await invites.withdraw(request.parameter("selector"))
            })
        }
    }
}
