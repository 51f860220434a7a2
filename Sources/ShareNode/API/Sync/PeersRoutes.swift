import JSON
import ShareControl
import ShareNet

extension Discovery {
    /// That nothing is heard of other devices, and what to do; nil where it is.
    var deafNotice: String? {
        snapshot.state.hint.map { "this device does not hear of others. \($0)" }
    }
}

/// The routes of other devices: a list of them, once or as it changes.
struct PeersRoutes: Sendable {
    let requests: Requests
    let peers: Peers
    let discovery: Discovery?
    let watch: WatchHub

    func register(on router: inout Router) {
        router.on(.get, "/v1/peers") { request in
            await requests.answer {
                discovery?.refresh()
                let only = try await requests.namedRoom(request)
                await peers.sync.look()
                var notices = [discovery?.deafNotice].compactMap(\.self)
                for room in await requests.rooms.all() where only == nil || only?.id == room.id {
                    if let notice = await peers.aloneNotice(room) { notices.append(notice) }
                }
                return HTTPResponse(json: await peers.list(in: only), notices: notices)
            }
        }
        router.on(.get, "/v1/peers/watch", isWatch: true) { request in
            await requests.answer { try await changes(for: request) }
        }
    }

    /// A difference is told once it has lasted so long: an entry that goes out makes a peer lag for
    /// a moment.
    private static let moment = Duration.seconds(1)

    /// Each peer as it is now, then each one that has changed, looked at after every event and
    /// at least once a second.
    private func changes(for request: HTTPRequest) async throws -> HTTPResponse {
        let first = await peers.list(in: try await requests.namedRoom(request))
        let events = watch.watch()
        return HTTPResponse(heartbeat: true) { writer in
            var shown: [String: PeerAnswer] = [:]
            var differs: [String: ContinuousClock.Instant] = [:]
            func show(_ peers: [PeerAnswer]) async throws {
                for peer in peers {
                    let key = peer.id ?? peer.address ?? ""
                    if let last = shown[key] {
                        if last.isLike(peer) {
                            differs[key] = nil
                            continue
                        }
                        let since = differs[key] ?? .now
                        differs[key] = since
                        let isNews = last.state != peer.state || last.rooms != peer.rooms
                        guard isNews || ContinuousClock.now - since >= Self.moment else { continue }
                    }
                    differs[key] = nil
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
            for await _ in looks {
                try await show(await peers.list(in: try await requests.namedRoom(request)))
            }
        }
    }
}

extension PeerAnswer {
    /// Whether nothing but times differ, and clocks by less than a minute.
    fileprivate func isLike(_ other: PeerAnswer) -> Bool {
        var (a, b) = (self, other)
        if abs((a.clockSkew ?? 0) - (b.clockSkew ?? 0)) < 60 {
            a.clockSkew = nil
            b.clockSkew = nil
        }
        a.lastSeen = nil
        b.lastSeen = nil
        a.lastMet = nil
        b.lastMet = nil
        return a.jsonText == b.jsonText
    }
}
