import ShareControl

/// The routes of conflicts.
struct ConflictsRoutes: Sendable {
    let requests: Requests
    let conflicts: ConflictsService

    func register(on router: inout Router) {
        router.on(.get, "/v1/conflicts") { request in
            await requests.answer {
                let room = try await requests.room(request)
                let page = try await conflicts.conflicts(in: room, request.query)
                return HTTPResponse(json: page.answers, notices: page.notices)
            }
        }
        router.on(.get, "/v1/parallel") { request in
            await requests.answer {
                let room = try await requests.room(request)
                let page = try await conflicts.parallelUpdates(in: room, request.query)
                return HTTPResponse(json: page.answers, notices: page.notices)
            }
        }
        router.on(.post, "/v1/record/{id}/resolve") { request in
            await requests.answer(json: {
                let room = try await requests.room(request)
                return try await conflicts.resolve(
                    EntrySelector(request), in: room, try request.json())
            })
        }
    }
}
