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
