import ShareControl
import ShareCore
import ShareCrypto
import ShareStore
import Synchronization

/// Writes rooms, and requests to join one, into files.
struct BundleWriting: Sendable {
    let own: OwnDevice
    let names: DeviceNames
    let members: MembersService
    let sealing: Sealing
    let wall: @Sendable () -> UInt64

    /// A room as it is now, ready to be sent as a file.
    ///
    /// - Parameter device: the member whom the file is for, as it was typed; nil for any member.
    func bundle(
        of room: OpenRoom, for device: String?, isWhole: Bool
    ) async throws -> (stream: BundleStream, notices: [String]) {
        let authority = await room.store.authority()
        var reader: DeviceKey?
        if let device { reader = try await member(device, of: room) }
        // Owners alone get batches past a cutoff: they can accept the records among them.
        let isForOwner = reader.flatMap { authority.currentRole(of: $0) } == .owner
        let isWhole = isWhole || isForOwner
        // What is entered and not sealed would stay behind.
        if authority.currentRole(of: own.key) != nil {
            do {
                // Where nothing is to be sealed nothing is waited for.
                if try await room.store.hasPending() { _ = try await sealing.records(in: room) }
            } catch StoreError.sealingBlocked {
                // It is told with what else cannot be sent.
            }
        }
        let notes = Self.notIn(try await room.store.counts().inEntries)
        let archive = try await room.store.archive(for: reader, isWhole: isWhole)
        var devices: [(key: DeviceKey, name: String)] = []
        for member in authority.members.map(\.device) + authority.formerMembers.map(\.device) {
            let name = await names.named(member).name
            // A short id says nothing that the key does not.
            if name != member.short { devices.append((member, name)) }
        }
        let header = BundleHeader(
            room: room.id, name: RoomName.shortened(room.name, to: Limits.roomName),
            writer: own.key, wall: wall(), isWhole: isWhole)
        let stream = BundleStream(archive, header: header, devices: devices, by: own.identity)
        return (stream, notes + (reader == nil ? leftOut(archive, authority) : []))
    }

    /// The note where something that was made here stays out of the file.
    private static func notIn(_ counts: RoomCounts) -> [String] {
        guard counts.pending > 0 else { return [] }
        let (isOne, what) = (counts.pending == 1, EntryWords.changes(counts.pending))
        let why =
            if counts.withheld == counts.pending {
                "what this device may write does not allow \(isOne ? "it" : "them")"
            } else if counts.aboveQuota == counts.pending {
                "\(isOne ? "it is" : "they are") above the room's quota"
            } else {
                "\(isOne ? "it" : "they") cannot be sent yet"
            }
        return [
            "\(what) of this device \(isOne ? "is" : "are") not in it: \(why): shared status"
        ]
    }

    /// The note where batches that do not count stay out of a file that is for any member.
    private func leftOut(_ archive: RoomArchive, _ authority: Authority) -> [String] {
        let count = archive.excludedCount
        guard count > 0, let owner = authority.owners.first(where: { $0 != own.key })
        else { return [] }
        return [
            "what removed devices wrote later is not in it: only owners are given that, who can"
                + " accept it: shared bundle write FILE --for \(owner.short)"
        ]
    }

    /// A member by its name, or by its id or the beginning of it. Whoever takes another's name gets
    /// nothing by it: a file can be read by anybody who has it.
    private func member(_ text: String, of room: OpenRoom) async throws -> DeviceKey {
        let key = try await members.find(text, in: room, byName: true)
        guard await room.store.authority().currentRole(of: key) != nil else {
            throw await members.noMember(await names.named(key), key, in: room)
        }
        return key
    }

    /// This device's request to be let into a room, as a file.
    func joinRequest(to room: OpenRoom?) async throws -> [UInt8] {
        let heads = try await room?.ownHeads() ?? CoveredHeads(control: [], records: [])
        let wish = BundleRequest(
            by: own.identity, name: own.name, wall: wall(), room: room?.id, heads: heads)
        let header = BundleHeader(
            room: nil, name: "", writer: own.key, wall: wall(), isWhole: false)
        var writer = BundleWriter()
        var bytes = writer.begin(header)
        bytes += writer.item(.request(wish))
        return bytes + writer.end(by: own.identity)
    }
}

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

        /// The bytes gathered, as soon as they are worth handing over.
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
