/// The state that a connection's callers and its loop share: two bounded queues and who waits on
/// them.
struct ConnectionState {
    typealias Answer = OneShot<Result<[UInt8]?, TransportError>>
    typealias Ticket = OneShot<Result<Void, TransportError>>

    /// The answer to a frame that was to be sent.
    enum Offer {
        case taken(mustFlush: Bool)
        case full
        case over(CloseReason)
    }

    private let limits: TransportLimits
    private(set) var frameLimit = FrameLimit.stranger
    private(set) var reason: CloseReason?
    private var isAdmitted = false

    private var incoming = FrameQueue()
    private var consumer: Answer?
    /// The loop has stopped reading because `incoming` is full.
    private var isPaused = false
    /// The loop stands before a frame above the limit, until the consumer asks for it.
    private var isParked = false

    private var outgoing = FrameQueue()
    /// The cost of the frames that the loop has taken out of `outgoing` and not yet reported as
    /// gone.
    private var inFlight = 0
    private var isFlushScheduled = false
    private var senders: [(frame: [UInt8], ticket: Ticket)] = []

    init(limits: TransportLimits) { self.limits = limits }

    mutating func admit(frameLimit: Int) {
        isAdmitted = true
        self.frameLimit = frameLimit
    }

    // MARK: Sending

    var hasWaitingSender: Bool { !senders.isEmpty }

    private var hasRoom: Bool {
        outgoing.cost + inFlight < (isAdmitted ? limits.outgoing : limits.outgoingUnproven)
    }

    mutating func offer(_ frame: [UInt8]) -> Offer {
        if let reason { return .over(reason) }
        guard senders.isEmpty, hasRoom else { return .full }
        outgoing.append(frame)
        defer { isFlushScheduled = true }
        return .taken(mustFlush: !isFlushScheduled)
    }

    /// Offers the frame again, and has `ticket` wait for room if there still is none.
    mutating func queue(_ frame: [UInt8], _ ticket: Ticket) -> Offer {
        let offer = offer(frame)
        if case .full = offer { senders.append((frame, ticket)) }
        return offer
    }

    /// Takes a waiting frame back; false if it is not waiting any more.
    mutating func withdraw(_ ticket: Ticket) -> Bool {
        guard let index = senders.firstIndex(where: { $0.ticket === ticket }) else { return false }
        senders.remove(at: index)
        return true
    }

    /// Hands everything that is to be sent to the loop, which has reported `gone` of what it had.
    /// The tickets returned are those whose frames have been taken.
    mutating func takeOutgoing(gone: Int) -> (frames: FrameQueue, taken: [Ticket]) {
        inFlight -= gone
        var taken: [Ticket] = []
        while hasRoom, taken.count < senders.count {
            let sender = senders[taken.count]
            outgoing.append(sender.frame)
            taken.append(sender.ticket)
        }
        senders.removeFirst(taken.count)
        let frames = outgoing
        outgoing = FrameQueue()
        inFlight += frames.cost
        // While the loop holds frames it comes back by itself.
        isFlushScheduled = inFlight > 0
        return (frames, taken)
    }

    // MARK: Receiving

    private var incomingLimit: Int { isAdmitted ? limits.incoming : limits.incomingUnproven }

    /// Takes received frames in; says whom to give one to at once, and whether the loop is to go
    /// on reading.
    mutating func deliver(
        _ frames: [[UInt8]]
    ) -> (answer: Answer?, frame: [UInt8]?, goesOn: Bool) {
        guard reason == nil else { return (nil, nil, true) }
        for frame in frames { incoming.append(frame) }
        var answer: Answer?
        var first: [UInt8]?
        if let waiting = consumer, let frame = incoming.popFirst() {
            consumer = nil
            answer = waiting
            first = frame
        }
        isPaused = incoming.cost >= incomingLimit
        return (answer, first, !isPaused)
    }

    /// Says whether a frame above the reader's limit breaks the rules now. It does not while
    /// frames before it are with the consumer, who may raise the limit because of them.
    mutating func judge(announced: Int) -> FrameVerdict {
        if announced <= frameLimit { return .allowed(limit: frameLimit) }
        if consumer != nil { return .refused(limit: frameLimit) }
        isParked = true
        return .undecided
    }

    /// Returns a result, or keeps `answer` for the next one; and whether the loop is to read on.
    mutating func ask(
        _ answer: Answer
    ) -> (now: Result<[UInt8]?, TransportError>?, mustResume: Bool) {
        if let frame = incoming.popFirst() {
            guard isPaused, incoming.cost <= incomingLimit / 2 else {
                return (.success(frame), false)
            }
            isPaused = false
            return (.success(frame), true)
        }
        if let reason { return (ConnectionState.last(reason), false) }
        precondition(consumer == nil, "one task at a time asks for frames")
        consumer = answer
        let mustResume = isParked || isPaused
        isParked = false
        isPaused = false
        return (nil, mustResume)
    }

    mutating func stopAsking(_ answer: Answer) {
        if consumer === answer { consumer = nil }
    }

    // MARK: Ending

    mutating func finish(
        _ reason: CloseReason
    ) -> (
        consumer: (answer: Answer, result: Result<[UInt8]?, TransportError>)?, senders: [Ticket]
    ) {
        guard self.reason == nil else { return (nil, []) }
        self.reason = reason
        if case .local = reason { incoming = FrameQueue() }
        let tickets = senders.map(\.ticket)
        senders = []
        guard let consumer else { return (nil, tickets) }
        self.consumer = nil
        return ((consumer, ConnectionState.last(reason)), tickets)
    }

    /// The consumer's last result, when all frames are gone.
    private static func last(_ reason: CloseReason) -> Result<[UInt8]?, TransportError> {
        switch reason {
        case .local, .peer: .success(nil)
        default: .failure(.closed(reason))
        }
    }
}

/// Frames in order, with what they cost in bytes.
struct FrameQueue {
    private var frames: [[UInt8]] = []
    private var head = 0
    private(set) var cost = 0

    var isEmpty: Bool { head == frames.count }

    /// The cost of a frame in a bound.
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

/// Whether a frame above the limit that the reader knew is to be taken.
enum FrameVerdict: Equatable {
    /// The limit has been raised.
    case allowed(limit: Int)
    /// Frames before it are with the consumer, who may still raise the limit.
    case undecided
    case refused(limit: Int)
}
