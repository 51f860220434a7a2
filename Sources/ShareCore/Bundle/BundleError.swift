/// Why a bundle cannot be read on from some place. What came before it stands.
package enum BundleError: Error, Hashable, Sendable, CustomStringConvertible {
    /// It does not begin as a bundle does.
    case notABundle
    /// It begins with something else than a header.
    case noHeader
    /// A second header, at this offset.
    case misplaced(UInt64)
    /// The length of the item at this offset cannot be one.
    case length(UInt64)
    /// The file ends within or before the item at this offset.
    case cutOff(UInt64)
    /// Bytes follow after the end, from this offset on.
    case trailing(UInt64)
    /// The end says so many batches, and there were others.
    case count(stated: UInt64, found: UInt64)
    /// The bytes are not those that the end states the hash of.
    case hash
    /// The end is not signed by the device that the header names.
    case signature

    package var description: String {
        switch self {
        case .notABundle: "it is no bundle"
        case .noHeader: "it has no header"
        case .misplaced(let offset): "it begins again at byte \(offset)"
        case .length(let offset): "the length at byte \(offset) is none"
        case .cutOff(let offset): "it breaks off after byte \(offset)"
        case .trailing(let offset): "something follows its end, from byte \(offset) on"
        case .count(let stated, let found): "it says \(stated) batches and holds \(found)"
        case .hash: "its bytes are not those that were written"
        case .signature: "it is not signed by the device that it names"
        }
    }
}
