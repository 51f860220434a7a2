package import ShareCrypto

/// A signed, immutable group of operations of one device in one room (docs/protocol.md,
/// "Batch"). The bytes are the truth; the other properties are read from them.
package struct Batch: Sendable {
    package let id: BatchID
    /// The room; for a founding batch the room that it makes.
    package let room: RoomID
    package let author: DeviceKey
    package let kind: LogKind
    /// Counted from 1 in each log.
    package let number: UInt64
    /// The batch before this one in its log; for number 1 the founding batch, and for that one
    /// zero.
    package let previous: BatchID
    package let clock: Timestamp
    /// The whole COSE_Sign1 structure.
    package let bytes: [UInt8]

    /// What the body must measure when it is unpacked, in bytes.
    let rawLength: UInt64
    let compressedBody: Range<Int>

    package var log: LogName { LogName(author: author, kind: kind) }
    package var head: LogHead { LogHead(number: number, batch: id) }
    package var isFounding: Bool { id.digest == room.digest }
}
