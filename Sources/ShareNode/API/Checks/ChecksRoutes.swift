import ShareControl

/// The routes that check: a room's file, and this device's surroundings.
struct ChecksRoutes: Sendable {
    let requests: Requests
    let checks: ChecksService
    let doctor: Doctor
    let ping: PingService

    func register(on router: inout Router) {
        router.on(.post, "/v1/verify") { request in
            await requests.answer {
                do {
                    let room = try await requests.room(request)
                    return requests.work { try await checks.verify(room, progress: $0) }
                } catch RoomError.damaged(let room) {
                    return requests.work { _ in ChecksService.answer(for: room) }
                }
            }
        }
        router.on(.post, "/v1/rebuild") { request in
            await requests.answer {
                do {
                    let room = try await requests.room(request)
                    return requests.work { try await checks.rebuild(room, progress: $0) }
                } catch RoomError.damaged(let damaged) {
                    return requests.work { try await checks.mend(damaged, progress: $0) }
                }
            }
        }
        router.on(.post, "/v1/ping") { request in
            await requests.answer(json: {
                let wanted: PingRequest = try request.json()
                return try await ping.ping(wanted.device)
            })
        }
        router.on(.get, "/v1/doctor") { request in
            await requests.answer(json: {
                await doctor.examine(isVerbose: try request.flag("verbose"))
            })
        }
    }
}
