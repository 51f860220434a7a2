/// Why bytes are not a frame.
package enum FrameError: Error, Equatable, Sendable {
    /// A frame of `announced` bytes where `limit` are allowed.
    case tooLong(announced: Int, limit: Int)
}
