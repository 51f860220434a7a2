import ShareCore
import ShareCrypto

@testable import ShareStore

/// Control batches with blocks that this release would not make: of kinds that it does not know,
/// or that belong to records.
struct RawControlBody {
    enum Block {
        case operation(ControlOperation)
        /// A block that is passed over, with as many operations as it says.
        case foreign(kind: UInt8, count: UInt8)
    }

    /// Odd, so that it may be ignored, and even, so that it waits.
    static let ignoredKind: UInt8 = 65
    static let awaitedKind: UInt8 = 66
    private static let clock = Timestamp(milliseconds: 1_700_000_500_000, counter: 0)

    let blocks: [Block]

    private func bytes(by author: DeviceKey) -> [UInt8] {
        // CBOR: an array with a count of two bytes, and in it small arrays.
        var bytes: [UInt8] = [0x99, UInt8(blocks.count >> 8), UInt8(blocks.count & 0xff)]
        if blocks.count < 256 { bytes = [0x98, UInt8(blocks.count)] }
        if blocks.count < 24 { bytes = [0x80 | UInt8(blocks.count)] }
        for block in blocks {
            switch block {
            case .operation(let operation):
                let entry = ControlBlock.Entry(clock: Self.clock, operation: operation)
                bytes += BodyEncoder.encode(
                    [.control(ControlBlock(firstIndex: 0, entries: [entry]))], author: author,
                    clock: Self.clock
                ).dropFirst()
            case .foreign(let kind, let count):
                bytes += [0x82, 0x18, kind] + (count < 24 ? [count] : [0x18, count])
            }
        }
        return bytes
    }

    /// The batch at a place of a device's control log.
    func sealed(
        by identity: DeviceIdentity, in room: RoomID, number: UInt64 = 1,
        after previous: BatchID? = nil
    ) -> Batch {
        Batch.seal(
            room: room, kind: .control, number: number,
            previous: previous ?? BatchID(room.digest), clock: Self.clock,
            rawBody: bytes(by: identity.key), by: identity)
    }

    static func set(_ key: String) -> Block {
        .operation(.set(Setting(key: key, value: "1", parents: [])))
    }

    static func form(
        _ formID: String, _ fields: [String] = ["a"], json: String = "{}"
    ) -> Block {
        .operation(
            .form(
                FormDefinition(
                    formID: formID, version: "1", parents: [],
                    fields: fields.map { FormField(name: $0, type: .text) }, json: json)))
    }
}
