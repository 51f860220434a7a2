/// Splits received bytes into frames: 4-byte big-endian length, then body
/// (docs/protocol.md, "Frames").
package struct FrameReader: Sendable {
    /// The greatest body that is taken, in bytes; holds for each frame whose body has not begun.
    package var limit: Int

    private var header: UInt32 = 0
    private var headerCount = 0
    private var body: [UInt8] = []
    /// The length of the body under way; nil while the header is.
    private var length: Int?

    package init(limit: Int) { self.limit = limit }

    /// Whether a frame has begun and not ended: an end of the stream here cuts one off.
    package var isInsideFrame: Bool { headerCount > 0 }

    /// Takes bytes off the front of `input` and returns the body that they complete, or nil when
    /// all of `input` has been taken and none is complete.
    ///
    /// - Throws: `FrameError.tooLong` as soon as the length is known, before any of that body is
    ///   taken. The reader stays there: after `limit` was raised the call may be repeated.
    package mutating func next(
        from input: inout UnsafeRawBufferPointer
    ) throws(FrameError) -> [UInt8]? {
        while headerCount < FrameWriter.headerLength, let byte = input.first {
            header = header << 8 | UInt32(byte)
            headerCount += 1
            input = UnsafeRawBufferPointer(rebasing: input.dropFirst())
        }
        guard headerCount == FrameWriter.headerLength else { return nil }
        let length: Int
        if let begun = self.length {
            length = begun
        } else {
            guard let announced = Int(exactly: header), announced <= limit else {
                throw .tooLong(announced: Int(header), limit: limit)
            }
            length = announced
            self.length = length
            body.reserveCapacity(length)
        }
        let part = input.prefix(length - body.count)
        body.append(contentsOf: part)
        input = UnsafeRawBufferPointer(rebasing: input[part.endIndex...])
        guard body.count == length else { return nil }
        let done = body
        body = []
        self.length = nil
        header = 0
        headerCount = 0
        return done
    }
}

/// The header before the body of a frame (docs/protocol.md, "Frames").
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

/// Why bytes are not a frame.
package enum FrameError: Error, Equatable, Sendable {
    /// A frame of `announced` bytes where `limit` are allowed.
    case tooLong(announced: Int, limit: Int)
}

/// The greatest bodies of frames, in bytes (docs/protocol.md, "Limits").
package enum FrameLimit {
    /// Before the peer has proven that it is a member of a common room.
    package static let stranger = 4 << 10
    /// After that: the greatest encoded batch is 1 MiB + 64 KiB, with room for what is around it.
    package static let member = 2 << 20
}
