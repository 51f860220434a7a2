import ShareCore
import ShareCrypto
import ShareTestKit

/// Devices and a network in one value, with time of its own: messages take random time but keep
/// their order on each connection, and connections can be cut.
struct SyncSimulator {
    struct Node {
        var engine: SyncEngine
        var room: MemoryRoom
        let identity: DeviceIdentity
        var notices: [SyncEngine.Notice] = []
        var ended: [SessionEnd] = []
        var acknowledged = 0
        /// Each time that sealing was paused or allowed again.
        var holds: [Bool] = []
    }

    struct Link {
        let nodes: [Int]
        let sessions: [SessionID]
        var isUp = true
        /// When the last message in each direction arrives.
        var arrival: [Duration] = [.zero, .zero]
    }

    private struct Delivery {
        let at: Duration
        let order: Int
        let node: Int
        let event: SyncEngine.Event
        let link: Int?
    }

    var nodes: [Node] = []
    var links: [Link] = []
    var now = Duration.zero
    var random: SeededRandom
    /// Frames that crossed the network, and batches among them.
    private(set) var frames = 0
    private(set) var batchFrames = 0
    private var queue: [Delivery] = []
    private var order = 0
    private var nextSession: UInt64 = 1

    init(nodes count: Int, seed: UInt64, role: Role = .owner) {
        random = SeededRandom(seed: seed)
        let identities = (0..<count).map { TestBatches.identity(UInt8($0 + 1)) }
        let founding = TestBatches.founding(by: identities[0])
        let standings = Dictionary(
            uniqueKeysWithValues: identities.map { ($0.key, RoomView.Standing.member(role)) })
        for (place, identity) in identities.enumerated() {
            var room = MemoryRoom(room: founding.room, standings: standings)
            _ = room.merge(founding)
            nodes.append(
                Node(
                    engine: SyncEngine(
                        key: identity.key, name: "node \(place)",
                        random: SeededRandom(seed: seed &+ UInt64(place) &* 977)),
                    room: room, identity: identity))
            post(.room(room.view), to: place)
        }
    }

    mutating func connect(_ a: Int, _ b: Int) {
        let ids = [SessionID(nextSession), SessionID(nextSession + 1)]
        nextSession += 2
        let link = links.count
        links.append(Link(nodes: [a, b], sessions: ids))
        let exporter = Hash.digest([UInt8(truncatingIfNeeded: link)]).value
        for (side, node) in [a, b].enumerated() {
            post(
                .opened(
                    ids[side], peer: nodes[[b, a][side]].identity.key, isInitiator: side == 0,
                    exporter: exporter, address: "sim", network: "sim"),
                to: node, link: link)
        }
    }

    mutating func cut(_ link: Int) {
        guard links[link].isUp else { return }
        links[link].isUp = false
        queue.removeAll { $0.link == link }
        for side in 0..<2 { post(.closed(links[link].sessions[side]), to: links[link].nodes[side]) }
    }

    /// Loses everything that is sent over a link, without closing it.
    mutating func silence(_ link: Int) {
        links[link].isUp = false
        queue.removeAll { $0.link == link }
    }

    /// Starts a node again with a room put back from a copy.
    mutating func restart(_ node: Int, with room: MemoryRoom) {
        nodes[node].room = room
        nodes[node].engine = SyncEngine(
            key: nodes[node].identity.key, name: "node \(node)",
            random: SeededRandom(seed: random.next()))
        touch(node)
    }

    /// Has a node's engine hear of something that happens on its device.
    mutating func tell(_ event: SyncEngine.Event, to node: Int) { post(event, to: node) }

    /// Tells a node's engine what its room holds now.
    mutating func touch(_ node: Int) { post(.room(nodes[node].room.view), to: node) }

    /// Seals a batch of `count` rows on a node, on a given predecessor for a fork.
    mutating func seal(on node: Int, rows count: Int = 1, forkAt head: LogHead? = nil) {
        let identity = nodes[node].identity
        let log = LogName(author: identity.key, kind: .records)
        let room = nodes[node].room.room
        let last = head ?? nodes[node].room.logs[log]?.heads.last
        let template = TestBatches.puts(
            count, after: TestBatches.founding(by: nodes[0].identity), by: identity)
        guard let body = try? template.openBody() else { return }
        let batch = Batch.seal(
            room: room, kind: .records, number: (last?.number ?? 0) + 1,
            previous: last?.batch ?? BatchID(room.digest),
            clock: Timestamp(milliseconds: random.next() % 1_000_000_000, counter: 0),
            blocks: body.blocks, by: identity)
        _ = nodes[node].room.merge(batch)
        post(.room(nodes[node].room.view), to: node)
        post(.fresh(room, [batch]), to: node)
    }

    /// Runs until nothing happens any more but heartbeats, or for `limit` of simulated time.
    mutating func run(for limit: Duration = .seconds(120)) {
        let end = now + limit
        while true {
            let next = queue.indices.min {
                (queue[$0].at, queue[$0].order) < (queue[$1].at, queue[$1].order)
            }
            let tick = nodes.indices.compactMap { node in
                nodes[node].engine.nextTick.map { (at: max($0, now), node: node) }
            }.min { $0.at < $1.at }
            if let next, tick.map({ queue[next].at <= $0.at }) ?? true {
                guard queue[next].at <= end else { break }
                let delivery = queue.remove(at: next)
                now = delivery.at
                handle(delivery.event, on: delivery.node)
            } else if let tick, tick.at <= end {
                now = max(tick.at, now) + .milliseconds(1)
                handle(.tick, on: tick.node)
            } else {
                break
            }
        }
        now = end
    }

    var areIdentical: Bool { Set(nodes.map(\.room.view.vector)).count == 1 }

    /// Whether every open session knows that both ends are the same.
    var allKnowIt: Bool {
        nodes.allSatisfy { node in
            node.engine.sessions.keys.allSatisfy {
                node.engine.isIdentical(node.room.room, with: $0)
            }
        }
    }

    private mutating func post(
        _ event: SyncEngine.Event, to node: Int, after delay: Duration = .zero, link: Int? = nil
    ) {
        order += 1
        queue.append(Delivery(at: now + delay, order: order, node: node, event: event, link: link))
    }

    private mutating func handle(_ event: SyncEngine.Event, on node: Int) {
        for action in nodes[node].engine.handle(event, now: now, wall: 0) {
            perform(action, on: node)
        }
    }

    private mutating func perform(_ action: SyncEngine.Action, on node: Int) {
        switch action {
        case .send(let id, let message): transmit(message, from: id)
        case .close(let id, let reason):
            nodes[node].ended.append(reason)
            if let link = links.firstIndex(where: { $0.sessions.contains(id) }) { cut(link) }
        case .load(let id, let serving, _, let log, let after, let cursor, let bytes):
            let loaded = nodes[node].room.load(log, after: after, cursor: cursor, bytes: bytes)
            post(.loaded(id, serving: serving, loaded), to: node, after: .milliseconds(1))
        case .find(let id, let room, let log, let heads):
            let (missing, places) = nodes[node].room.find(log, heads)
            post(.found(id, room, log, missing: missing, positions: places), to: node)
        case .loadGrantProof(let id, let room): post(.grantProof(id, room, []), to: node)
        case .loadRemoval(let id, let room, _): post(.removal(id, room, []), to: node)
        case .merge(let id, let room, let batch):
            let outcome = nodes[node].room.merge(batch)
            post(.room(nodes[node].room.view), to: node, after: .milliseconds(2))
            post(.merged(room, from: id, [outcome]), to: node, after: .milliseconds(2))
            if outcome.fate == .stored {
                post(.fresh(room, [batch]), to: node, after: .milliseconds(2))
            }
        case .acknowledged: nodes[node].acknowledged += 1
        case .notice(let notice): nodes[node].notices.append(notice)
        case .holdSealing(_, let isHeld): nodes[node].holds.append(isHeld)
        case .trust, .learned, .told, .join, .met, .linked, .progress: break
        }
    }

    private mutating func transmit(_ message: WireMessage, from id: SessionID) {
        guard let link = links.firstIndex(where: { $0.sessions.contains(id) }), links[link].isUp,
            let side = links[link].sessions.firstIndex(of: id)
        else { return }
        frames += 1
        if case .batch = message { batchFrames += 1 }
        let delay = Duration.milliseconds(Int(random.next() % 40))
        let at = max(now + delay, links[link].arrival[side])
        links[link].arrival[side] = at
        // Through the bytes, as on a wire.
        guard let read = try? WireMessage(decoding: message.encoded()) else { return }
        post(
            .received(links[link].sessions[1 - side], read), to: links[link].nodes[1 - side],
            after: at - now, link: link)
    }
}
