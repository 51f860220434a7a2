/// Why a frame ends the session that it came over.
package enum WireError: Error, Hashable, Sendable {
    case cbor(CBORError)
    /// The message is not one of this protocol.
    case unknownMessage(UInt64)
    case batch(EnvelopeError)
}
