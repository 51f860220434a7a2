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
