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
    case place
    /// A clock after the year 2200.
    case clock
}

extension EnvelopeError {
    /// What is wrong with the bytes, for people.
    package var explanation: String {
        switch self {
        case .tooLong: "it is longer than a batch can be"
        case .structure: "its bytes are no batch"
        case .cbor(let error): "its bytes are no batch: \(error)"
        case .version(let version): "it is of version \(version), which is not known here"
        case .signature: "its bytes do not match its signature"
        case .place: "its room, its number and the batch before it do not fit together"
        case .clock: "its clock is beyond the year 2200"
        }
    }
}
