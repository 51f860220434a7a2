package import ShareCore
package import ShareCrypto
import ShareNet

/// The sessions on which devices join.
extension SyncService {
    package func send(_ message: JoinMessage, to id: SessionID) {
        perform(.send(id, .join(message)))
    }

    /// The parts of a session that a join needs: the peer's key and the exporter; nil if it has
    /// ended.
    package func joinable(_ id: SessionID) -> (peer: DeviceKey, exporter: [UInt8])? {
        connections[id].map { ($0.connection.peerKey, $0.joinExporter) }
    }

    /// The sessions with devices that have shown to know a room, members or not.
    func sessions(knowing room: RoomID) -> [SessionID] {
        engine.sessions.values.filter { $0.links[room] != nil }.map(\.id).sorted()
    }

    /// Says whether a join is under way on a session, which is then kept; false where it has ended.
    @discardableResult
    package func setJoining(_ isJoining: Bool, on id: SessionID) -> Bool {
        handle(.joining(id, isJoining))
        return connections[id] != nil
    }

    package func session(with key: DeviceKey) -> SessionID? {
        engine.sessions.values.filter { $0.peer == key && $0.hello != nil }.map(\.id).max()
    }
}
