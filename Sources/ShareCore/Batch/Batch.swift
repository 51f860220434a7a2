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
    /// Its author's own clock when it was sealed.
    package let wall: WallTime
    /// The frame that it came in, whose end it is, or its bytes alone.
    let storage: [UInt8]
    let start: Int

    /// The length of the unpacked body, in bytes, as the envelope states it.
    let rawLength: UInt64
    let compressedBody: Range<Int>

    /// The whole COSE_Sign1 structure.
    ///
    /// - Complexity: O(size) for a batch that came in a frame.
    package var bytes: [UInt8] { start == 0 ? storage : Array(slice) }
    /// The same, without a copy.
    package var slice: ArraySlice<UInt8> { storage[start...] }
    /// How many bytes it is long.
    package var size: Int { storage.count - start }

    package var log: LogName { LogName(author: author, kind: kind) }
    package var head: LogHead { LogHead(number: number, batch: id) }
    package var isFounding: Bool { id.digest == room.digest }
}

/// The parts of a batch's COSE_Sign1 structure (RFC 9052 §4.2) whose bytes are always the same.
enum Envelope {
    /// CBOR's tag 18, COSE_Sign1.
    static let tag: UInt8 = 0xd2
    static let version: UInt64 = 1
    static let contentType = "application/vnd.shared.batch"

    private enum Header {
        static let algorithm = 1
        static let contentType = 3
        static let keyID = 4
        static let edDSA = -8
    }

    /// Keys of the payload's map.
    enum Field {
        static let version = 0
        static let room = 1
        static let kind = 2
        static let number = 3
        static let previous = 4
        static let clock = 5
        static let wall = 6
        static let rawLength = 7
        static let body = 8
        static let count = 9
    }

    /// The protected header of an author's batches.
    static func protected(author: DeviceKey) -> [UInt8] {
        var writer = CBORWriter(reserving: 80)
        writer.map(3)
        writer.write(Header.algorithm)
        writer.write(Header.edDSA)
        writer.write(Header.contentType)
        writer.write(text: contentType)
        writer.write(Header.keyID)
        writer.write(bytes: author.bytes)
        return writer.bytes
    }

    static let protectedLength = protected(author: DeviceKey(.zero)).count

    /// The bytes that are signed: Sig_structure of RFC 9052 §4.4.
    static func signed(protected: [UInt8], payload: some Collection<UInt8>) -> [UInt8] {
        var writer = CBORWriter(reserving: payload.count + protected.count + 32)
        writer.array(4)
        writer.write(text: "Signature1")
        writer.write(bytes: protected)
        writer.write(bytes: [])
        writer.write(bytes: payload)
        return writer.bytes
    }
}

/// Why bytes are not a batch at all: they are never stored, and the session that brought them
/// ends.
package enum EnvelopeError: Error, Hashable, Sendable {
    case tooLong
    /// Not the one encoding of a COSE_Sign1 with the headers and fields of a batch.
    case structure
    case cbor(CBORError)
    case version(UInt64)
    case signature
    /// Room id, number and previous hash do not fit together.
    case position
    /// A clock after the year 2200, or a wall clock before 1970.
    case clock
}

extension EnvelopeError {
    /// The fault in the bytes, in words for people.
    package var explanation: String {
        switch self {
        case .tooLong: "it is longer than a batch can be"
        case .structure: "its bytes are no batch"
        case .cbor(let error): "its bytes are no batch: \(error)"
        case .version(let version): "it is of version \(version), which is not known here"
        case .signature: "its bytes do not match its signature"
        case .position: "its room, its number and the batch before it do not fit together"
        case .clock: "its clock is beyond the year 2200 or before 1970"
        }
    }
}
