/// The greatest bodies of frames, in bytes (docs/protocol.md, "Limits").
package enum FrameLimit {
    /// Before the peer has proven that it is a member of a common room.
    package static let stranger = 4 << 10
    /// After that: the greatest encoded batch is 1 MiB + 64 KiB, with room for what is around it.
    package static let member = 2 << 20
}
