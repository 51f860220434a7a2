/// A value of one field, with its type kept to the bit. Absent is not empty text.
package enum FieldValue: Hashable, Sendable {
    case absent
    case integer(Int64)
    case decimal(Double)
    case text(String)

    // Text is compared byte by byte: Swift takes composed and decomposed letters for the same,
    // and a correction from one to the other is a correction.
    package static func == (a: FieldValue, b: FieldValue) -> Bool {
        switch (a, b) {
        case (.absent, .absent): true
        case (.integer(let a), .integer(let b)): a == b
        case (.decimal(let a), .decimal(let b)): a == b
        case (.text(let a), .text(let b)): a.utf8.elementsEqual(b.utf8)
        default: false
        }
    }

    package func hash(into hasher: inout Hasher) {
        switch self {
        case .absent: hasher.combine(0)
        case .integer(let value): hasher.combine(value)
        case .decimal(let value): hasher.combine(value)
        case .text(let value): for byte in value.utf8 { hasher.combine(byte) }
        }
    }
}
