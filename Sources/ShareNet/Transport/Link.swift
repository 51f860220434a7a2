internal import CEpoll
internal import Glibc
internal import ShareCrypto
internal import Synchronization

/// A socket with TLS and frames on it.
// Everything in it is touched on the loop's thread only, but `loop` and what is set at init and
// never changes.
final class Link: EventHandler, @unchecked Sendable {
    enum Phase {
        case connecting
        case handshaking
        case open
        /// Closed here: what was accepted is still sent, what comes is dropped.
        case draining
        case closed
    }

    let loop: EventLoop
    let limits: TransportLimits
    let context: TLSContext
    let tls: TLSSession
    let fd: Int32
    private(set) var local: Endpoint
    let remote: Endpoint
    let network: String

    /// Called once when the handshake is complete, with the connection.
    var onOpen: ((Connection) -> Void)?
    /// Called when the session above admits the peer.
    var onAdmit: (() -> Void)?
    /// Called once when the socket is closed.
    var onEnd: ((CloseReason) -> Void)?

    private(set) var phase: Phase
    private(set) var connection: Connection?
    /// Whether the socket has come to be connected.
    private(set) var isConnected: Bool
    private var tag: UInt64 = 0
    private var interest: UInt32 = 0
    /// For a dial as a whole, later for the last bytes.
    private var deadline: UInt64?
    private var handshakeTimer: UInt64?
    private var drainReason = CloseReason.peer
    /// Bytes moved before there was a connection to count them.
    var receivedEarly: UInt64 = 0
    var sentEarly: UInt64 = 0

    // Reading (Link+Reading.swift)
    var reader = FrameReader(limit: FrameLimit.stranger)
    var isPaused = false
    var sawEnd = false
    /// Decrypted bytes behind a length that is above the limit so far, none where only the length
    /// has come; nil while no such length waits to be judged.
    var leftover: [UInt8]?

    // Writing (Link+Writing.swift)
    var outbox = FrameQueue()
    var current: (body: [UInt8], offset: Int)?
    var staged: [UInt8] = []
    var stagedOffset = 0
    var goneCost = 0
    var wantsWrite = false
    var saidGoodbye = false
    var lastProgress = ContinuousClock.now
    var stallTimer: UInt64?

    /// Takes over `fd`, a non-blocking socket that is connecting or connected, and closes it.
    init(
        fd: Int32, side: TLSSide, isConnecting: Bool, remote: SocketAddress, context: TLSContext,
        loop: EventLoop, limits: TransportLimits
    ) throws(TransportError) {
        do {
            tls = try TLSSession(context: context, side: side)
        } catch {
            close(fd)
            throw .closed(.tls(error.description))
        }
        self.fd = fd
        self.context = context
        self.loop = loop
        self.limits = limits
        self.remote = remote.endpoint
        network = remote.network
        local = Endpoint(host: "unknown", port: 0)
        phase = isConnecting ? .connecting : .handshaking
        isConnected = !isConnecting
    }

    /// Begins, with `time` for everything up to the end of the handshake.
    func start(within time: Duration) {
        deadline = loop.schedule(after: time) { [self] in
            terminate(.timedOut(phase == .connecting ? "connecting" : "TLS handshake"))
        }
        interest = phase == .connecting ? EPOLLOUT.rawValue : EPOLLIN.rawValue
        do throws(TransportError) {
            tag = try loop.add(fd, interest, self)
        } catch {
            terminate(.lost(error.description))
            return
        }
        if phase == .handshaking { beginHandshake() }
    }

    func ready(_ events: UInt32) {
        let broken = EPOLLERR.rawValue | EPOLLHUP.rawValue
        switch phase {
        case .closed:
            return
        case .connecting:
            if let failure = socketError() {
                terminate(.lost(failure))
                return
            }
            beginHandshake()
        case .handshaking, .open, .draining:
            if events & broken != 0, isPaused || sawEnd {
                terminate(.lost(socketError() ?? "hung up"))
                return
            }
            if events & (EPOLLIN.rawValue | broken) != 0 { receive() }
            flush()
            // A read may have waited for the output to move.
            if events & EPOLLOUT.rawValue != 0, phase == .open { process() }
        }
    }

    private func beginHandshake() {
        phase = .handshaking
        isConnected = true
        handshakeTimer = loop.schedule(after: limits.handshake) { [self] in
            terminate(.timedOut("TLS handshake"))
        }
        local = SocketAddress { getsockname(fd, $0, $1) }?.endpoint ?? local
        advanceHandshake()
        flush()
    }

    /// Goes on with the handshake; returns whether frames may flow.
    @discardableResult
    func advanceHandshake() -> Bool {
        do throws(TLSError) {
            guard try tls.handshake(), let peerKey = tls.peerKey else { return false }
            stopTimers()
            phase = .open
            let connection = Connection(link: self, peerKey: peerKey, ownKey: context.ownKey)
            connection.receivedCount.add(receivedEarly, ordering: .relaxed)
            connection.sentCount.add(sentEarly, ordering: .relaxed)
            self.connection = connection
            let open = onOpen
            onOpen = nil
            open?(connection)
            return phase == .open
        } catch {
            fail(error)
            return false
        }
    }

    private func stopTimers() {
        for timer in [deadline, handshakeTimer, stallTimer] {
            if let timer { loop.cancel(timer) }
        }
        deadline = nil
        handshakeTimer = nil
        stallTimer = nil
    }

    /// Asks for the readiness that is of use now.
    func updateInterest() {
        guard phase != .closed, phase != .connecting else { return }
        var wanted: UInt32 = 0
        if !isPaused, !sawEnd { wanted |= EPOLLIN.rawValue }
        if wantsWrite { wanted |= EPOLLOUT.rawValue }
        guard wanted != interest else { return }
        interest = wanted
        loop.change(fd, wanted, tag: tag)
    }

    func exporter(label: String, length: Int) -> Result<[UInt8], TransportError> {
        guard phase == .open else {
            return .failure(.closed(connection?.closeReason ?? .lost("not open")))
        }
        do throws(TLSError) {
            return .success(try tls.exporter(label: label, length: length))
        } catch {
            return .failure(.closed(.tls(error.description)))
        }
    }

    // MARK: Ending

    /// Sends what was accepted, says goodbye, and closes.
    func drain(_ reason: CloseReason) {
        switch phase {
        case .closed, .draining:
            return
        case .connecting, .handshaking:
            terminate(reason)
        case .open:
            phase = .draining
            drainReason = reason
            isPaused = false
            leftover = nil
            deadline = loop.schedule(after: limits.linger) { [self] in terminate(reason) }
            flush()
        }
    }

    /// TLS broke: whatever alert it left for the peer goes out if the socket takes it at once.
    func fail(_ error: TLSError) {
        _ = tls.transmit { sendOnce($0) }
        terminate(.tls(error.description))
    }

    /// Closes the socket and tells everyone; the first reason stays.
    func terminate(_ reason: CloseReason) {
        guard phase != .closed else { return }
        let reason = phase == .draining ? drainReason : reason
        phase = .closed
        stopTimers()
        loop.remove(fd, tag: tag)
        close(fd)
        connection?.finish(reason)
        connection = nil
        outbox = FrameQueue()
        current = nil
        staged = []
        leftover = nil
        let end = onEnd
        onOpen = nil
        onAdmit = nil
        onEnd = nil
        end?(reason)
    }

    private func socketError() -> String? {
        var number: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(fd, SOL_SOCKET, SO_ERROR, &number, &size) == 0, number != 0 else {
            return nil
        }
        return SystemCall.words(number)
    }
}
