import ShareControl

/// The routes of forms.
extension ControlRoutes {
    func registerForms(_ router: inout Router) {
        router.on(.get, "/v1/forms") { request in
            await answer(json: { await FormsWork(node: node, room: try await room(request)).list() }
            )
        }
        router.on(.post, "/v1/forms") { request in
            await answer(json: {
                try await FormsWork(node: node, room: try await memberRoom(request))
                    .add(request.bytes)
            })
        }
        router.on(.get, "/v1/forms/{form}") { request in
            await answer {
                let work = FormsWork(node: node, room: try await room(request))
                return HTTPResponse(
                    body: try await work.show(request.parameters["form"] ?? ""))
            }
        }
    }
}
