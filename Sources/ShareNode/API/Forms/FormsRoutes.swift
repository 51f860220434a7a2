import ShareControl

/// The routes of forms.
struct FormsRoutes: Sendable {
    let requests: Requests
    let forms: FormsService

    func register(on router: inout Router) {
        router.on(.get, "/v1/forms") { request in
            await requests.answer(json: { await forms.list(try await requests.room(request)) })
        }
        router.on(.post, "/v1/forms") { request in
            await requests.answer(json: {
                try await forms.add(
                    request.bytes, to: try await requests.memberRoom(request),
                    isTrial: try request.flag("dry_run"), isForced: try request.flag("force"),
                    coming: request.query.values(of: "list"))
            })
        }
        router.on(.get, "/v1/forms/{form}") { request in
            await requests.answer {
                let room = try await requests.room(request)
                return HTTPResponse(
                    body: try await forms.show(
                        request.parameter("form"), by: request.query["by"], in: room))
            }
        }
    }
}
