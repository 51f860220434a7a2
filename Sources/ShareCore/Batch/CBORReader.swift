internal import CCbor

/// Reads deterministic CBOR (RFC 8949 §4.2.1) item by item from bytes that somebody else keeps.
///
/// Refuses what a tolerant decoder would take: longer heads than needed, indefinite lengths,
/// wider floats than needed, text that is not UTF-8, undefined. Tags too: the format has one, at
/// the very start of a batch, and libcbor 0.8 takes the unassigned ones for errors.
package struct CBORReader: ~Copyable {
    private let bytes: UnsafeRawBufferPointer
    /// The offset of the next item.
    package private(set) var position = 0
    private var item = shim_cbor_item()

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
        guard try next() == SHIM_CBOR_NULL else { throw .unexpected }
    }

    package mutating func readBool() throws(CBORError) -> Bool {
        switch try next() {
        case SHIM_CBOR_TRUE: return true
        case SHIM_CBOR_FALSE: return false
        default: throw .unexpected
        }
    }

    package mutating func readUnsigned() throws(CBORError) -> UInt64 {
        guard try next() == SHIM_CBOR_UNSIGNED else { throw .unexpected }
        return item.argument
    }

    /// An unsigned number that is at most `limit`.
    package mutating func readCount(upTo limit: Int) throws(CBORError) -> Int {
        let value = try readUnsigned()
        guard value <= UInt64(limit) else { throw .outOfRange }
        return Int(value)
    }

    /// A number of 64 bits with sign.
    package mutating func readInteger() throws(CBORError) -> Int64 {
        let kind = try next()
        guard item.argument <= UInt64(Int64.max) else {
            throw kind == SHIM_CBOR_UNSIGNED || kind == SHIM_CBOR_NEGATIVE
                ? .outOfRange : .unexpected
        }
        switch kind {
        case SHIM_CBOR_UNSIGNED: return Int64(item.argument)
        case SHIM_CBOR_NEGATIVE: return -1 - Int64(item.argument)
        default: throw .unexpected
        }
    }

    /// The length of an array, at most `limit`, whose items follow.
    package mutating func readArray(upTo limit: Int) throws(CBORError) -> Int {
        guard try next() == SHIM_CBOR_ARRAY else { throw .unexpected }
        // Every element takes at least one byte, so a length beyond the rest is a lie.
        guard item.argument <= UInt64(min(limit, remaining)) else { throw .outOfRange }
        return Int(item.argument)
    }

    package mutating func readArray(exactly count: Int) throws(CBORError) {
        guard try readArray(upTo: count) == count else { throw .unexpected }
    }

    /// The number of pairs of a map, at most `limit`, whose keys and values follow. That keys
    /// are sorted and unlike is for the caller to check.
    package mutating func readMap(upTo limit: Int) throws(CBORError) -> Int {
        guard try next() == SHIM_CBOR_MAP else { throw .unexpected }
        guard item.argument <= UInt64(min(limit, remaining)) else { throw .outOfRange }
        return Int(item.argument)
    }

    /// Where a byte string lies in the buffer.
    package mutating func readBytesRange() throws(CBORError) -> Range<Int> {
        guard try next() == SHIM_CBOR_BYTES else { throw .unexpected }
        return position - Int(item.argument)..<position
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
        guard try next() == SHIM_CBOR_TEXT else { throw .unexpected }
        guard item.argument <= UInt64(limit) else { throw .outOfRange }
        let range = position - Int(item.argument)..<position
        return String(decoding: bytes[range], as: UTF8.self)
    }

    /// One value of a field; its text, if it is one, stays in the buffer.
    package mutating func readCell() throws(CBORError) -> Cell {
        switch try next() {
        case SHIM_CBOR_NULL: return .absent
        case SHIM_CBOR_TEXT:
            return .text(
                offset: UInt32(position - Int(item.argument)), length: UInt32(item.argument))
        case SHIM_CBOR_UNSIGNED:
            guard item.argument <= UInt64(Int64.max) else { throw .outOfRange }
            return .integer(Int64(item.argument))
        case SHIM_CBOR_NEGATIVE:
            guard item.argument <= UInt64(Int64.max) else { throw .outOfRange }
            return .integer(-1 - Int64(item.argument))
        case SHIM_CBOR_HALF, SHIM_CBOR_SINGLE, SHIM_CBOR_DOUBLE: return .decimal(item.number)
        default: throw .unexpected
        }
    }

    /// Whether the next item is an unsigned number rather than a byte string.
    package var isNextUnsigned: Bool { position < bytes.count && bytes[position] >> 5 == 0 }

    /// Passes over one item of any kind with all that it holds, nested at most `depth` deep.
    package mutating func skip(depth: Int = 8) throws(CBORError) {
        guard depth > 0 else { throw .outOfRange }
        switch try next() {
        case SHIM_CBOR_ARRAY:
            let count = item.argument
            guard count <= UInt64(remaining) else { throw .outOfRange }
            for _ in 0..<count { try skip(depth: depth - 1) }
        case SHIM_CBOR_MAP:
            let count = item.argument
            guard count <= UInt64(remaining) else { throw .outOfRange }
            var last: Range<Int>?
            for _ in 0..<count {
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

    /// Takes the next head (and string) and checks that it is the shortest form of itself.
    private mutating func next() throws(CBORError) -> shim_cbor_kind {
        guard remaining > 0, let base = bytes.baseAddress else { throw .malformed }
        let start = (base + position).assumingMemoryBound(to: UInt8.self)
        let taken = shim_cbor_next(start, remaining, &item)
        guard taken > 0 else { throw .malformed }
        position += taken
        let kind = shim_cbor_kind(rawValue: UInt32(item.kind))
        switch kind {
        case SHIM_CBOR_UNSIGNED, SHIM_CBOR_NEGATIVE, SHIM_CBOR_ARRAY, SHIM_CBOR_MAP:
            guard taken == CBORReader.headLength(item.argument) else { throw .notDeterministic }
        case SHIM_CBOR_BYTES:
            guard taken == CBORReader.headLength(item.argument) + Int(item.argument) else {
                throw .notDeterministic
            }
        case SHIM_CBOR_TEXT:
            guard taken == CBORReader.headLength(item.argument) + Int(item.argument) else {
                throw .notDeterministic
            }
            let text = UnsafeBufferPointer(
                start: item.bytes, count: Int(item.argument))
            guard UTF8Check.isValid(text) else { throw .notUTF8 }
        case SHIM_CBOR_HALF:
            // The one NaN is f9 7e00.
            guard !item.number.isNaN || (start[1] == 0x7e && start[2] == 0) else {
                throw .notDeterministic
            }
        case SHIM_CBOR_SINGLE:
            guard !item.number.isNaN, Double(Float16(item.number)) != item.number else {
                throw .notDeterministic
            }
        case SHIM_CBOR_DOUBLE:
            guard !item.number.isNaN, Double(Float(item.number)) != item.number else {
                throw .notDeterministic
            }
        case SHIM_CBOR_NULL, SHIM_CBOR_TRUE, SHIM_CBOR_FALSE: break
        default: throw .notDeterministic
        }
        return kind
    }

    private static func headLength(_ argument: UInt64) -> Int {
        switch argument {
        case 0..<24: 1
        case 24...0xff: 2
        case 0x100...0xffff: 3
        case 0x1_0000...0xffff_ffff: 5
        default: 9
        }
    }
}
