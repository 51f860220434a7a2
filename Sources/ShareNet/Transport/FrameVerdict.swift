/// Whether a frame above the limit that the reader knew is to be taken.
enum FrameVerdict: Equatable {
    /// The limit has been raised.
    case allowed(limit: Int)
    /// Frames before it are with the consumer, who may still raise the limit.
    case undecided
    case refused(limit: Int)
}
