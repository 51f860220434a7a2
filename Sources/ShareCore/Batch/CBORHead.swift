/// The head of one deterministic CBOR item: one to nine bytes, never more than needed
/// (RFC 8949 §3, §4.2.1).
///
/// The reader and both writers share it, so that one place knows the shortest forms.
package struct CBORHead {
    /// The upper three bits of an item's first byte.
    package enum Major: UInt8 {
        case unsigned = 0
        /// The argument n stands for -1 - n.
        case negative = 1
        case bytes = 2
        case text = 3
        case array = 4
        case map = 5
        case tag = 6
        /// Floats, whose argument is their bits; null and the truth values.
        case simple = 7
    }

    /// The bytes that a writer has to have room for.
    package static let longest = 9

    /// The first byte: the major type, and the argument or its width.
    package let first: UInt8
    /// A number, a length, a count or the bits of a float.
    package let argument: UInt64

    // Each cell of each row passes through these: across modules a call costs more than they do.
    @inlinable @inline(__always) package init(_ major: Major, _ argument: UInt64) {
        let info: UInt8 =
            argument < 24
            ? UInt8(truncatingIfNeeded: argument)
            : argument <= 0xff ? 24 : argument <= 0xffff ? 25 : argument <= 0xffff_ffff ? 26 : 27
        first = major.rawValue << 5 | info
        self.argument = argument
    }

    @inlinable @inline(__always) package init(first: UInt8, argument: UInt64) {
        self.first = first
        self.argument = argument
    }

    @inlinable package static var null: CBORHead { CBORHead(first: 0xf6, argument: 0) }

    package static func truth(_ value: Bool) -> CBORHead {
        CBORHead(first: value ? 0xf5 : 0xf4, argument: 0)
    }

    /// The narrowest float that keeps the value; every NaN is the one NaN.
    @inlinable package init(_ value: Double) {
        if value.isNaN {
            self.init(first: 0xf9, argument: 0x7e00)
        } else if Double(Float(value)) != value {
            self.init(first: 0xfb, argument: value.bitPattern)
        } else if Double(Float16(value)) != value {
            self.init(first: 0xfa, argument: UInt64(Float(value).bitPattern))
        } else {
            self.init(first: 0xf9, argument: UInt64(Float16(value).bitPattern))
        }
    }

    /// Reads the head at `offset`.
    ///
    /// - Throws: `malformed` where the bytes end within it; `notDeterministic` for what is not the
    ///   shortest form, for indefinite lengths, tags, wider floats than needed, and simple values
    ///   but null and the truth values.
    package init(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(CBORError) {
        let remaining = bytes.count - offset
        guard remaining > 0 else { throw .malformed }
        self.init(first: bytes[offset], argument: UInt64(bytes[offset] & 0x1f))
        // Most items: of one byte there is no shorter form.
        if argument < 24, first < Major.tag.rawValue << 5 { return }
        if argument >= 24 {
            let width = width
            guard width > 0 else { throw .notDeterministic }
            guard remaining > width else { throw .malformed }
            var value: UInt64 = 0
            for position in 1...width { value = value << 8 | UInt64(bytes[offset + position]) }
            self.init(first: first, argument: value)
        }
        let isShortest: Bool =
            switch major {
            case .tag: false
            case .simple: (0xf4...0xf6).contains(first) || number.map { isNarrowest($0) } ?? false
            default: CBORHead(major, argument).first == first
            }
        guard isShortest else { throw .notDeterministic }
    }

    package var major: Major { Major(rawValue: first >> 5) ?? .simple }

    /// The bytes after the first one: 0, 1, 2, 4 or 8.
    @inlinable @inline(__always) package var width: Int {
        let info = Int(first & 0x1f)
        return (24...27).contains(info) ? 1 << (info - 24) : 0
    }

    /// The value of a float; nil for anything else.
    package var number: Double? {
        switch first {
        case 0xf9: Double(Float16(bitPattern: UInt16(truncatingIfNeeded: argument)))
        case 0xfa: Double(Float(bitPattern: UInt32(truncatingIfNeeded: argument)))
        case 0xfb: Double(bitPattern: argument)
        default: nil
        }
    }

    private func isNarrowest(_ number: Double) -> Bool {
        let head = CBORHead(number)
        return head.first == first && head.argument == argument
    }

    /// Writes the head and returns its length.
    ///
    /// - Parameter target: room for `longest` bytes, all of which may be written to.
    @inlinable @inline(__always) package func store(to target: UnsafeMutableRawPointer) -> Int {
        let width = width
        target.storeBytes(of: first, as: UInt8.self)
        // Shifting by all 64 bits gives zero.
        target.storeBytes(
            of: (argument << UInt64(64 - 8 * width)).bigEndian, toByteOffset: 1, as: UInt64.self)
        return 1 + width
    }
}

/// Why bytes are not the CBOR that this system allows (RFC 8949 §4.2.1).
package enum CBORError: Error, Hashable, Sendable {
    /// Too short, or no CBOR at all.
    case malformed
    /// Well-formed, but not the one encoding that is allowed.
    case notDeterministic
    case notUTF8
    /// Another kind of item than the format asks for at this place.
    case unexpected
    /// A number or a length beyond what the format allows.
    case outOfRange
    /// Bytes are left over.
    case trailing
}
