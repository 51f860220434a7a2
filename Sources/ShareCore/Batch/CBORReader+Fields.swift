import ShareCrypto

extension CBORReader {
    /// Reads a map's key and checks that it is the one that comes next.
    mutating func expect(_ key: Int) throws(CBORError) {
        guard try readUnsigned() == UInt64(key) else { throw .unexpected }
    }

    /// The number of a batch in its log.
    mutating func readNumber() throws(CBORError) -> UInt64 {
        let number = try readUnsigned()
        guard Limits.numbers.contains(number) else { throw .outOfRange }
        return number
    }

    /// A head, as its number and its batch, one after the other.
    mutating func readHead() throws(CBORError) -> LogHead {
        LogHead(number: try readNumber(), batch: BatchID(try readDigest()))
    }

    mutating func readDigest() throws(CBORError) -> Digest {
        guard let digest = Digest(try readBytes(exactly: Bytes32.count)) else { throw .unexpected }
        return digest
    }
}
