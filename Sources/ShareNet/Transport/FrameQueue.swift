/// Frames in order, with what they cost in bytes.
struct FrameQueue {
    private var frames: [[UInt8]] = []
    private var head = 0
    private(set) var cost = 0

    var isEmpty: Bool { head == frames.count }

    /// What a frame counts for in a bound.
    static func cost(of frame: [UInt8]) -> Int { frame.count + TransportLimits.frameCost }

    mutating func append(_ frame: [UInt8]) {
        frames.append(frame)
        cost += FrameQueue.cost(of: frame)
    }

    mutating func popFirst() -> [UInt8]? {
        guard head < frames.count else { return nil }
        let frame = frames[head]
        frames[head] = []
        head += 1
        cost -= FrameQueue.cost(of: frame)
        if head == frames.count {
            frames.removeAll(keepingCapacity: frames.count < 1_024)
            head = 0
        } else if head > 1_024, head > frames.count / 2 {
            frames.removeFirst(head)
            head = 0
        }
        return frame
    }
}
