internal import CSodium

extension Array<UInt8> {
    /// Overwrites the bytes in a way that the optimiser may not leave out.
    mutating func wipe() {
        withUnsafeMutableBytes { buffer in
            if let base = buffer.baseAddress { sodium_memzero(base, buffer.count) }
        }
    }
}
