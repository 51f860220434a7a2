import ShareCore
import ShareCrypto
import ShareStore

/// Room files and `node.sqlite` that do not go together: one of them was lost, or was put back
/// from an older copy.
extension RoomBook {
    /// Between a room's file and what tells one check of it from another.
    static let checkMark = ".verify-"

    /// Removes copies that a kill left in the middle of a check.
    func removeCopies() {
        for name in Folder.names(in: opening.folder)
        where name.contains(".sqlite" + Self.checkMark) {
            Folder.remove(opening.path(of: name))
        }
    }

    /// Lists rooms whose files are here and that `node.sqlite` does not know. Only those in which
    /// this device has a role: what was left, or never joined, stays away.
    func takeInFound(besides listed: [NodeRoom]) async throws {
        let known = Set(listed.map(\.id))
        let names = Set(listed.map(\.file))
        for file in opening.files {
            guard let id = try await opening.room(of: file) else {
                if !names.contains(file) { found.unread.append(file) }
                continue
            }
            guard !known.contains(id), file.hasSuffix("-\(id.short).sqlite") else { continue }
            do {
                if try await opening.inTurn(of: id, { try await takeIn(file, of: id) }) {
                    found.rooms.append(rooms[id]?.name ?? id.short)
                }
            } catch {
                found.unread.append(file)
                log.error(
                    "a room's file that is not listed cannot be used; the others go on",
                    ["room": id.short, "file": file, "error": "\(error)"])
            }
        }
    }

    /// - Returns: false where this device has no role in it.
    private func takeIn(_ file: String, of id: RoomID) async throws -> Bool {
        let store = try await opening.open(file)
        guard await store.authority().currentRole(of: identity.key) != nil else { return false }
        guard let founding = try await store.founding() else { throw StoreError.unfounded }
        let own = (try? RoomName.checked(await store.settings().name)) ?? id.short
        let name = freeName(own, for: id)
        try await nodeStore.keep(founding: founding)
        try await withhold(store, hasLost: store.damagedLog != nil)
        try await nodeStore.addRoom(id, name: name, file: file, joining: nil)
        try await sync.add(store)
        await take(
            OpenRoom(
                id: id, name: name, store: store, joining: nil,
                pushing: PushSetting(own: nil, room: await store.settings().autopush)))
        return true
    }

    /// Tells the log what was found beside what `node.sqlite` lists.
    func tellFound() {
        if !found.rooms.isEmpty {
            log.warning(
                "rooms that node.sqlite does not list were found by their files",
                ["rooms": found.rooms.joined(separator: ", ")])
        }
        if !found.unread.isEmpty {
            log.error(
                "files in the folder rooms are not listed, and cannot be read as a room's",
                ["files": found.unread.joined(separator: ", ")])
        }
    }
}

/// Files in the folder of rooms that `node.sqlite` did not list at the start: it was lost, or put
/// back from an older copy.
struct FoundFiles: Sendable {
    /// The names of rooms that go on.
    var rooms: [String] = []
    /// The names of files that could not be read.
    var unread: [String] = []
}

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
            $0.stay == .left
                && (RoomName.areAlike($0.name, text) || $0.id.text == text || $0.id.short == short)
        }
        for entry in left.sorted(by: { $0.id < $1.id }) where rooms[entry.id] == nil {
            guard Folder.holds(opening.path(of: entry.file)),
                let kept = try await nodeStore.founding(of: entry.id),
                let founding = try? Batch(verifying: kept.bytes)
            else { continue }
            before = current
            // As a joining one it is given up again where this device is no member any more.
            let room = try await keep(
                founding: founding, name: freeName(entry.name, for: entry.id), joining: .invited)
            guard await role(in: room.id) != nil else {
                try await abandonJoining(room.id)
                continue
            }
            await setJoined(room.id)
            try await sync.add(room.store)
            return rooms[room.id]
        }
        return nil
    }
}
