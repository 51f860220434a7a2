import ShareCore
import ShareCrypto
import ShareStore
import Synchronization

/// Sends a room's batches as a bundle, from one unchanging view of the room.
///
/// A batch at a time is in memory, and a few chunks that wait for a client that reads slowly.
final class BundleStream: Sendable {
    private let identity: DeviceIdentity
    private let header: BundleHeader
    private let devices: [(key: DeviceKey, name: String)]
    private let archive: RoomArchive
    private let chunks = Channel<[UInt8]>(limit: RecordsStreamLimits.depth)
    private let state = Mutex(State())

    private struct State {
        var writer = BundleWriter()
        var chunk: [UInt8] = []

        /// What has gathered, as soon as that is worth handing over.
        mutating func take(atLeast count: Int = RecordsStreamLimits.chunk) -> [UInt8]? {
            guard chunk.count >= max(count, 1) else { return nil }
            defer { chunk = [] }
            return chunk
        }
    }

    init(
        _ archive: RoomArchive, header: BundleHeader, devices: [(key: DeviceKey, name: String)],
        by identity: DeviceIdentity
    ) {
        self.archive = archive
        self.header = header
        self.devices = devices
        self.identity = identity
    }

    /// Sends everything.
    ///
    /// - Throws: what reading throws, and what `write` does.
    func run(_ write: @Sendable ([UInt8]) async throws -> Void) async throws {
        try await chunks.carry(from: { try await self.read() }, to: write)
    }

    private func read() async throws {
        state.withLock { state in
            state.chunk += state.writer.begin(header)
            for device in devices {
                state.chunk += state.writer.item(.device(device.key, name: device.name))
            }
        }
        try await archive.batches { [self] bytes in
            let chunk = state.withLock { state in
                state.chunk += state.writer.item(.batch(bytes))
                return state.take()
            }
            return chunk.map { chunks.addBlocking($0) } ?? true
        }
        let rest = state.withLock { state in
            if let reached = archive.state {
                state.chunk += state.writer.item(
                    .state(vector: reached.vector, digest: reached.digest))
            }
            state.chunk += state.writer.end(by: identity)
            return state.take(atLeast: 1)
        }
        if let rest { _ = chunks.addBlocking(rest) }
    }
}
