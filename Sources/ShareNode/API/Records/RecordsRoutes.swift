import JSON
import ShareControl

/// The routes of records, one by one and listed.
struct RecordsRoutes: Sendable {
    let requests: Requests
    let records: RecordsService
    let editor: RecordsEditor
    let remarks: RemarksService
    let refused: RefusedService

    func register(on router: inout Router) {
        registerReading(on: &router)
        registerChanging(on: &router)
    }

    private func registerReading(on router: inout Router) {
        router.on(.get, "/v1/records/{form}") { request in
            await requests.answer {
                let room = try await requests.room(request)
                let form = request.parameter("form")
                if request.query["deleted"] == "true" {
                    let deleted = try await records.deleted(form, in: room, request.query)
                    return HTTPResponse(
                        contentType: HTTPResponse.json,
                        headers: HTTPResponse.headers(deleted.notices), heartbeat: false,
                        produce: requests.streaming { writer in
                            try await records.write(deleted, in: room) {
                                try await writer.write($0)
                            }
                        })
                }
                let stream = try await records.list(form, in: room, request.query)
                let headers = HTTPResponse.headers(
                    await records.notices(about: room, request.query))
                return HTTPResponse(
                    contentType: HTTPResponse.json, headers: headers, heartbeat: false,
                    produce: requests.streaming { writer in
                        try await stream.run { try await writer.write($0) }
                    })
            }
        }
        router.on(.get, "/v1/record/{id}") { request in
            await requests.answer {
                let room = try await requests.room(request)
                let entry = EntrySelector(request)
                let body = try await records.show(entry, in: room)
                return HTTPResponse(
                    headers: HTTPResponse.headers(
                        await records.notices(about: room, showing: entry)), body: body)
            }
        }
        router.on(.get, "/v1/record/{id}/view") { request in
            await requests.answer {
                let room = try await requests.room(request)
                let entry = EntrySelector(request)
                let view = try await records.view(entry, in: room, request.query)
                return HTTPResponse(
                    json: view, notices: await records.notices(about: room, showing: entry))
            }
        }
        router.on(.get, "/v1/record/{id}/history") { request in
            await requests.answer(json: {
                let room = try await requests.room(request)
                return try await records.history(
                    EntrySelector(request), in: room, request.query)
            })
        }
        router.on(.get, "/v1/refused") { request in
            await requests.answer {
                let room = try await requests.room(request)
                let hasAnswers = try request.flag("answers")
                return HTTPResponse(
                    contentType: HTTPResponse.json, heartbeat: false,
                    produce: requests.streaming { writer in
                        try await refused.write(room, hasAnswers: hasAnswers) {
                            try await writer.write($0)
                        }
                    })
            }
        }
    }

    private func registerChanging(on router: inout Router) {
        router.on(.post, "/v1/records/{form}") { request in
            await requests.answer {
                let room = try await requests.room(request)
                let language = request.query["language"]
                let added = try await editor.add(
                    request.parameter("form"), to: room, try request.json(), language: language)
                return HTTPResponse(
                    json: added, status: 201,
                    notices: try await editor.notices(of: added, in: room, language: language))
            }
        }
        router.on(.patch, "/v1/record/{id}") { request in
            await requests.answer {
                let room = try await requests.room(request)
                let language = request.query["language"]
                let edited = try await editor.edit(
                    EntrySelector(request), in: room, try request.json(), language: language)
                return HTTPResponse(
                    json: edited.answer,
                    notices: try await editor.notices(of: edited, in: room, language: language))
            }
        }
        router.on(.delete, "/v1/record/{id}") { request in
            await requests.answer {
                let room = try await requests.room(request)
                let deleted = try await editor.delete(EntrySelector(request), in: room)
                return HTTPResponse(
                    json: deleted, notices: try await editor.notices(ofDeleted: deleted, in: room))
            }
        }
        router.on(.post, "/v1/record/{id}/restore") { request in
            await requests.answer {
                let room = try await requests.room(request)
                let (restored, creator) = try await editor.restore(EntrySelector(request), in: room)
                return HTTPResponse(
                    json: restored,
                    notices: try await editor.notices(
                        ofRestored: restored, by: creator, in: room))
            }
        }
        router.on(.post, "/v1/record/{id}/undo") { request in
            await requests.answer(json: {
                let room = try await requests.room(request)
                return try await editor.undo(EntrySelector(request), in: room)
            })
        }
        router.on(.post, "/v1/record/{id}/reviews") { request in
            await requests.answer {
                let room = try await requests.room(request)
                let (answer, notices) = try await remarks.review(
                    EntrySelector(request), in: room, try request.json())
                return HTTPResponse(json: answer, notices: notices)
            }
        }
        router.on(.post, "/v1/record/{id}/comments") { request in
            await requests.answer(json: {
                let room = try await requests.room(request)
                return try await remarks.comment(
                    EntrySelector(request), in: room, try request.json())
            })
        }
    }
}
