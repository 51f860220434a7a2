import ShareControl
import ShareNet

extension ControlRoutes {
    func registerPeers(_ router: inout Router) {
        router.on(.get, "/v1/peers") { request in
            await answer {
                node.discovery?.refresh()
                var notices: [String] = []
                for room in try await rooms(of: request) {
                    if let notice = await lonelyNotice(room) { notices.append(notice) }
                }
                return HTTPResponse(
                    headers: Self.headers(notices), body: try await peers(request).jsonText)
            }
        }
        router.on(.get, "/v1/peers/watch", isWatch: true) { request in
            await answer { try await watchPeers(request) }
        }
    }

    /// The room that is asked for, or all.
    private func rooms(of request: HTTPRequest) async throws -> [OpenRoom] {
        if let room = try await namedRoom(request) { return [room] }
        return await node.rooms.all()
    }

    private func peers(_ request: HTTPRequest) async throws -> [PeerAnswer] {
        await node.peerAnswers(in: try await namedRoom(request))
    }

    /// Each peer as it is now, then each one that has changed, looked at after every event and
    /// at least once a second.
    private func watchPeers(_ request: HTTPRequest) async throws -> HTTPResponse {
        let first = try await peers(request)
        let events = node.watch.watch()
        return HTTPResponse(heartbeat: true) { writer in
            var shown: [String: PeerAnswer] = [:]
            func show(_ peers: [PeerAnswer]) async throws {
                for peer in peers {
                    let key = peer.id ?? peer.address ?? ""
                    if let last = shown[key], last.isLike(peer) { continue }
                    shown[key] = peer
                    try await writer.write(peer.jsonText + [10])
                }
                let listed = Set(peers.map { $0.id ?? $0.address ?? "" })
                for (key, var peer) in shown where !listed.contains(key) {
                    shown[key] = nil
                    peer.state = "known"
                    peer.identical = false
                    peer.note = "not seen any more"
                    try await writer.write(peer.jsonText + [10])
                }
            }
            try await show(first)
            // That two devices have become identical is no event.
            let (looks, look) = AsyncStream.makeStream(
                of: Void.self, bufferingPolicy: .bufferingNewest(1))
            let listening = Task {
                for await _ in events { look.yield() }
                look.finish()
            }
            let ticking = Task {
                while !Task.isCancelled {
                    try? await Task.sleep(for: .seconds(1))
                    look.yield()
                }
            }
            defer {
                listening.cancel()
                ticking.cancel()
            }
            for await _ in looks { try await show(try await peers(request)) }
        }
    }
}

extension PeerAnswer {
    /// Whether nothing but times differ.
    fileprivate func isLike(_ other: PeerAnswer) -> Bool {
        var (a, b) = (self, other)
        a.lastSeen = nil
        b.lastSeen = nil
        return a.jsonText == b.jsonText
    }
}
