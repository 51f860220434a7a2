import ShareControl

/// The routes that check and mend a room's file.
extension ControlRoutes {
    func registerChecks(_ router: inout Router) {
        router.on(.post, "/v1/verify") { request in
            await answer {
                do {
                    let checks = ChecksWork(
                        node: node, room: try await room(request), readers: readers)
                    return work { try await checks.verify(progress: $0) }
                } catch RoomError.damaged(let room) {
                    return work { _ in ChecksWork.answer(for: room) }
                }
            }
        }
        router.on(.post, "/v1/rebuild") { request in
            await answer {
                do {
                    let checks = ChecksWork(
                        node: node, room: try await room(request), readers: readers)
                    return work { try await checks.rebuild(progress: $0) }
                } catch RoomError.damaged(let damaged) {
                    return work { try await mend(damaged, progress: $0) }
                }
            }
        }
    }

    /// Makes a room anew that could not be opened, and shares it again.
    private func mend(
        _ damaged: DamagedRoom, progress: @escaping @Sendable (Int, Int?) -> Void
    ) async throws -> RebuildAnswer {
        let (room, kept) = try await node.rooms.mend(damaged) { progress($0, $1) }
        await node.noteMembers(of: room)
        await node.advertise()
        let checks = ChecksWork(node: node, room: room, readers: readers)
        var answer = try await checks.rebuild(progress: progress)
        answer.changed = true
        answer.kept = kept ?? answer.kept
        return answer
    }
}
