import ShareCore
import ShareStore

/// One reading connection for each room, for looks that are known to be short.
actor RoomReaders {
    private var readers: [RoomID: RoomReader] = [:]

    /// The connection for a room, opened at the first use.
    func reader(of room: OpenRoom) throws -> RoomReader {
        if let reader = readers[room.id] { return reader }
        let reader = try RoomReader(path: room.store.path)
        readers[room.id] = reader
        return reader
    }

    /// Lets a room's connection go; the next use opens it again.
    func forget(_ room: OpenRoom) { readers[room.id] = nil }
}
