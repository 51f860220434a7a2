import ShareCore
import ShareCrypto

@testable import ShareStore

/// A room as a bundle, in memory.
enum BundleFile {
    static func write(
        _ store: TestRoom, for reader: DeviceKey? = nil, isWhole: Bool = true
    ) async throws -> [UInt8] {
        let archive = try store.archive(for: reader, isWhole: isWhole)
        let batches = Gathered()
        try await archive.batches { bytes in
            batches.append(bytes)
            return true
        }
        return write(
            batches.all, state: archive.state, room: store.room, by: store.identity,
            isWhole: isWhole)
    }

    /// A file of exactly these batches, well-formed and signed whatever they are.
    static func write(
        _ batches: [[UInt8]], state: (vector: Digest, digest: Digest)?, room: RoomID,
        by identity: DeviceIdentity, isWhole: Bool = true
    ) -> [UInt8] {
        var writer = BundleWriter()
        var file = writer.begin(
            BundleHeader(
                room: room, name: "clinic", writer: identity.key, wall: 1_700_000_000_000,
                isWhole: isWhole))
        file += writer.item(.device(identity.key, name: "ward-1"))
        for batch in batches { file += writer.item(.batch(batch)) }
        if let state {
            file += writer.item(.state(vector: state.vector, digest: state.digest))
        }
        return file + writer.end(by: identity)
    }

    /// What a reader makes of a file: its batches, and why it stopped.
    static func read(_ file: [UInt8], pieces: Int = 4_096) -> (
        batches: [[UInt8]], error: BundleError?
    ) {
        var reader = BundleReader()
        var batches: [[UInt8]] = []
        var rest = file[...]
        do throws(BundleError) {
            while !rest.isEmpty {
                reader.append(Array(rest.prefix(pieces)))
                rest = rest.dropFirst(pieces)
                while let step = try reader.next() {
                    if case .item(.batch(let bytes)) = step { batches.append(bytes) }
                }
            }
            try reader.finish()
            return (batches, nil)
        } catch {
            return (batches, error)
        }
    }
}

/// Batches that a store hands over one by one.
final class Gathered: @unchecked Sendable {
    // One archive at a time appends, and the test reads when it has ended.
    private(set) var all: [[UInt8]] = []
    func append(_ bytes: [UInt8]) { all.append(bytes) }
}
