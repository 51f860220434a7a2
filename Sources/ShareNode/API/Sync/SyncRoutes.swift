import JSON
import ShareControl
import ShareStore

/// The routes that share entries now: `push` and `sync`.
struct SyncRoutes: Sendable {
    let requests: Requests
    let push: PushService
    let wait: SyncWait

    func register(on router: inout Router) {
        router.on(.post, "/v1/push") { request in
            await requests.answer {
                let wanted: PushRequest = try request.json()
                let room = try await requests.memberRoom(request)
                let time = try Self.time(wanted.timeoutMilliseconds, otherwise: .seconds(5))
                return HTTPResponse(
                    json: try await push.push(room, within: time),
                    notices: await push.notices(about: room))
            }
        }
        router.on(.get, "/v1/unsent") { request in
            await requests.answer(json: {
                let room = try await requests.room(request)
                return try await push.unsent(in: room)
            })
        }
        router.on(.post, "/v1/sync") { request in
            await requests.answer {
                let wanted: SyncRequest = try request.json()
                let room = try await requests.memberRoom(request)
                let time = try Self.time(wanted.waitMilliseconds, otherwise: .seconds(10))
                return requests.exchange {
                    try await wait.run(in: room, within: time, progress: $0)
                }
            }
        }
    }

    private static func time(_ milliseconds: Int?, otherwise time: Duration) throws -> Duration {
        guard let milliseconds else { return time }
        guard (0...ControlLimits.waitMilliseconds).contains(milliseconds) else {
            throw Problem(
                .badRequest, "a time to wait is between 0 and 3600 seconds",
                hint: "Wait less long; run the command again where that is not enough.")
        }
        return .milliseconds(milliseconds)
    }
}
