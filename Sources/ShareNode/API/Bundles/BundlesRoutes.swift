import JSON
import ShareControl
import ShareCore

/// The routes of bundles: a room, or a request to join one, in a file.
struct BundlesRoutes: Sendable {
    let requests: Requests
    let writing: BundleWriting
    let reading: BundleReading

    func register(on router: inout Router) {
        router.on(.get, "/v1/bundle") { request in
            await requests.answer {
                let (stream, notices) = try await writing.bundle(
                    of: try await requests.room(request), for: request.query["for"],
                    isWhole: try request.flag("whole"))
                return HTTPResponse(
                    contentType: BundleLimits.mediaType, headers: HTTPResponse.headers(notices),
                    heartbeat: false,
                    produce: requests.streaming { writer in
                        try await stream.run { try await writer.write($0) }
                    })
            }
        }
        router.on(.get, "/v1/bundle/request") { request in
            await requests.answer {
                let room = try await requests.namedRoom(request)
                return HTTPResponse(
                    contentType: BundleLimits.mediaType,
                    body: try await writing.joinRequest(to: room))
            }
        }
        router.on(.post, "/v1/bundle", body: .streamed) { request in
            await requests.answer(json: {
                let wish = try BundleAdmission(
                    device: request.query["admit"], role: request.query["role"])
                return try await reading.read(
                    request.pieces, room: request.query["room"],
                    mayJoin: try request.flag("join"), admitting: wish)
            })
        }
    }
}
