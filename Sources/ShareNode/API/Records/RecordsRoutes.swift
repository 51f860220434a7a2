import ShareControl

/// The routes of records, one by one and listed.
extension ControlRoutes {
    func registerRecords(_ router: inout Router) {
        registerRemarks(&router)
        router.on(.get, "/v1/records/{form}") { request in
            await answer {
                let work = try await records(request)
                let stream = try await work.list(request.parameters["form"] ?? "", request.query)
                let headers = Self.headers(await work.notices())
                return HTTPResponse(
                    contentType: HTTPResponse.json, headers: headers, heartbeat: false
                ) { writer in
                    try await stream.run { try await writer.write($0) }
                }
            }
        }
        router.on(.post, "/v1/records/{form}") { request in
            await answer {
                let added = try await changing(request)
                    .add(request.parameters["form"] ?? "", try body(request))
                return HTTPResponse(status: 201, body: added.jsonText)
            }
        }
        router.on(.get, "/v1/record/{id}") { request in
            await answer {
                let work = try await records(request)
                let body = try await work.show(request.parameters["id"] ?? "")
                return HTTPResponse(headers: Self.headers(await work.notices()), body: body)
            }
        }
        router.on(.patch, "/v1/record/{id}") { request in
            await answer(json: {
                try await changing(request).edit(
                    request.parameters["id"] ?? "", try body(request))
            })
        }
        router.on(.delete, "/v1/record/{id}") { request in
            await answer(json: {
                try await changing(request).delete(request.parameters["id"] ?? "")
            }
            )
        }
        router.on(.get, "/v1/record/{id}/history") { request in
            await answer(json: {
                try await records(request).history(
                    request.parameters["id"] ?? "", request.query)
            })
        }
        router.on(.get, "/v1/conflicts") { request in
            await answer {
                let page = try await records(request).conflicts(request.query)
                return HTTPResponse(
                    headers: Self.headers(page.notices), body: page.answers.jsonText)
            }
        }
        router.on(.get, "/v1/parallel") { request in
            await answer {
                let page = try await records(request).parallelUpdates(request.query)
                return HTTPResponse(
                    headers: Self.headers(page.notices), body: page.answers.jsonText)
            }
        }
        router.on(.get, "/v1/refused") { request in
            await answer {
                let work = try await records(request)
                return HTTPResponse(contentType: HTTPResponse.json, heartbeat: false) { writer in
                    try await work.refused { try await writer.write($0) }
                }
            }
        }
    }

    private func registerRemarks(_ router: inout Router) {
        router.on(.post, "/v1/record/{id}/resolve") { request in
            await answer(json: {
                try await changing(request).resolve(
                    request.parameters["id"] ?? "", try body(request))
            })
        }
        router.on(.post, "/v1/record/{id}/restore") { request in
            await answer(json: {
                try await changing(request).restore(request.parameters["id"] ?? "")
            })
        }
        router.on(.post, "/v1/record/{id}/reviews") { request in
            await answer(json: {
                try await changing(request).review(
                    request.parameters["id"] ?? "", try body(request))
            })
        }
        router.on(.post, "/v1/record/{id}/comments") { request in
            await answer(json: {
                try await changing(request).comment(
                    request.parameters["id"] ?? "", try body(request))
            })
        }
    }

    private func records(_ request: HTTPRequest) async throws -> RecordsWork {
        RecordsWork(node: node, room: try await room(request), readers: readers)
    }

    /// The same for what changes records.
    private func changing(_ request: HTTPRequest) async throws -> RecordsWork {
        RecordsWork(node: node, room: try await memberRoom(request), readers: readers)
    }
}
