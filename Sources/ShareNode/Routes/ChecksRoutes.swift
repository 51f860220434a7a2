import ShareControl

/// The routes that check and mend a room's file.
extension ControlRoutes {
    func registerChecks(_ router: inout Router) {
        router.on(.post, "/v1/verify") { request in
            await answer {
                let checks = ChecksWork(node: node, room: try await room(request), readers: readers)
                return work { _ in try await checks.verify() }
            }
        }
        router.on(.post, "/v1/rebuild") { request in
            await answer {
                let checks = ChecksWork(node: node, room: try await room(request), readers: readers)
                let id = checks.room.id
                return work { progress in
                    let result = try await checks.rebuild(progress: progress)
                    try await node.sync.changed(id)
                    return result
                }
            }
        }
    }
}
