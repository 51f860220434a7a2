package import ShareCore
package import ShareCrypto

/// `node.sqlite`: rooms, devices met, invites and settings. Each change is on the disk when its
/// call returns.
package actor NodeStore {
    let database: Database
    private let executor: QueueExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    /// The result of mending the file, if it was damaged when it was opened.
    package nonisolated let mending: NodeMending?

    /// - Throws: `StoreError.newerSchema`, `SQLiteError`.
    package init(path: String) throws {
        executor = QueueExecutor(label: "node store")
        (database, mending) = try NodeMending.open(path)
        database.emptyLog()
    }

    /// Puts all of the log of changes into the file; to be called before the process ends.
    package func finish() { database.emptyLog() }

    // MARK: Settings

    package func port() throws -> UInt16? { try setting("port").flatMap { UInt16($0) } }
    package func setPort(_ port: UInt16) throws { try set("port", "\(port)") }

    package func currentRoom() throws -> RoomID? {
        try setting("room").flatMap { RoomID(text: $0) }
    }

    package func setCurrentRoom(_ room: RoomID) throws { try set("room", room.text) }

    /// Notes that this device has an identity, and returns all that were noted so: those too whose
    /// files were moved away.
    package func note(identity: DeviceKey) throws -> Set<DeviceKey> {
        var noted = try setting("identities")?.split(separator: " ").map { String($0) } ?? []
        if !noted.contains(identity.text) {
            noted.append(identity.text)
            try set("identities", noted.joined(separator: " "))
        }
        return Set(noted.compactMap { DeviceKey(text: $0) })
    }

    private func setting(_ key: String) throws -> String? {
        guard
            case .text(let value)? = try database.row(
                "SELECT value FROM setting WHERE key = ?1", .text(key))?.first
        else { return nil }
        return value
    }

    private func set(_ key: String, _ value: String) throws {
        try database.run(
            "INSERT INTO setting VALUES(?1, ?2) ON CONFLICT DO UPDATE SET value = ?2", .text(key),
            .text(value))
    }

    // MARK: Rooms

    package func rooms() throws -> [NodeRoom] {
        try database.rows("SELECT id, name, file, autopush, joining, gone FROM room").compactMap {
            guard case .blob(let bytes) = $0[0], let id = Digest(bytes),
                case .text(let name) = $0[1],
                case .text(let file) = $0[2], case .integer(let joining) = $0[4],
                case .integer(let stay) = $0[5]
            else { return nil }
            return NodeRoom(
                id: RoomID(id), name: name, file: file, autopush: Self.pushes($0[3]),
                joining: NodeRoom.Joining(rawValue: joining),
                stay: NodeRoom.Stay(rawValue: stay) ?? .here)
        }
    }

    /// Lists a room; one that was left before is back.
    package func addRoom(
        _ room: RoomID, name: String, file: String, joining: NodeRoom.Joining?
    ) throws {
        try database.run(
            """
            INSERT INTO room VALUES(?1, ?2, ?3, 0, ?4, 0)
            ON CONFLICT(id) DO UPDATE SET name = ?2, file = ?3, joining = ?4, gone = 0
            """, .blob(room.bytes), .text(name), .text(file), .integer(joining?.rawValue ?? 0))
    }

    /// Notes that a room's grant has come.
    package func setJoined(_ room: RoomID) throws {
        try database.run("UPDATE room SET joining = 0 WHERE id = ?1", .blob(room.bytes))
    }

    /// Notes what this device does about its entries in a room; nil: as the room's owners say.
    package func setAutopush(_ room: RoomID, _ isOn: Bool?) throws {
        try database.run(
            "UPDATE room SET autopush = ?2 WHERE id = ?1", .blob(room.bytes),
            .integer(isOn.map { $0 ? 1 : 2 } ?? 0))
    }

    private static func pushes(_ value: SQLValue) -> Bool? {
        switch value {
        case .integer(1): true
        case .integer(2): false
        default: nil
        }
    }

    /// Notes how the device stands to a room; the file stays in any case.
    package func setStay(_ stay: NodeRoom.Stay, in room: RoomID) throws {
        try database.run(
            "UPDATE room SET gone = ?2 WHERE id = ?1", .blob(room.bytes), .integer(stay.rawValue))
    }

    /// A room's founding batch, and whether its file was lost and is being filled again.
    package func founding(of room: RoomID) throws -> (bytes: [UInt8], isRefilling: Bool)? {
        let row = try database.row(
            "SELECT batch, refilling FROM founding WHERE room = ?1", .blob(room.bytes))
        guard case .blob(let bytes)? = row?[0] else { return nil }
        return (bytes, row?[1] == .integer(1))
    }

    package func keep(founding batch: Batch) throws {
        try database.run(
            "INSERT OR IGNORE INTO founding VALUES(?1, ?2, 0)", .blob(batch.room.bytes),
            .blob(batch.bytes))
    }

    package func setRefilling(_ room: RoomID, _ isRefilling: Bool) throws {
        try database.run(
            "UPDATE founding SET refilling = ?2 WHERE room = ?1", .blob(room.bytes),
            .integer(isRefilling ? 1 : 0))
    }

    // MARK: Devices

    package func devices() throws -> [NodeDevice] {
        try database.rows("SELECT key, name, last_seen, addresses, release FROM device").compactMap
        {
            guard case .blob(let bytes) = $0[0], let key = DeviceKey(bytes),
                case .text(let name) = $0[1], case .text(let addresses) = $0[3]
            else { return nil }
            var lastSeen: UInt64?
            if case .integer(let moment) = $0[2] { lastSeen = UInt64(max(moment, 0)) }
            var release: String?
            if case .text(let text) = $0[4] { release = text }
            return NodeDevice(
                key: key, name: name,
                addresses: addresses.split(separator: " ").map { String($0) }, lastSeen: lastSeen,
                release: release)
        }
    }

    package func saveDevice(_ device: NodeDevice) throws { try save([device]) }

    /// Keeps several devices in one transaction.
    package func save(_ devices: [NodeDevice]) throws {
        try database.transaction {
            for device in devices {
                try database.run(
                    """
                    INSERT OR REPLACE INTO device(key, name, last_seen, addresses, release)
                    VALUES(?1, ?2, ?3, ?4, ?5)
                    """, .blob(device.key.bytes), .text(device.name),
                    device.lastSeen.map { .integer(Int64(clamping: $0)) } ?? .null,
                    .text(device.addresses.joined(separator: " ")),
                    device.release.map { .text($0) } ?? .null)
            }
        }
    }

    // MARK: Invites

    /// The invites that are kept; one that cannot be read any more is left out.
    package func invites() throws -> [Invite] {
        try database.rows("SELECT content FROM invite").compactMap {
            guard case .blob(let bytes) = $0[0] else { return nil }
            return try? Invite(encoded: bytes)
        }
    }

    package func saveInvite(_ invite: Invite) throws {
        try database.run(
            "INSERT OR REPLACE INTO invite VALUES(?1, ?2)", .text(invite.code.selector.text),
            .blob(invite.encoded))
    }

    package func removeInvite(_ selector: JoinSelector) throws {
        try database.run("DELETE FROM invite WHERE selector = ?1", .text(selector.text))
    }
}

extension Schema {
    /// `node.sqlite`: what belongs to the device rather than to a room.
    static let node = Schema(steps: [
        """
        CREATE TABLE setting(key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
        CREATE TABLE room(
            id BLOB PRIMARY KEY, name TEXT NOT NULL, file TEXT NOT NULL UNIQUE,
            autopush INTEGER NOT NULL, joining INTEGER NOT NULL, gone INTEGER NOT NULL) STRICT;
        CREATE TABLE device(
            key BLOB PRIMARY KEY, name TEXT NOT NULL, last_seen INTEGER,
            addresses TEXT NOT NULL) STRICT;
        CREATE TABLE invite(selector TEXT PRIMARY KEY, content BLOB NOT NULL) STRICT;
        """,
        """
        -- With its founding batch a room whose file is lost can be filled again by its members.
        CREATE TABLE founding(
            room BLOB PRIMARY KEY, batch BLOB NOT NULL, refilling INTEGER NOT NULL) STRICT;
        """,
        """
        -- The last searches on this device.
        CREATE TABLE search(
            number INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT NOT NULL,
            folded TEXT NOT NULL UNIQUE) STRICT;
        """,
        """
        -- How each member stood when it was met last.
        CREATE TABLE meeting(
            room BLOB NOT NULL, device BLOB NOT NULL, at INTEGER NOT NULL, state INTEGER NOT NULL,
            behind INTEGER NOT NULL, ahead INTEGER NOT NULL, own INTEGER NOT NULL,
            others INTEGER NOT NULL, pending INTEGER,
            PRIMARY KEY(room, device)) STRICT, WITHOUT ROWID;
        """,
        """
        -- The release of the program that it ran when it was met last.
        ALTER TABLE device ADD COLUMN release TEXT;
        """,
        """
        -- How much of `others` the member wrote itself. Where that was not noted it is as much as can
        -- be, so that nothing more is taken for its own.
        ALTER TABLE meeting ADD COLUMN theirs INTEGER NOT NULL DEFAULT 9223372036854775807;
        """,
    ])
}
