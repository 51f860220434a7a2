import ShareControl
import ShareCore
import ShareStore

/// The routes of lists.
struct ListsRoutes: Sendable {
    let requests: Requests
    let lists: ListsService

    func register(on router: inout Router) {
        router.on(.get, "/v1/lists") { request in
            await requests.answer {
                let room = try await requests.room(request)
                return HTTPResponse(
                    json: try await lists.lists(room), notices: try await lists.notices(room))
            }
        }
        router.on(.get, "/v1/lists/{list}") { request in
            await requests.answer(json: {
                try await lists.show(
                    request.parameter("list"), in: try await requests.room(request),
                    search: request.query["search"], condition: request.query["where"],
                    limit: try limit(request))
            })
        }
        router.on(.get, "/v1/lists/{list}/csv") { request in
            await requests.answer {
                let room = try await requests.room(request)
                let name = request.parameter("list")
                let isRaw = try request.flag("raw")
                let file: ListsService.Producer
                if let device = request.query["by"] {
                    file = try await lists.export(name, by: device, in: room, isRaw: isRaw)
                } else {
                    let list = try await lists.find(name, in: room)
                    file = lists.export(list, in: room, isRaw: isRaw)
                }
                return HTTPResponse(
                    contentType: "text/csv", heartbeat: false, produce: requests.streaming(file))
            }
        }
        router.on(.put, "/v1/lists/{list}", body: .streamed) { request in
            await requests.answer(json: {
                let name = request.parameter("list")
                let room = try await requests.memberRoom(request)
                let isTrial = try request.flag("dry_run")
                let sent = try await ListsService.read(name, request.pieces)
                return try await lists.put(name, sent, in: room, isTrial: isTrial)
            })
        }
        router.on(.delete, "/v1/lists/{list}") { request in
            await requests.answer(json: {
                let room = try await requests.memberRoom(request)
                return try await lists.remove(request.parameter("list"), in: room)
            })
        }
    }

    private func limit(_ request: HTTPRequest) throws -> Int {
        guard let text = request.query["limit"] else { return 50 }
        guard let limit = Int(text), (1...ListsService.most).contains(limit) else {
            throw Problem(.badRequest, "limit is a number from 1 to \(ListsService.most)")
        }
        return limit
    }
}
