import ShareCrypto

/// Reads deterministic CBOR (RFC 8949 §4.2.1) item by item from bytes that somebody else keeps.
///
/// Refuses what a tolerant decoder would take: longer heads than needed, indefinite lengths,
/// wider floats than needed, text that is not UTF-8, undefined. Tags too: the format has one, the
/// single byte at the very start of a batch, which its reader compares.
package struct CBORReader: ~Copyable {
    private let bytes: UnsafeRawBufferPointer
    /// The offset of the next item.
    package private(set) var position = 0

    /// Reads from `bytes`, which must stay where they are as long as the reader is used.
    package init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    package var isAtEnd: Bool { position == bytes.count }
    package var remaining: Int { bytes.count - position }

    /// - Throws: `trailing` if any byte is left.
    package func finish() throws(CBORError) {
        guard isAtEnd else { throw .trailing }
    }

    /// Whether the next item is null.
    package var isNextNull: Bool { position < bytes.count && bytes[position] == 0xf6 }

    package mutating func readNull() throws(CBORError) {
        guard try next().first == CBORHead.null.first else { throw .unexpected }
    }

    package mutating func readBool() throws(CBORError) -> Bool {
        switch try next().first {
        case CBORHead.truth(true).first: return true
        case CBORHead.truth(false).first: return false
        default: throw .unexpected
        }
    }

    package mutating func readUnsigned() throws(CBORError) -> UInt64 { try argument(of: .unsigned) }

    /// An unsigned number that is at most `limit`.
    package mutating func readCount(upTo limit: Int) throws(CBORError) -> Int {
        let value = try readUnsigned()
        guard value <= UInt64(limit) else { throw .outOfRange }
        return Int(value)
    }

    /// A number of 64 bits with sign.
    package mutating func readInteger() throws(CBORError) -> Int64 {
        guard let value = try CBORReader.integer(next()) else { throw .unexpected }
        return value
    }

    /// The length of an array, at most `limit`, whose items follow.
    package mutating func readArray(upTo limit: Int) throws(CBORError) -> Int {
        try readLength(of: .array, upTo: limit)
    }

    package mutating func readArray(exactly count: Int) throws(CBORError) {
        guard try readArray(upTo: count) == count else { throw .unexpected }
    }

    /// The number of pairs of a map, at most `limit`, whose keys and values follow. That keys
    /// are sorted and unlike is for the caller to check.
    package mutating func readMap(upTo limit: Int) throws(CBORError) -> Int {
        try readLength(of: .map, upTo: limit)
    }

    /// Where a byte string lies in the buffer.
    package mutating func readBytesRange() throws(CBORError) -> Range<Int> {
        let length = Int(try argument(of: .bytes))
        return position - length..<position
    }

    package mutating func readBytes(upTo limit: Int) throws(CBORError) -> [UInt8] {
        let range = try readBytesRange()
        guard range.count <= limit else { throw .outOfRange }
        return Array(bytes[range])
    }

    package mutating func readBytes(exactly count: Int) throws(CBORError) -> [UInt8] {
        let range = try readBytesRange()
        guard range.count == count else { throw .unexpected }
        return Array(bytes[range])
    }

    /// A text of at most `limit` bytes.
    package mutating func readText(upTo limit: Int) throws(CBORError) -> String {
        let length = Int(try argument(of: .text))
        guard length <= limit else { throw .outOfRange }
        return String(decoding: bytes[position - length..<position], as: UTF8.self)
    }

    /// One value of a field; its text, if it is one, stays in the buffer.
    package mutating func readCell() throws(CBORError) -> Cell {
        let head = try next()
        if head.major == .text {
            let length = Int(head.argument)
            return .text(offset: UInt32(position - length), length: UInt32(length))
        }
        if let value = try CBORReader.integer(head) { return .integer(value) }
        if let number = head.number { return .decimal(number) }
        guard head.first == CBORHead.null.first else { throw .unexpected }
        return .absent
    }

    /// Whether the next item is an unsigned number rather than a byte string.
    package var isNextUnsigned: Bool { position < bytes.count && bytes[position] >> 5 == 0 }

    /// Passes over one item of any kind with all that it holds, nested at most `depth` deep.
    package mutating func skip(depth: Int = 8) throws(CBORError) {
        guard depth > 0 else { throw .outOfRange }
        let head = try next()
        switch head.major {
        case .array:
            for _ in 0..<(try count(head)) { try skip(depth: depth - 1) }
        case .map:
            var last: Range<Int>?
            for _ in 0..<(try count(head)) {
                let start = position
                try skip(depth: depth - 1)
                let key = start..<position
                if let last, !bytes[last].lexicographicallyPrecedes(bytes[key]) {
                    throw .notDeterministic
                }
                last = key
                try skip(depth: depth - 1)
            }
        default: break
        }
    }

    private mutating func argument(of major: CBORHead.Major) throws(CBORError) -> UInt64 {
        let head = try next()
        guard head.major == major else { throw .unexpected }
        return head.argument
    }

    private mutating func readLength(
        of major: CBORHead.Major, upTo limit: Int
    ) throws(CBORError) -> Int {
        let head = try next()
        guard head.major == major else { throw .unexpected }
        let count = try count(head)
        guard count <= limit else { throw .outOfRange }
        return count
    }

    /// The number of items or pairs that a head announces: as each takes a byte at least, one
    /// beyond the rest is a lie.
    private func count(_ head: CBORHead) throws(CBORError) -> Int {
        guard head.argument <= UInt64(remaining) else { throw .outOfRange }
        return Int(head.argument)
    }

    /// The number that a head stands for; nil where it is none.
    private static func integer(_ head: CBORHead) throws(CBORError) -> Int64? {
        guard head.major == .unsigned || head.major == .negative else { return nil }
        guard let value = Int64(exactly: head.argument) else { throw .outOfRange }
        return head.major == .unsigned ? value : -1 - value
    }

    /// Takes the next head, and the string that it announces.
    private mutating func next() throws(CBORError) -> CBORHead {
        let head = try CBORHead(bytes, at: position)
        var end = position + 1 + head.width
        if head.major == .bytes || head.major == .text {
            guard head.argument <= UInt64(bytes.count - end) else { throw .malformed }
            let start = end
            end += Int(head.argument)
            if head.major == .text,
                !UTF8Check.isValid(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
            {
                throw .notUTF8
            }
        }
        position = end
        return head
    }
}

extension CBORReader {
    /// Reads a map's key and checks that it is the one that comes next.
    mutating func expect(_ key: Int) throws(CBORError) {
        guard try readUnsigned() == UInt64(key) else { throw .unexpected }
    }

    /// The number of a batch in its log.
    mutating func readNumber() throws(CBORError) -> UInt64 {
        let number = try readUnsigned()
        guard Limits.numbers.contains(number) else { throw .outOfRange }
        return number
    }

    /// A head, as its number and its batch, one after the other.
    mutating func readHead() throws(CBORError) -> LogHead {
        LogHead(number: try readNumber(), batch: BatchID(try readDigest()))
    }

    mutating func readDigest() throws(CBORError) -> Digest {
        guard let digest = Digest(try readBytes(exactly: Bytes32.count)) else { throw .unexpected }
        return digest
    }
}

extension Array<UInt8> {
    /// Reads the bytes as one CBOR item, with nothing after it.
    func readCBOR<Value>(
        _ body: (inout CBORReader) throws(CBORError) -> Value
    ) throws(CBORError) -> Value {
        let result: Result<Value, CBORError> = withUnsafeBytes { buffer in
            do throws(CBORError) {
                var reader = CBORReader(buffer)
                let value = try body(&reader)
                try reader.finish()
                return .success(value)
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }
}

/// Strict UTF-8 (RFC 3629).
enum UTF8Check {
    static func isValid(_ raw: UnsafeRawBufferPointer) -> Bool {
        var offset = 0
        // Most text is ASCII: eight bytes at a time as long as that holds.
        while offset + 8 <= raw.count {
            let word = raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            if word & 0x8080_8080_8080_8080 != 0 { break }
            offset += 8
        }
        while offset < raw.count, raw[offset] < 0x80 { offset += 1 }
        if offset == raw.count { return true }
        return String(validating: UnsafeRawBufferPointer(rebasing: raw[offset...]), as: UTF8.self)
            != nil
    }
}
