import ShareCrypto

extension CBORReader {
    /// Reads a map's key and checks that it is the one that comes next.
    mutating func expect(_ key: Int) throws(CBORError) {
        guard try readUnsigned() == UInt64(key) else { throw .unexpected }
    }

    mutating func readDigest() throws(CBORError) -> Digest {
        guard let digest = Digest(try readBytes(exactly: Bytes32.count)) else { throw .unexpected }
        return digest
    }
}
