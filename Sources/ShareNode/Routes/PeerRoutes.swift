import ShareControl
import ShareNet

extension ControlRoutes {
    func registerPeers(_ router: inout Router) {
        router.on(.get, "/v1/peers") { request in
            await answer {
                node.discovery?.refresh()
                return HTTPResponse(body: try await peers(request).jsonText)
            }
        }
        router.on(.get, "/v1/peers/watch", isWatch: true) { request in
            await answer { try await watchPeers(request) }
        }
    }

    private func peers(_ request: HTTPRequest) async throws -> [PeerAnswer] {
        let only = request.query["room"] == nil ? nil : try await room(request)
        return await node.peerAnswers(in: only)
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
            }
            try await show(first)
            for await _ in events { try await show(try await peers(request)) }
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
