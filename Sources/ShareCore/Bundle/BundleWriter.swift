package import ShareCrypto

/// Makes the bytes of a bundle, item by item (docs/protocol/bundle.md).
package struct BundleWriter {
    private let hash = RunningHash()
    private var batches: UInt64 = 0

    package init() {}

    /// The first bytes of the file.
    package mutating func begin(_ header: BundleHeader) -> [UInt8] {
        hash.append(BundleLimits.magic)
        return BundleLimits.magic + item(.header(header))
    }

    /// The bytes of the next item.
    package mutating func item(_ item: BundleItem) -> [UInt8] {
        if case .batch = item { batches += 1 }
        let bytes = BundleWriter.framed(item)
        hash.append(bytes)
        return bytes
    }

    /// The last bytes of the file, signed by the device that the header names.
    package func end(by identity: DeviceIdentity) -> [UInt8] {
        let digest = hash.digest()
        return BundleWriter.framed(
            .end(
                batches: batches, hash: digest,
                signature: identity.sign(BundleWriter.signed(digest))))
    }

    /// The bytes that the signature at the end covers.
    static func signed(_ hash: Digest) -> [UInt8] {
        Array("shared bundle end 1".utf8) + hash.bytes
    }

    private static func framed(_ item: BundleItem) -> [UInt8] {
        let body = item.encoded
        return withUnsafeBytes(of: UInt32(body.count).bigEndian) { Array($0) } + body
    }
}
