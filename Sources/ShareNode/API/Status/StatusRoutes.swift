import JSON
import ShareControl
import ShareCore

/// The routes that tell how this device stands, once or as it changes.
struct StatusRoutes: Sendable {
    let requests: Requests
    let status: StatusService
    let watch: WatchHub

    func register(on router: inout Router) {
        router.on(.get, "/v1/version") { _ in
            HTTPResponse(
                json: VersionAnswer(
                    version: Release.version, api: 1,
                    protocolVersion: Int(SyncLimits.protocolVersion)))
        }
        router.on(.get, "/v1/status") { request in
            await requests.answer {
                let room = try await requests.namedRoom(request)
                await status.sync.look()
                let answer = try await status.status(of: room)
                return HTTPResponse(json: answer, notices: await status.notices(about: room))
            }
        }
        router.on(.get, "/v1/watch", isWatch: true) { request in
            await requests.answer {
                let only = try await requests.namedRoom(request)?.name
                let events = watch.watch()
                return HTTPResponse(heartbeat: true) { writer in
                    for await event in events
                    where only == nil || event.room == nil || event.room == only {
                        try await writer.write(event.jsonText + [10])
                    }
                }
            }
        }
    }
}
