internal import CSodium

/// The hash of bytes that come piece by piece, the same as `Hash.digest` of all of them.
///
/// One owner at a time may use it.
package final class RunningHash {
    // libsodium wants its state at a multiple of 64, which Swift's own memory does not promise.
    private let state: OpaquePointer
    private let memory: UnsafeMutableRawPointer

    package init() {
        _ = Sodium.ready
        memory = .allocate(byteCount: crypto_generichash_statebytes(), alignment: 64)
        state = OpaquePointer(memory)
        let result = crypto_generichash_init(state, nil, 0, Bytes32.count)
        precondition(result == 0, "BLAKE2b refused its fixed lengths")
    }

    deinit { memory.deallocate() }

    package func append(_ bytes: some Collection<UInt8>) {
        let done: Void? = bytes.withContiguousStorageIfAvailable {
            UnsafeRawBufferPointer($0).withOctets {
                _ = crypto_generichash_update(state, $0, UInt64(bytes.count))
            }
        }
        if done == nil { append(Array(bytes)) }
    }

    /// The hash of all bytes so far; more may follow.
    package func digest() -> Digest {
        // Finishing spoils the state, so a copy is finished.
        let size = crypto_generichash_statebytes()
        return withUnsafeTemporaryAllocation(byteCount: size, alignment: 64) { copy in
            copy.copyMemory(from: UnsafeRawBufferPointer(start: memory, count: size))
            var output: [32 of UInt8] = .init(repeating: 0)
            return withUnsafeMutableBytes(of: &output) { output in
                if let target = output.assumingMemoryBound(to: UInt8.self).baseAddress,
                    let base = copy.baseAddress
                {
                    _ = crypto_generichash_final(OpaquePointer(base), target, Bytes32.count)
                }
                return Digest(Bytes32(UnsafeRawBufferPointer(output)))
            }
        }
    }
}
