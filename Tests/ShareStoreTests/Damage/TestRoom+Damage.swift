import ShareCore
import Testing

@testable import ShareStore

extension TestRoom {
    /// Changes the file behind the store's back, as a hand or a broken disk does.
    func damageFile(_ sql: String) throws {
        let other = try Database(path: path)
        try other.execute(sql)
        #expect(other.changes > 0 || sql.hasPrefix("DROP") || !sql.hasPrefix("UPDATE"), "\(sql)")
    }

    /// What `shared rebuild` does, in a daemon that was started again where it can be.
    func rebuilt() async throws -> TestRoom {
        if let room = try? RoomStore(path: path, identity: identity) {
            try await room.rebuild()
        } else {
            _ = try RoomStore.mend(path: path, room: room, identity: identity)
        }
        return try TestRoom(path: path, identity: identity)
    }
}
