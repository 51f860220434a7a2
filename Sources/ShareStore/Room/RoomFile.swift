import ShareCore
import ShareCrypto

/// A room's file that is open for changes: one connection, one thread, one transaction at a time.
final class RoomFile {
    let path: String
    /// SQLite's file system layer; nil for its own.
    let vfs: String?
    let database: Database
    /// The number of the file that is open, by which it is known from another of its name.
    private var number: UInt64?
    var room: Room
    /// The room as others see it, until something changes.
    var shown: RoomView?
    /// How often the room was read or changed.
    private var revision: UInt64 = 0
    var committer = Committer()
    /// Set when another identity is to go on with this file.
    var isRetired = false

    /// Opens a room's file; with a founding batch it makes it, where there is none yet.
    ///
    /// - Parameters:
    ///   - earlier: the identities that this device had before, whose unsealed entries become its
    ///     present one's; nil to take everybody's for such.
    ///   - schema: another one in tests alone.
    /// - Throws: `StoreError.otherDevice` where somebody else has left unsealed entries.
    init(
        path: String, identity: DeviceIdentity, earlier: Set<DeviceKey>? = nil,
        founding: Batch? = nil, vfs: String? = nil, schema: Schema = .room
    ) throws {
        self.path = path
        self.vfs = vfs
        // SQLite would make the file.
        guard founding != nil || vfs != nil || RoomFiles.exists(path) else {
            throw StoreError.missing
        }
        database = try Database(path: path, vfs: vfs)
        let version = try schema.check(database)
        let held = try RoomFile.room(in: database)
        // What is no room's file is not made one, nor changed.
        let isNew = try held == nil && !RoomFile.holdsBatches(database)
        if founding == nil || !isNew, held == nil { throw StoreError.notARoom }
        if let earlier, held != nil,
            let other = try RoomFile.maker(of: database, besides: earlier.union([identity.key]))
        {
            throw StoreError.otherDevice(other)
        }
        try database.makeDurable()
        guard let id = held ?? founding?.room else { throw StoreError.notARoom }
        if let founding, founding.room != id { throw StoreError.otherRoom }
        room = Room(
            id, identity: identity, database, DeviceTable(database),
            listed: RoomLists(path: path, vfs: vfs))
        if held == nil, let founding {
            try schema.migrate(database)
            try change { room in
                try database.run(
                    "INSERT INTO _meta(key, value) VALUES('room', ?1)", .blob(id.bytes))
                _ = try room.merge([IncomingBatch(founding)])
            }
        } else if version < schema.version {
            // What a step has added is empty: all that is derived is made anew, with the step or
            // not at all.
            try database.transaction {
                try schema.migrate(database)
                try load()
                try change { try Rebuild.run(&$0) }
            }
        } else {
            try load()
        }
        if vfs == nil { number = RoomFiles.number(path) }
        // Heads that are not found would have the own log begin anew; they are few.
        committer.isDamaged = try !isSound("integrity_check(_head)")
    }

    /// Whether there are batches in a file, also where it does not say whose they are any more.
    private static func holdsBatches(_ database: Database) throws -> Bool {
        try database.integer("SELECT 1 FROM sqlite_schema WHERE name = '_batch'") != nil
            && database.integer("SELECT 1 FROM _batch LIMIT 1") != nil
    }

    /// Who else has made entries in a file that are not sealed: nobody but them may sign these.
    private static func maker(
        of database: Database, besides own: Set<DeviceKey>
    ) throws -> DeviceKey? {
        try database.rows(
            """
            SELECT DISTINCT key FROM _device JOIN _batch ON author = device WHERE state = 1
            """
        ).lazy.compactMap { row in
            guard case .blob(let bytes)? = row.first, let key = DeviceKey(bytes) else { return nil }
            return own.contains(key) ? nil : key
        }.first
    }

    /// The room that a file is of; nil for none.
    static func room(in database: Database) throws -> RoomID? {
        guard
            try database.integer("SELECT 1 FROM sqlite_schema WHERE name = '_meta'") != nil,
            case .blob(let bytes)? = try database.row(
                "SELECT value FROM _meta WHERE key = 'room'")?.first
        else { return nil }
        return Digest(bytes).map { RoomID($0) }
    }

    /// Reads back what is in memory, and takes over what an earlier identity has left unsealed.
    func load() throws {
        room.devices.forget()
        shown = nil
        revision += 1
        try room.load()
        do {
            // A file of an earlier release has no indexes on keys.
            if try !room.forms.keyChanges(room.forms.catalog).isEmpty {
                try change { try $0.forms.installKeys($0.forms.catalog) }
            }
        } catch is SQLiteError {
            // Without them all is as right, only slower: a full disk keeps no room closed.
        }
        if try PendingRewrite.isNeeded(in: room) {
            try change { _ = try PendingRewrite.run(&$0, dropping: [:]) }
        }
    }

    /// Writes what peers have said of what they hold, where no other transaction did.
    func writeDeliveries() throws {
        if !room.log.delivery.isWritten, !isRetired { try change { _ in } }
    }

    /// The room as the synchronisation sees it.
    func view() throws -> RoomView {
        if let shown { return shown }
        let view = try look(at: room)
        shown = view
        return view
    }

    /// The room as others see it, in the midst of a transaction too.
    func look(at room: Room) throws -> RoomView {
        var view = try room.view()
        view.revision = revision
        return view
    }

    /// - Throws: `StoreError.replaced` where what is written would be in no file after the end.
    func requirePlace() throws {
        guard number == nil || number == RoomFiles.number(path) else { throw StoreError.replaced }
    }

    /// Runs `body` in one transaction; if it throws, file and memory are as before.
    func change<R>(_ body: (inout Room) throws -> R) throws -> R {
        guard !isRetired else { throw StoreError.retired }
        try requirePlace()
        let saved = room
        shown = nil
        revision += 1
        do {
            return try database.transaction {
                let result = try body(&room)
                try room.persist()
                return result
            }
        } catch {
            room = saved
            room.log.cache.forget()
            room.devices.forget()
            database.forgetStatements()
            throw error
        }
    }
}
