extension UnsafeRawBufferPointer {
    /// Calls `body` with the buffer as C's bytes; an empty buffer lends a valid address too,
    /// as libsodium's functions are declared never to take null.
    func withOctets<R>(_ body: (UnsafePointer<UInt8>) throws -> R) rethrows -> R {
        if let base = bindMemory(to: UInt8.self).baseAddress { return try body(base) }
        var nothing: UInt8 = 0
        return try withUnsafePointer(to: &nothing, body)
    }
}
