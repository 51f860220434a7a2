package import ShareCore
package import ShareCrypto
import ShareNet

/// The state of the peers, for people.
extension SyncService {
    /// A peer that is connected now.
    package struct Peer: Sendable {
        package let session: SessionID
        package let key: DeviceKey
        package let name: String
        package let address: String
        /// Whether this device dialled, so that the peer listens at the address.
        package let isInitiator: Bool
        /// Seconds by which the peer's wall clock is ahead, if it has run evenly since its hello.
        package let clockSkew: Int
        /// How long it has not answered; nil where it does.
        package let silence: Duration?
        package let rooms: [RoomID: PeerProgress]
    }

    package func peers() -> [Peer] {
        engine.sessions.values.filter { $0.hello != nil }.sorted { $0.id < $1.id }.map { session in
            var rooms: [RoomID: PeerProgress] = [:]
            for room in session.links.keys {
                rooms[room] = engine.progress(in: room, with: session.id)
            }
            return Peer(
                session: session.id, key: session.peer, name: session.hello?.name ?? "",
                address: session.address, isInitiator: session.isInitiator,
                clockSkew: ahead(session.id), silence: engine.silence(of: session.id, now: now),
                rooms: rooms)
        }
    }

    private func ahead(_ session: SessionID) -> Int {
        guard let clock = clocks[session] else { return 0 }
        let own = Int64(min(wall(), Timestamp.latest.milliseconds))
        return Int(clock + Int64(now / .milliseconds(1)) - own) / 1_000
    }

    /// The clocks of the devices with a room in common that are connected now.
    func clockComparison() -> ClockComparison {
        ClockComparison(
            Dictionary(
                peers().filter { !$0.rooms.isEmpty && !ownKeys.contains($0.key) }
                    .map { ($0.key, $0.clockSkew) }, uniquingKeysWith: { $1 }))
    }

    /// So long a sign of life is waited for.
    package static let patience = Duration.seconds(3)

    /// Asks the connected devices for a sign of life, and waits until each has given one or the
    /// time is up: with it comes how many operations it has not sealed, as of then. Of one that has
    /// not, `peers`, `meetings` and `silentKeys` say so from then on.
    ///
    /// - Parameter room: only those with which it is open; nil for all.
    package func ask(in room: RoomID? = nil, within time: Duration = patience) async {
        let asked = engine.sessions.values.filter { session in
            room == nil || room.flatMap { session.links[$0]?.isOpen } == true
        }
        _ = await answers(of: asked, within: time)
    }

    /// Asks those for a sign of life that have not been found to be silent, as somebody looks at how
    /// they stand: one that is frozen or out of reach is not told as up to date then, and of the
    /// others it is known what they have not sent. Those that have spoken just now are waited for
    /// only briefly: what they are busy with comes first.
    package func look() async {
        let asked = engine.sessions.values.filter {
            engine.silence(of: $0.id, now: now) == nil
        }
        let haveSpoken = asked.allSatisfy { now - $0.lastReceived < SyncLimits.freshTime }
        _ = await answers(
            of: asked, within: haveSpoken ? SyncLimits.briefly : SyncLimits.answerTime)
    }

    /// Asks for signs of life, and waits until each has come, or its session has ended; false
    /// where the time is up before.
    private func answers(of asked: [PeerSession], within time: Duration) async -> Bool {
        let asked = asked.filter { $0.hello != nil }.map(\.id)
        handle(.ask(asked))
        let pings = asked.map { ($0, engine.sessions[$0]?.pings ?? 0) }
        return await wait(for: time) { service in
            pings.allSatisfy { id, count in
                service.engine.sessions[id].map { $0.pongs >= count } ?? true
            }
        }
    }

    /// The connected devices that were asked for a sign of life and have given none.
    package func silentKeys() -> Set<DeviceKey> {
        let answering = engine.sessions.values.filter {
            engine.silence(of: $0.id, now: now) == nil
        }
        return connectedKeys().subtracting(answering.map(\.peer))
    }

    /// How long a peer takes to answer a ping; nil if it does not while anybody has patience.
    package func roundTrip(on id: SessionID) async -> Duration? {
        guard let session = engine.sessions[id], session.hello != nil else { return nil }
        let start = ContinuousClock.now
        guard await answers(of: [session], within: Self.patience), let at = answeredAt[id] else {
            return nil
        }
        return start.duration(to: at)
    }

    func noteAnswer(on id: SessionID) {
        if connections[id] != nil { answeredAt[id] = .now }
    }

    /// What a device that is connected calls itself, on the last of its sessions; nil for none.
    func name(of key: DeviceKey) -> String? {
        engine.sessions.values.filter { $0.peer == key && $0.hello != nil }
            .max { $0.id < $1.id }?.hello?.name
    }

    package func connectedKeys() -> Set<DeviceKey> {
        Set(engine.sessions.values.map(\.peer))
    }

    /// The session with a device once its hello has come; nil if that takes too long.
    package func sessionOnceMet(with key: DeviceKey, within time: Duration) async -> SessionID? {
        let deadline = ContinuousClock.now + time
        while true {
            let hasMet = await wait(for: deadline - .now) { $0.session(with: key) != nil }
            // Of crossed dials one ends: it may have been this one, before this task went on.
            if let session = session(with: key) { return session }
            guard hasMet else { return nil }
        }
    }

    /// The identities that were seen on two machines within the last hour.
    package func duplicateIdentities() -> Set<DeviceKey> { engine.duplicateIdentities(now: now) }

    /// Ends the sessions with a device that are about nothing but one room.
    package func part(from key: DeviceKey, in room: RoomID) {
        for session in engine.sessions.values
        where session.peer == key && !session.isJoining && Array(session.links.keys) == [room] {
            if let live = connections[session.id] { close(live) }
        }
    }

    /// The devices connected in a room, and whether this device dialled each.
    package func linkedKeys(in room: RoomID) -> [DeviceKey: Bool] {
        var keys: [DeviceKey: Bool] = [:]
        for session in engine.sessions.values where session.links[room]?.isOpen == true {
            keys[session.peer] = session.isInitiator
        }
        return keys
    }
}
