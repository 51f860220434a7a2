internal import CSodium

/// The group of CPace: ristretto255 (RFC 9496), with the operations under the draft's names.
enum Ristretto {
    /// The element that 64 uniform bytes map to.
    static func element(fromHash hash: [UInt8]) -> Bytes32 {
        precondition(hash.count == SHA512.length)
        _ = Sodium.ready
        var element = [UInt8](repeating: 0, count: Bytes32.count)
        let result = crypto_core_ristretto255_from_hash(&element, hash)
        precondition(result == 0, "every hash maps to an element")
        return element.withUnsafeBytes { Bytes32($0) }
    }

    /// scalar_mult_vfy: calls `body` with the product and wipes it after.
    ///
    /// - Throws: `invalidElement` if `element` is no encoding of an element, or if the product is
    ///   the neutral element.
    static func withProduct<R>(
        _ scalar: CPaceScalar, _ element: Bytes32, _ body: ([UInt8]) -> R
    ) throws(CPaceError) -> R {
        _ = Sodium.ready
        var product = [UInt8](repeating: 0, count: Bytes32.count)
        defer { product.wipe() }
        let result = scalar.secret.withUnsafeBytes { scalar in
            scalar.withOctets { scalar in
                element.withUnsafeBytes { element in
                    element.withOctets { crypto_scalarmult_ristretto255(&product, scalar, $0) }
                }
            }
        }
        guard result == 0 else { throw .invalidElement }
        return body(product)
    }
}
