import ShareControl
import ShareCore
import ShareCrypto
import ShareStore

extension ControlRoutes {
    func registerShare(_ router: inout Router) {
        router.on(.post, "/v1/push") { request in await answer { try await push(request) } }
        router.on(.post, "/v1/sync") { request in
            await answer {
                let wanted: SyncRequest = try body(request)
                let room = try await memberRoom(request)
                let time = try Self.time(wanted.waitMilliseconds, otherwise: .seconds(10))
                return work {
                    try await CatchUp(node: node, room: room).run(within: time, progress: $0)
                }
            }
        }
        router.on(.get, "/v1/doctor") { _ in
            await answer { HTTPResponse(body: await Doctor(node: node).examine().jsonText) }
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

    private func push(_ request: HTTPRequest) async throws -> HTTPResponse {
        let wanted: PushRequest = try body(request)
        let room = try await memberRoom(request)
        let time = try Self.time(wanted.timeoutMilliseconds, otherwise: .seconds(5))
        let pending = try await room.store.counts().pending
        let batches = try await node.seal(room)
        let withheld = try await room.store.counts().withheld
        // Contributors are sent nothing of what others enter.
        let own = node.ownKeys
        let others = await room.store.authority().members.filter { !own.contains($0.device) }
        let members = others.filter(\.role.readsAll).map(\.device)
        let before = await node.sync.standings(in: room.id)
        let deliveries = try await deliveries(of: batches, in: room, within: time)
        let after = await node.sync.standings(in: room.id)
        let departed = await node.sync.lastStandings(in: room.id)
        var answer = PushAnswer(
            outcome: "", entries: batches.isEmpty ? 0 : max(pending - withheld, 0),
            batches: batches.count, withheld: withheld,
            onlyHere: await node.sealedOnlyHere(in: room),
            contributors: others.count - members.count, delivered: [], notConnected: [],
            unconfirmed: [], refusing: [], interrupted: [])
        for key in members {
            let named = await node.named(key)
            switch deliveries[key] {
            case .delivered: answer.delivered.append(named)
            case .pending: answer.unconfirmed.append(named)
            case .refusing(let count):
                answer.refusing.append(
                    RefusingPeer(
                        id: named.id, name: named.name, refused: Int(clamping: count),
                        reason: "its copy of the room does not allow "
                            + (count == 1 ? "it" : "them")))
            case nil: answer.notConnected.append(named)
            }
            // Who went while it was under way has not told whether it has it.
            let isGone = deliveries[key] == nil && before[key] != nil
            if isGone || deliveries[key] == .pending {
                let missing = (after[key] ?? departed[key])?.behind ?? 0
                answer.interrupted.append(
                    InterruptedPeer(
                        id: named.id, name: named.name, missing: Int(clamping: missing),
                        isGone: isGone))
            }
        }
        answer.outcome = Self.outcome(of: answer)
        let notices = await lonelyNotice(room).map { [$0] } ?? []
        return HTTPResponse(headers: Self.headers(notices), body: answer.jsonText)
    }

    private static func outcome(of answer: PushAnswer) -> String {
        if !answer.interrupted.isEmpty { return "interrupted" }
        if answer.entries == 0 { return "nothing_new" }
        return answer.delivered.isEmpty && answer.refusing.isEmpty ? "waiting" : "done"
    }

    /// Who has what was sealed now; without anything new, who has all of this device's entries.
    private func deliveries(
        of batches: [Batch], in room: OpenRoom, within time: Duration
    ) async throws -> [DeviceKey: SyncService.Delivery] {
        if !batches.isEmpty {
            return await node.sync.delivery(of: batches.map(\.id), in: room.id, within: time)
        }
        return await node.sync.holders(
            of: LogName(author: node.identity.key, kind: .records), in: room.id, within: time)
    }
}
