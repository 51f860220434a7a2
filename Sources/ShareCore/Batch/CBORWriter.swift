/// Writes deterministic CBOR (RFC 8949 §4.2.1): every head and every float as short as can be.
package struct CBORWriter: Sendable {
    package private(set) var bytes: [UInt8] = []

    package init(reserving capacity: Int = 0) { bytes.reserveCapacity(capacity) }

    package mutating func write(unsigned value: UInt64) {
        append(CBORHead(.unsigned, value))
    }

    package mutating func write(_ value: Int) { write(integer: Int64(value)) }

    package mutating func write(integer value: Int64) {
        if value >= 0 {
            write(unsigned: UInt64(value))
        } else {
            append(CBORHead(.negative, UInt64(-1 - value)))
        }
    }

    package mutating func write(bytes value: some Collection<UInt8>) {
        append(CBORHead(.bytes, UInt64(value.count)))
        bytes.append(contentsOf: value)
    }

    /// The same for an array: of any collection it would be generic code, called from another
    /// module.
    package mutating func write(bytes value: [UInt8]) {
        append(CBORHead(.bytes, UInt64(value.count)))
        bytes.append(contentsOf: value)
    }

    package mutating func write(text value: String) {
        write(utf8: value.utf8)
    }

    /// Writes text that is known to be UTF-8. Each cell of each entry made here passes through it:
    /// of any collection of bytes it would be generic code, called from another module.
    package mutating func write(utf8 value: UnsafeRawBufferPointer) {
        append(CBORHead(.text, UInt64(value.count)))
        bytes.append(contentsOf: value)
    }

    /// Writes text that is known to be UTF-8.
    package mutating func write(utf8 value: some Collection<UInt8>) {
        append(CBORHead(.text, UInt64(value.count)))
        bytes.append(contentsOf: value)
    }

    /// Begins an array of `count` items, which the caller writes next.
    package mutating func array(_ count: Int) {
        append(CBORHead(.array, UInt64(count)))
    }

    /// Begins a map of `count` pairs, which the caller writes next with their keys in order.
    package mutating func map(_ count: Int) {
        append(CBORHead(.map, UInt64(count)))
    }

    package mutating func writeNull() { append(.null) }
    package mutating func write(_ value: Bool) { append(.truth(value)) }

    /// Writes the narrowest float that keeps the value; every NaN as the one NaN.
    package mutating func write(_ value: Double) { append(CBORHead(value)) }

    package mutating func write(_ value: FieldValue) {
        switch value {
        case .absent: writeNull()
        case .integer(let value): write(integer: value)
        case .decimal(let value): write(value)
        case .text(let value): write(text: value)
        }
    }

    /// Appends what is CBOR already.
    package mutating func append(_ encoded: some Collection<UInt8>) {
        bytes.append(contentsOf: encoded)
    }

    private mutating func append(_ head: CBORHead) {
        guard head.width > 0 else { return bytes.append(head.first) }
        // At once: the array looks each time whether it is its owner's alone, and has room.
        withUnsafeTemporaryAllocation(byteCount: CBORHead.longest, alignment: 1) { buffer in
            guard let start = buffer.baseAddress else { return }
            let length = head.store(to: start)
            bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: buffer[..<length]))
        }
    }
}

extension CBORWriter {
    /// Writes heads, in the order that they come in.
    mutating func write(_ heads: [LogHead]) {
        array(heads.count)
        for head in heads {
            array(2)
            write(unsigned: head.number)
            write(bytes: head.batch.bytes)
        }
    }

    /// Writes the heads of both logs, each in order, as two items.
    mutating func write(_ heads: CoveredHeads) {
        for kind in LogKind.allCases { write(heads.heads(in: kind).sorted()) }
    }
}
