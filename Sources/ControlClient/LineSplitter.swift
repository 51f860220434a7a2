package import ShareControl

/// Splits received bytes into lines that end with LF; empty ones are left out.
package struct LineSplitter: Sendable {
    /// A longer line is refused.
    package static let longestLine = 16 << 20

    private var rest: [UInt8] = []

    package init() {}

    /// Adds bytes and hands over each line that they complete; stops where `each` returns false.
    ///
    /// - Throws: `Problem` with `notUnderstood` for a line that is too long, or what `each` throws.
    package mutating func append(
        _ bytes: UnsafeRawBufferPointer, _ each: ([UInt8]) throws(Problem) -> Bool
    ) throws(Problem) -> Bool {
        var start = bytes.startIndex
        while let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
            rest.append(contentsOf: bytes[start..<end])
            start = end + 1
            guard !rest.isEmpty else { continue }
            let line = rest
            rest.removeAll(keepingCapacity: true)
            guard try each(line) else { return false }
        }
        guard rest.count + bytes.count - start <= Self.longestLine else {
            throw Problem(.notUnderstood, "the daemon sent a line that is too long")
        }
        rest.append(contentsOf: bytes[start...])
        return true
    }
}
