import ShareCore
import ShareCrypto
import ShareStore

/// Rooms that were let go of unheard.
extension RoomBook {
    /// Goes on in a room that this device has let go of although nobody could hear that it leaves:
    /// for its members it never left.
    ///
    /// - Parameter text: its name, its id or its short id.
    /// - Returns: nil where there is no such room in which this device still has a role.
    func takeUp(_ text: String) async throws -> OpenRoom? {
        let short = text.hasPrefix("room:") ? String(text.dropFirst("room:".count)) : text
        let left = try await nodeStore.rooms().filter {
            $0.stay == .left && ($0.name == text || $0.id.text == text || $0.id.short == short)
        }
        for entry in left.sorted(by: { $0.id < $1.id }) where rooms[entry.id] == nil {
            guard Folder.holds(folder + "/" + entry.file),
                let kept = try await nodeStore.founding(of: entry.id),
                let founding = try? Batch(verifying: kept.bytes)
            else { continue }
            before = current
            // As a joining one it is given up again where this device is no member any more.
            let room = try await keep(
                founding: founding, name: free(entry.name, for: entry.id), joining: .invited)
            guard await role(in: room.id) != nil else {
                try await abandonJoining(room.id)
                continue
            }
            await setJoined(room.id)
            rooms[room.id]?.autopush = entry.autopush
            try await sync.addOnce(room.store)
            return rooms[room.id]
        }
        return nil
    }
}
