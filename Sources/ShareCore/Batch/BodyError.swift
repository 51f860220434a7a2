/// Why a body is malformed: the batch keeps its place in its log, and all of it is refused.
package enum BodyError: Error, Hashable, Sendable {
    /// Not one zstd frame of the kind allowed, or not of the length that the batch states.
    case compression
    case cbor(CBORError)
    /// No operation, or more than a batch may hold.
    case operationCount
    /// More operations on one record than a batch may hold.
    case recordCount
    /// A name points at the operation itself, at a later one, or at no batch listed.
    case reference
    /// A clock outside its range.
    case clock
    /// A founding where none may be, or none where one must be.
    case founding
}
