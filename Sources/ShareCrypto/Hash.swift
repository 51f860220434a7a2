internal import CSodium

/// BLAKE2b with 32 bytes of output (RFC 7693), the one hash of the system.
package enum Hash {
    /// The hash of `bytes`.
    package static func digest(_ bytes: some Sequence<UInt8>) -> Digest {
        let array = ContiguousArray(bytes)
        return array.withUnsafeBytes { digest($0, key: nil) }
    }

    /// The hash of a buffer, keyed if a key is given.
    package static func digest(_ buffer: UnsafeRawBufferPointer, key: Bytes32? = nil) -> Digest {
        _ = Sodium.ready
        var output: [32 of UInt8] = .init(repeating: 0)
        return withUnsafeMutableBytes(of: &output) { output in
            let target = output.assumingMemoryBound(to: UInt8.self)
            let result = buffer.withOctets { input in
                guard let target = target.baseAddress else { return Int32(-1) }
                guard let key else {
                    return crypto_generichash(
                        target, Bytes32.count, input, UInt64(buffer.count), nil, 0)
                }
                return key.withUnsafeBytes {
                    $0.withOctets {
                        crypto_generichash(
                            target, Bytes32.count, input, UInt64(buffer.count), $0, Bytes32.count)
                    }
                }
            }
            precondition(result == 0, "BLAKE2b refused its fixed lengths")
            return Digest(Bytes32(UnsafeRawBufferPointer(output)))
        }
    }

    /// The keyed hash of `bytes`.
    package static func digest(_ bytes: [UInt8], key: Bytes32) -> Digest {
        bytes.withUnsafeBytes { digest($0, key: key) }
    }
}

/// A BLAKE2b-256 hash (RFC 7693).
package struct Digest: Hashable, Comparable, Sendable {
    package let value: Bytes32

    package init(_ value: Bytes32) { self.value = value }

    /// The digest in exactly 32 bytes; nil for any other length.
    package init?(_ bytes: some Collection<UInt8>) {
        guard let value = Bytes32(bytes) else { return nil }
        self.value = value
    }

    package static let zero = Digest(.zero)
    package var bytes: [UInt8] { value.bytes }
    package static func < (a: Digest, b: Digest) -> Bool { a.value < b.value }
}

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

/// SHA-512 (FIPS 180-4) and HMAC over it (RFC 2104): what CPace asks for, nothing else uses it.
enum SHA512 {
    static let length = 64
    /// The bytes that the hash takes in at once; CPace pads by it ("s_in_bytes").
    static let blockLength = 128

    static func digest(_ bytes: [UInt8]) -> [UInt8] {
        _ = Sodium.ready
        var output = [UInt8](repeating: 0, count: length)
        crypto_hash_sha512(&output, bytes, UInt64(bytes.count))
        return output
    }

    static func authenticator(of message: [UInt8], key: UnsafeRawBufferPointer) -> [UInt8] {
        _ = Sodium.ready
        var state = crypto_auth_hmacsha512_state()
        defer { sodium_memzero(&state, MemoryLayout.size(ofValue: state)) }
        var output = [UInt8](repeating: 0, count: length)
        key.withOctets { _ = crypto_auth_hmacsha512_init(&state, $0, key.count) }
        crypto_auth_hmacsha512_update(&state, message, UInt64(message.count))
        crypto_auth_hmacsha512_final(&state, &output)
        return output
    }
}
