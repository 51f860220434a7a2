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
                let room = try await room(request)
                let time = try Self.time(wanted.waitMilliseconds, otherwise: .seconds(10))
                return work { try await sync(room, within: time, progress: $0) }
            }
        }
        router.on(.get, "/v1/doctor") { _ in
            await answer { HTTPResponse(body: await Doctor(node: node).examine().jsonText) }
        }
    }

    /// How often a waiting `sync` tells how far it is.
    private static let progressEvery = Duration.milliseconds(250)
    /// The longest time that a command may ask the daemon to wait.
    private static let longestWait = 3_600_000

    private static func time(_ milliseconds: Int?, otherwise time: Duration) throws -> Duration {
        guard let milliseconds else { return time }
        guard (0...longestWait).contains(milliseconds) else {
            throw Problem(.badRequest, "a time to wait is between 0 and 3600 seconds")
        }
        return .milliseconds(milliseconds)
    }

    private func push(_ request: HTTPRequest) async throws -> HTTPResponse {
        let wanted: PushRequest = try body(request)
        let room = try await room(request)
        let time = try Self.time(wanted.timeoutMilliseconds, otherwise: .seconds(5))
        let pending = try await room.store.counts().pending
        let batches = try await node.seal(room)
        // Contributors are sent nothing of what others enter.
        let members = await room.store.authority().members.filter(\.role.readsAll)
            .map(\.device).filter { $0 != node.identity.key }
        let deliveries = try await deliveries(of: batches, in: room, within: time)
        var answer = PushAnswer(
            entries: pending, batches: batches.count, delivered: [], notConnected: [],
            unconfirmed: [], refusing: [])
        for key in members {
            let named = await node.named(key)
            switch deliveries[key] {
            case .delivered: answer.delivered.append(named)
            case .pending: answer.unconfirmed.append(named)
            case .refusing(let count):
                answer.refusing.append(
                    RefusingPeer(
                        id: named.id, name: named.name, refused: Int(clamping: count),
                        reason: "its copy of the room does not allow them"))
            case nil: answer.notConnected.append(named)
            }
        }
        let notices = await lonelyNotice(room).map { [$0] } ?? []
        return HTTPResponse(headers: Self.headers(notices), body: answer.jsonText)
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

    private func sync(
        _ room: OpenRoom, within time: Duration, progress: @Sendable (Int, Int?) -> Void
    ) async throws -> SyncAnswer {
        await node.reach.reconsider()
        let deadline = ContinuousClock.now + time
        guard await node.sync.connection(to: room.id, within: min(time, .seconds(3))) else {
            throw Problem(
                .nobodyInReach, "no other member of \(room.name) is in reach",
                hint: "`shared peers` shows who is nearby, and `shared doctor` why nobody is.")
        }
        var most = 0
        while !Task.isCancelled {
            let left = max(ContinuousClock.now.duration(to: deadline), .zero)
            if await node.sync.settle(room.id, within: min(left, Self.progressEvery)) { break }
            guard left > .zero else { break }
            let missing =
                await node.sync.peers().compactMap { $0.rooms[room.id] }
                .map { Int(clamping: max($0.ahead, $0.behind)) }.max() ?? 0
            most = max(most, missing)
            progress(most - missing, most)
        }
        let peers = await node.sync.peers().compactMap { peer in
            peer.rooms[room.id].map { difference in
                SyncPeer(
                    id: peer.key.text, name: peer.name, identical: difference.isIdentical,
                    behind: Int(clamping: difference.behind),
                    ahead: Int(clamping: difference.ahead))
            }
        }
        guard !peers.isEmpty else {
            throw Problem(
                .nobodyInReach, "the last member in reach has gone",
                hint: "`shared peers` shows who is nearby.")
        }
        return SyncAnswer(identical: peers.allSatisfy(\.identical), peers: peers)
    }
}
