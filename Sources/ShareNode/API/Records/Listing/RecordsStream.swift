import ShareCore
import ShareStore
import Synchronization

/// Sends records as they are read, from one unchanging view of the room, holding a few chunks.
///
/// It has a connection of its own: a client that reads slowly keeps nobody waiting.
final class RecordsStream<Encoder: RecordsEncoder>: Sendable {
    private let reader: RoomReader
    private let schema: FormSchema
    private let query: RecordQuery
    private let encoder: Mutex<Encoder>
    private let chunks = Channel<[UInt8]>(limit: RecordsStreamLimits.depth)

    /// - Parameter hasFlags: as `RoomReader` has it.
    /// - Throws: `StoreError`, `SQLiteError` where the room's file cannot be read.
    init(
        _ encoder: Encoder, of schema: FormSchema, _ query: RecordQuery, path: String,
        hasFlags: Bool = false
    ) throws {
        reader = try RoomReader(path: path, hasFlags: hasFlags)
        self.schema = schema
        self.query = query
        self.encoder = Mutex(encoder)
    }

    /// The most bytes that waited in it.
    var peakBytes: Int { chunks.peak * RecordsStreamLimits.chunk }

    /// Sends everything.
    ///
    /// - Throws: what reading throws, and what `write` does.
    func run(_ write: @Sendable ([UInt8]) async throws -> Void) async throws {
        try await chunks.carry(from: { try await self.read() }, to: write)
    }

    private func read() async throws {
        encoder.withLock { $0.begin() }
        let isWhole = encoder.withLock { $0.isWhole }
        try await reader.list(schema.info, query, isWhole: isWhole) { [self] row in
            let chunk = encoder.withLock { encoder -> [UInt8]? in
                encoder.append(row)
                return encoder.count >= RecordsStreamLimits.chunk ? encoder.take() : nil
            }
            return chunk.map { chunks.addBlocking($0) } ?? true
        }
        let rest = encoder.withLock { encoder in
            encoder.end()
            return encoder.take()
        }
        if !rest.isEmpty { _ = chunks.addBlocking(rest) }
    }
}

/// The bounds of records on their way out.
enum RecordsStreamLimits {
    /// Bytes from which on a chunk is handed over; a record may make it longer.
    static let chunk = 64 << 10
    static let depth = 4
}

extension Channel where Element == [UInt8] {
    /// Passes what `read` adds, from a thread of its own, which may be held up, to `write`, until
    /// there is no more.
    ///
    /// - Throws: what `read` throws, and what `write` does.
    func carry(
        from read: @escaping @Sendable () async throws -> Void,
        to write: @Sendable (Element) async throws -> Void
    ) async throws {
        async let reading: Void = {
            defer { finish() }
            try await read()
        }()
        do {
            while let chunk = await next() { try await write(chunk) }
        } catch {
            cancel()
            _ = try? await reading
            throw error
        }
        try await reading
    }
}

/// One reading connection for each room, for looks that are known to be short.
actor RoomReaders {
    private var readers = PerRoom<RoomReader>()

    /// The connection for a room, opened at the first use.
    func reader(of room: OpenRoom) throws -> RoomReader {
        try readers.value(of: room) { try RoomReader(path: room.store.path) }
    }

    /// Lets a room's connection go; the next use opens it again.
    func forget(_ room: OpenRoom) { readers.forget(room.id) }
}
