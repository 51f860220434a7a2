internal import CCbor

/// Writes deterministic CBOR (RFC 8949 §4.2.1): every head and every float as short as can be.
package struct CBORWriter: Sendable {
    package private(set) var bytes: [UInt8] = []

    package init(reserving capacity: Int = 0) { bytes.reserveCapacity(capacity) }

    package mutating func write(unsigned value: UInt64) {
        head { cbor_encode_uint(value, $0, $1) }
    }

    package mutating func write(_ value: Int) { write(integer: Int64(value)) }

    package mutating func write(integer value: Int64) {
        if value >= 0 {
            write(unsigned: UInt64(value))
        } else {
            head { cbor_encode_negint(UInt64(-1 - value), $0, $1) }
        }
    }

    package mutating func write(bytes value: some Collection<UInt8>) {
        head { cbor_encode_bytestring_start(value.count, $0, $1) }
        bytes.append(contentsOf: value)
    }

    package mutating func write(text value: String) {
        write(utf8: value.utf8)
    }

    /// Writes text that is known to be UTF-8.
    package mutating func write(utf8 value: some Collection<UInt8>) {
        head { cbor_encode_string_start(value.count, $0, $1) }
        bytes.append(contentsOf: value)
    }

    /// Begins an array of `count` items, which the caller writes next.
    package mutating func array(_ count: Int) {
        head { cbor_encode_array_start(count, $0, $1) }
    }

    /// Begins a map of `count` pairs, which the caller writes next with their keys in order.
    package mutating func map(_ count: Int) {
        head { cbor_encode_map_start(count, $0, $1) }
    }

    package mutating func tag(_ value: UInt64) { head { cbor_encode_tag(value, $0, $1) } }
    package mutating func writeNull() { head { cbor_encode_null($0, $1) } }
    package mutating func write(_ value: Bool) { head { cbor_encode_bool(value, $0, $1) } }

    /// Writes the narrowest float that keeps the value; every NaN as the one NaN.
    package mutating func write(_ value: Double) {
        if value.isNaN {
            bytes.append(contentsOf: [0xf9, 0x7e, 0x00])
        } else if Double(Float16(value)) == value {
            // libcbor's own conversion to half precision loses some subnormal numbers.
            let bits = Float16(value).bitPattern
            bytes.append(contentsOf: [0xf9, UInt8(bits >> 8), UInt8(truncatingIfNeeded: bits)])
        } else if Double(Float(value)) == value {
            head { cbor_encode_single(Float(value), $0, $1) }
        } else {
            head { cbor_encode_double(value, $0, $1) }
        }
    }

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

    package mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    private mutating func head(_ encode: (UnsafeMutablePointer<UInt8>, Int) -> Int) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 9) { scratch in
            guard let base = scratch.baseAddress else { return }
            let length = encode(base, scratch.count)
            bytes.append(contentsOf: scratch.prefix(length))
        }
    }
}
