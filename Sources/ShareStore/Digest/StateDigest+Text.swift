import ShareCore

extension StateDigest {
    /// 64 hexadecimal digits.
    package var text: String { Hex.encode(bytes) }
}
