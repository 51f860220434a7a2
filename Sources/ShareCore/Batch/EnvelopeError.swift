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
