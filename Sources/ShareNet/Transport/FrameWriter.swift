/// What stands before the body of a frame (docs/protocol.md, "Frames").
package enum FrameWriter {
    /// The length of the header, in bytes.
    package static let headerLength = 4

    /// The header of a body of `count` bytes: its length, big-endian.
    ///
    /// - Throws: `FrameError.tooLong` for a body above `limit`, so that nothing leaves that
    ///   the other side would have to refuse.
    package static func header(
        of count: Int, limit: Int = FrameLimit.member
    ) throws(FrameError) -> [UInt8] {
        guard count <= limit, let length = UInt32(exactly: count) else {
            throw .tooLong(announced: count, limit: limit)
        }
        return [
            UInt8(truncatingIfNeeded: length >> 24), UInt8(truncatingIfNeeded: length >> 16),
            UInt8(truncatingIfNeeded: length >> 8), UInt8(truncatingIfNeeded: length),
        ]
    }
}
