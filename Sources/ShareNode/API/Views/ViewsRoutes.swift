import ShareControl

/// The routes of a room's views.
struct ViewsRoutes: Sendable {
    let requests: Requests
    let views: ViewsService

    func register(on router: inout Router) {
        router.on(.get, "/v1/views") { request in
            await requests.answer(json: { await views.views(of: try await requests.room(request)) })
        }
        router.on(.put, "/v1/views") { request in
            await requests.answer(json: {
                try await views.set(request.bytes, in: try await requests.memberRoom(request))
            })
        }
    }
}
