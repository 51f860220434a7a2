/// Why bytes are not the CBOR that this system allows (RFC 8949 §4.2.1).
package enum CBORError: Error, Hashable, Sendable {
    /// Too short, or no CBOR at all.
    case malformed
    /// Well-formed, but not the one encoding that is allowed.
    case notDeterministic
    case notUTF8
    /// Another kind of item than the format asks for at this place.
    case unexpected
    /// A number or a length beyond what the format allows.
    case outOfRange
    /// Bytes are left over.
    case trailing
}
