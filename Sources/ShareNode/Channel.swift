internal import Dispatch
import Synchronization

/// A bounded queue from any number of writers to one reader.
///
/// What lies in it has a cost, and while that has reached the limit nothing more should come. A
/// writer chooses what that means for it: it is told (`offer`), it waits before it makes more
/// (`hasRoom`), or its thread is held up (`addBlocking`).
///
/// Two queues of the node are none of these. `BytePipe` has a C callback that must not wait at one
/// end, moves bytes and not elements, and puts heartbeats in between; `WatchFeed` drops the oldest
/// and has to say exactly where.
final class Channel<Element: Sendable>: Sendable {
    private enum Writer {
        case task(CheckedContinuation<Void, Never>)
        case thread(DispatchSemaphore)

        func wake() {
            switch self {
            case .task(let continuation): continuation.resume()
            case .thread(let semaphore): semaphore.signal()
            }
        }
    }

    private struct State {
        /// Nil where an element has been taken.
        var elements: [Element?] = []
        var first = 0
        var cost = 0
        var peak = 0
        var limit: Int
        var isFinished = false
        var reader: CheckedContinuation<Void, Never>?
        var writers: [Writer] = []

        var isFull: Bool { cost >= limit && !isFinished }

        mutating func takeReader() -> CheckedContinuation<Void, Never>? {
            defer { reader = nil }
            return reader
        }

        mutating func append(_ element: Element, cost: Int) {
            elements.append(element)
            self.cost += cost
            peak = max(peak, self.cost)
        }

        /// The oldest element, which stays.
        var oldest: Element? { first < elements.count ? elements[first] : nil }

        mutating func removeOldest(cost: Int) {
            elements[first] = nil
            first += 1
            self.cost -= cost
            if first == elements.count {
                elements.removeAll(keepingCapacity: elements.count < 1_024)
                first = 0
            } else if first > 1_024, first > elements.count / 2 {
                elements.removeFirst(first)
                first = 0
            }
        }

        /// The writers that may go on.
        mutating func takeWriters() -> [Writer] {
            guard !isFull, !writers.isEmpty else { return [] }
            defer { writers = [] }
            return writers
        }
    }

    private let state: Mutex<State>
    private let cost: @Sendable (Element) -> Int

    /// - Parameters:
    ///   - limit: the cost from which on it is full; the last element may go beyond.
    ///   - cost: what an element costs, always the same for the same one.
    init(limit: Int, cost: @escaping @Sendable (Element) -> Int = { _ in 1 }) {
        state = Mutex(State(limit: limit))
        self.cost = cost
    }

    /// The most that ever lay in it.
    var peak: Int { state.withLock { $0.peak } }

    /// Changes the bound for what comes from now on.
    func setLimit(_ limit: Int) { state.withLock { $0.limit = limit } }

    // MARK: Writing

    /// Adds an element if it is not full. After the end elements are dropped.
    ///
    /// - Returns: false where it is full, and the element was not taken.
    func offer(_ element: Element) -> Bool {
        let cost = cost(element)
        let (isTaken, reader) = state.withLock { state in
            if state.isFinished { return (true, CheckedContinuation<Void, Never>?.none) }
            guard !state.isFull else { return (false, nil) }
            state.append(element, cost: cost)
            return (true, state.takeReader())
        }
        reader?.resume()
        return isTaken
    }

    /// Adds an element however much lies in it: for a writer that waits for `hasRoom` afterwards.
    func add(_ element: Element) {
        let cost = cost(element)
        let reader = state.withLock { state in
            guard !state.isFinished else { return CheckedContinuation<Void, Never>?.none }
            state.append(element, cost: cost)
            return state.takeReader()
        }
        reader?.resume()
    }

    /// Returns when it is not full, or has ended.
    func hasRoom() async {
        await withCheckedContinuation { continuation in
            let mayGoOn = state.withLock { state in
                if !state.isFull { return true }
                state.writers.append(.task(continuation))
                return false
            }
            if mayGoOn { continuation.resume() }
        }
    }

    /// Adds an element, and holds up the calling thread as long as it is full. For threads of
    /// their own alone: those of the shared pool must not wait.
    ///
    /// - Returns: false where it has ended, and nobody wants more.
    func addBlocking(_ element: Element) -> Bool {
        let cost = cost(element)
        let semaphore = DispatchSemaphore(value: 0)
        while true {
            let (isDone, isTaken, reader) = state.withLock { state in
                if state.isFinished { return (true, false, CheckedContinuation<Void, Never>?.none) }
                guard !state.isFull else {
                    state.writers.append(.thread(semaphore))
                    return (false, false, nil)
                }
                state.append(element, cost: cost)
                return (true, true, state.takeReader())
            }
            reader?.resume()
            if isDone { return isTaken }
            semaphore.wait()
        }
    }

    // MARK: Reading

    /// The next element; nil when all have been taken and no more will come.
    func next() async -> Element? { await next(upTo: 1, cost: .max)?.first }

    /// The next elements, as many as there are and fit into the bounds, and at least one; nil when
    /// all have been taken and no more will come.
    func next(upTo count: Int, cost limit: Int) async -> [Element]? {
        while true {
            let (elements, isFinished, writers) = state.withLock { state in
                let elements = take(upTo: count, cost: limit, of: &state)
                return (elements, state.isFinished, state.takeWriters())
            }
            for writer in writers { writer.wake() }
            if !elements.isEmpty { return elements }
            if isFinished { return nil }
            await withCheckedContinuation { continuation in
                let isReady = state.withLock { state in
                    if state.oldest != nil || state.isFinished { return true }
                    state.reader = continuation
                    return false
                }
                if isReady { continuation.resume() }
            }
        }
    }

    private func take(upTo count: Int, cost limit: Int, of state: inout State) -> [Element] {
        var taken: [Element] = []
        var sum = 0
        while taken.count < count, let element = state.oldest {
            let cost = cost(element)
            sum += cost
            if !taken.isEmpty, sum > limit { break }
            taken.append(element)
            state.removeOldest(cost: cost)
        }
        return taken
    }

    // MARK: The end

    /// Nothing more is taken in; what lies in it is still given out.
    func finish() {
        let (reader, writers) = state.withLock { state in
            state.isFinished = true
            return (state.takeReader(), state.takeWriters())
        }
        reader?.resume()
        for writer in writers { writer.wake() }
    }

    /// Ends it at once: nobody gets what lies in it but the caller.
    @discardableResult
    func cancel() -> [Element] {
        let left = state.withLock { state in
            defer {
                state.elements = []
                state.first = 0
                state.cost = 0
            }
            return state.elements[state.first...].compactMap { $0 }
        }
        finish()
        return left
    }
}
