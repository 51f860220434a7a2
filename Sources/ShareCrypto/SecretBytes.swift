internal import CSodium

/// Bytes in locked memory that are wiped when the last owner lets go.
// Immutable after init, so it can be shared between threads.
final class SecretBytes: @unchecked Sendable {
    private let start: UnsafeMutableRawPointer
    private let count: Int

    /// Takes a copy of `bytes` and wipes the original.
    init(_ bytes: inout [UInt8]) {
        _ = Sodium.ready
        count = bytes.count
        start = .allocate(byteCount: max(count, 1), alignment: 16)
        // Locking may be refused (RLIMIT_MEMLOCK); the bytes are wiped all the same.
        sodium_mlock(start, count)
        bytes.withUnsafeMutableBytes { source in
            guard let base = source.baseAddress else { return }
            start.copyMemory(from: base, byteCount: source.count)
            sodium_memzero(base, source.count)
        }
    }

    deinit {
        sodium_munlock(start, count)
        start.deallocate()
    }

    func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try body(UnsafeRawBufferPointer(start: start, count: count))
    }
}

extension Array<UInt8> {
    /// Overwrites the bytes in a way that the optimiser may not leave out.
    mutating func wipe() {
        withUnsafeMutableBytes { buffer in
            if let base = buffer.baseAddress { sodium_memzero(base, buffer.count) }
        }
    }
}
