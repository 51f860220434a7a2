struct NotHexadecimal: Error {}

/// The bytes of a hexadecimal text in either case.
func hex(_ text: String) throws -> [UInt8] {
    let digits = Array(text.utf8).compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
    guard digits.count == text.utf8.count, digits.count.isMultiple(of: 2) else {
        throw NotHexadecimal()
    }
    return stride(from: 0, to: digits.count, by: 2).map {
        UInt8(digits[$0] << 4 | digits[$0 + 1])
    }
}
