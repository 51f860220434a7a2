internal import CEpoll
internal import Glibc
internal import Synchronization

/// One thread that waits for all sockets of a transport, and wakes for nothing else than them,
/// jobs and timers that are due.
// `handlers`, `timers` and the counters are touched on the loop's thread only; everything that
// other threads reach is in `inbox`.
final class EventLoop: @unchecked Sendable {
    typealias Job = @Sendable () -> Void

    private struct Inbox {
        var jobs: [Job] = []
        var isSignalled = false
        var isStopped = false
    }

    private struct Timer {
        let id: UInt64
        let due: ContinuousClock.Instant
        let job: Job
    }

    private let epoll: Int32
    private let wake: Int32
    private let inbox = Mutex(Inbox())
    private var handlers: [UInt64: any EventHandler] = [:]
    /// The one that is due first stands last.
    private var timers: [Timer] = []
    private var lastID: UInt64 = 0
    private var isFinishing = false
    /// Where a record is decrypted to before it is split into frames.
    let scratch = UnsafeMutableRawBufferPointer.allocate(
        byteCount: EventLoop.scratchSize, alignment: 16)

    /// The greatest plaintext of a TLS record.
    static let scratchSize = 16 << 10
    private static let wakeTag: UInt64 = 0
    private static let eventsAtOnce = 64

    init() throws(TransportError) {
        epoll = try SystemCall.check("creating the event loop") { shim_epoll_create() }
        do {
            wake = try SystemCall.check("creating the event loop") { shim_eventfd() }
        } catch {
            close(epoll)
            throw error
        }
        try SystemCall.check("creating the event loop") {
            shim_epoll_ctl(
                epoll, EPOLL_CTL_ADD, wake, EPOLLIN.rawValue, EventLoop.wakeTag)
        }
        try start()
    }

    deinit {
        close(epoll)
        close(wake)
        scratch.deallocate()
    }

    private func start() throws(TransportError) {
        var thread = pthread_t()
        // The thread owns the loop until it ends.
        let context = Unmanaged.passRetained(self)
        let result = pthread_create(
            &thread, nil,
            { raw in
                guard let raw else { return nil }
                let loop = Unmanaged<EventLoop>.fromOpaque(raw).takeRetainedValue()
                loop.run()
                return nil
            }, context.toOpaque())
        guard result == 0 else {
            context.release()
            throw .system("starting the event loop: \(SystemCall.words(result))")
        }
        pthread_detach(thread)
    }

    /// Runs `job` on the loop's thread, in the order of calls; false once the loop has stopped.
    @discardableResult
    func execute(_ job: @escaping Job) -> Bool {
        inbox.withLock { inbox in
            guard !inbox.isStopped else { return false }
            inbox.jobs.append(job)
            if !inbox.isSignalled {
                inbox.isSignalled = true
                // Within the lock: after `isStopped` the descriptor may be another's.
                var one: UInt64 = 1
                _ = write(wake, &one, MemoryLayout<UInt64>.size)
            }
            return true
        }
    }

    // MARK: On the loop's thread

    /// Watches a descriptor; the returned tag names it from now on.
    func add(_ fd: Int32, _ events: UInt32, _ handler: any EventHandler) throws(TransportError)
        -> UInt64
    {
        lastID += 1
        let tag = lastID
        try SystemCall.check("watching a socket") {
            shim_epoll_ctl(epoll, EPOLL_CTL_ADD, fd, events, tag)
        }
        handlers[tag] = handler
        return tag
    }

    func change(_ fd: Int32, _ events: UInt32, tag: UInt64) {
        // Fails only for a descriptor that is not watched, which is our own bug.
        let result = shim_epoll_ctl(epoll, EPOLL_CTL_MOD, fd, events, tag)
        assert(result == 0)
    }

    func remove(_ fd: Int32, tag: UInt64) {
        guard handlers.removeValue(forKey: tag) != nil else { return }
        _ = shim_epoll_ctl(epoll, EPOLL_CTL_DEL, fd, 0, tag)
    }

    /// Runs `job` after `delay`; the returned id cancels it.
    func schedule(after delay: Duration, _ job: @escaping Job) -> UInt64 {
        lastID += 1
        let timer = Timer(id: lastID, due: .now + delay, job: job)
        // A few hundred at most, most of them due in the same order.
        let position = timers.firstIndex { $0.due <= timer.due } ?? timers.endIndex
        timers.insert(timer, at: position)
        return timer.id
    }

    func cancel(_ id: UInt64) {
        timers.removeAll { $0.id == id }
    }

    /// Ends the loop after the jobs that are waiting.
    func finish() { isFinishing = true }

    private func run() {
        var events = [epoll_event](repeating: epoll_event(), count: EventLoop.eventsAtOnce)
        while true {
            let outcome = SystemCall.run {
                Int(epoll_wait(epoll, &events, Int32(events.count), timeout()))
            }
            guard case .done(let count) = outcome else {
                // Only a broken descriptor gets here, which nothing can wait on.
                preconditionFailure("epoll_wait failed")
            }
            for index in 0..<count {
                let tag = shim_epoll_tag(&events[index])
                // An earlier event of this round may have removed the handler.
                handlers[tag]?.ready(shim_epoll_events(&events[index]))
            }
            runTimers()
            runJobs()
            if isFinishing, stopIfIdle() { return }
        }
    }

    private func timeout() -> Int32 {
        guard let first = timers.last else { return -1 }
        let left = ContinuousClock.now.duration(to: first.due)
        guard left > .zero else { return 0 }
        // Rounded up, or the loop would spin through the last millisecond.
        let (seconds, attoseconds) = left.components
        let milliseconds = seconds * 1_000 + attoseconds / 1_000_000_000_000_000 + 1
        return Int32(clamping: milliseconds)
    }

    private func runTimers() {
        guard !timers.isEmpty else { return }
        let now = ContinuousClock.now
        while let timer = timers.last, timer.due <= now {
            timers.removeLast()
            timer.job()
        }
    }

    private func runJobs() {
        let jobs = inbox.withLock { inbox in
            guard inbox.isSignalled else { return [Job]() }
            inbox.isSignalled = false
            var count: UInt64 = 0
            _ = read(wake, &count, MemoryLayout<UInt64>.size)
            let jobs = inbox.jobs
            inbox.jobs = []
            return jobs
        }
        for job in jobs { job() }
    }

    private func stopIfIdle() -> Bool {
        inbox.withLock { inbox in
            guard inbox.jobs.isEmpty else { return false }
            inbox.isStopped = true
            return true
        }
    }
}

/// The receiver of an event loop's news about a descriptor's readiness; called on the loop's
/// thread.
protocol EventHandler: AnyObject {
    func ready(_ events: UInt32)
}
