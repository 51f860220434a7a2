/// The sort of a control operation as far as roles tell sorts apart: all that the verdict on it
/// depends on, in a batch that nobody has to look into.
package enum OperationSort: UInt8, CaseIterable, Sendable {
    case found, set, ownersSetting, form, part, list, grant, ownersGrant, roleChange, removal,
        accept

    package init(_ operation: ControlOperation) {
        switch operation {
        case .found: self = .found
        case .set(let setting):
            self = Authority.isOwners(setting) ? .ownersSetting : .set
        case .form: self = .form
        case .part: self = .part
        case .list: self = .list
        case .grant(let grant): self = Role.editor.mayAdmit(as: grant.role) ? .grant : .ownersGrant
        case .roleChange: self = .roleChange
        case .removal: self = .removal
        case .accept: self = .accept
        }
    }

    /// Whether it is about a device: who says so counts, and what came before.
    package var isAboutDevice: Bool {
        switch self {
        case .found, .grant, .ownersGrant, .roleChange, .removal, .accept: true
        case .set, .ownersSetting, .form, .part, .list: false
        }
    }
}

/// A set of operations about one device, by their places among those in force.
struct OperationMask: Hashable, Sendable {
    /// How many places there are; `OperationsInForce` never puts more in force about one device.
    static let capacity = 512

    private var words: SIMD8<UInt64> = .zero

    var isEmpty: Bool { words == .zero }

    func contains(_ place: Int) -> Bool { words[place >> 6] >> UInt64(place & 63) & 1 == 1 }

    mutating func insert(_ place: Int) {
        precondition(place < Self.capacity)
        words[place >> 6] |= 1 << UInt64(place & 63)
    }

    mutating func formUnion(_ other: OperationMask) { words |= other.words }

    func subtracting(_ other: OperationMask) -> OperationMask {
        var result = self
        result.words &= ~other.words
        return result
    }

    /// The places in it, ascending.
    var places: [Int] {
        var places: [Int] = []
        for index in words.indices {
            var word = words[index]
            while word != 0 {
                places.append(index * 64 + word.trailingZeroBitCount)
                word &= word - 1
            }
        }
        return places
    }
}
