package import ShareCore
package import ShareCrypto
import ShareNet

/// How far members had got when they were last met.
extension SyncService {
    /// How the connected members of a room stand. Of several sessions with a device the latest
    /// counts.
    package func progress(in room: RoomID) -> [DeviceKey: PeerProgress] {
        var found: [DeviceKey: PeerProgress] = [:]
        for id in engine.sessions.keys.sorted() {
            guard let session = engine.sessions[id], session.peer != identity.key,
                let progress = engine.progress(in: room, with: id)
            else { continue }
            found[session.peer] = progress
        }
        return found
    }

    /// How members stand that were connected before, as far as is known.
    package func lastProgress(in room: RoomID) -> [DeviceKey: PeerProgress] {
        engine.lastProgress(in: room)
    }

    /// How a member stands, or stood when it was met last.
    package struct Meeting: Sendable {
        package var isConnected: Bool
        package var progress: PeerProgress?
        /// Operations that it had made and not sealed, by its own word.
        package var pending: UInt64?
        /// When it was met last, in milliseconds since 1970; of one that is connected, when it
        /// said something last.
        package var at: UInt64?
        /// How long it has not answered; nil where it does.
        package var silence: Duration?
    }

    /// How far the control logs of those go that are connected and have told it.
    package func toldControlLogs(in room: RoomID) -> [DeviceKey: [LogName: UInt64]] {
        var found: [DeviceKey: [LogName: UInt64]] = [:]
        for session in engine.sessions.values where session.peer != identity.key {
            guard let link = session.links[room], link.hasToldUs else { continue }
            let logs = link.peerLogs.filter { $0.key.kind == .control }.mapValues(\.number)
            found[session.peer, default: [:]].merge(logs) { max($0, $1) }
        }
        return found
    }

    /// The members that are connected or were met before.
    package func meetings(in room: RoomID) -> [DeviceKey: Meeting] {
        var found: [DeviceKey: Meeting] = [:]
        let last = engine.lastProgress(in: room)
        for (key, met) in engine.lastMeetings(in: room) {
            found[key] = Meeting(
                isConnected: false, progress: last[key], pending: met.pending, at: met.at)
        }
        for id in engine.sessions.keys.sorted() {
            guard let session = engine.sessions[id], session.peer != identity.key,
                let progress = engine.progress(in: room, with: id)
            else { continue }
            let silence = engine.silence(of: id, now: now)
            let ago = UInt64(max(0, (silence ?? .zero) / .milliseconds(1)))
            found[session.peer] = Meeting(
                isConnected: true, progress: progress,
                pending: session.links[room]?.peerPending, at: wall() - min(ago, wall()),
                silence: silence)
        }
        return found
    }

    /// Whether this device has all of a room that a member in reach has told of, decisions too.
    package func hasCaughtUp(in room: RoomID) -> Bool {
        engine.sessions.values.contains { session in
            // Who has given no sign of life may be gone, and what it would tell with it.
            guard session.peer != identity.key, engine.silence(of: session.id, now: now) == nil,
                let progress = engine.progress(in: room, with: session.id)
            else { return false }
            return progress.state != .unheard && progress.ahead == 0
        }
    }

    /// When the members of any room were heard last that are not connected any more, in milliseconds
    /// since 1970.
    package func lastMet() -> [DeviceKey: UInt64] {
        engine.departed.keys.reduce(into: [:]) { found, room in
            found.merge(engine.lastMeetings(in: room).mapValues(\.at)) { max($0, $1) }
        }
    }

    /// How members stand and stood, to be kept; of one device, or of all.
    package func lastStatuses(of only: DeviceKey?) -> [RoomID: [DeviceKey: LastKnownStatus]] {
        var found = engine.departed
        for session in engine.sessions.values {
            for room in session.links.keys {
                if let status = engine.lastStatus(of: session.id, from: room) {
                    found[room, default: [:]][session.peer] = status
                }
            }
        }
        guard let only else { return found }
        return found.compactMapValues { meetings in meetings[only].map { [only: $0] } }
    }

    /// Notes how far logs go in a file that a member has written, and that has been read.
    func noteRead(_ logs: [LogName: LogState], by peer: DeviceKey, in room: RoomID) {
        handle(.read(room, by: peer, logs))
    }

    package func remember(_ meetings: [DeviceKey: LastKnownStatus], in room: RoomID) {
        handle(.remembered(room, meetings))
    }
}
