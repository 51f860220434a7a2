package import ShareCrypto
internal import Synchronization

/// A TLS connection to a device, as ordered frames in both directions.
///
/// It holds its socket until it is over: who lets go of it calls `close` first.
package final class Connection: Sendable {
    /// The peer's key, of which it has proven possession.
    package let peerKey: DeviceKey
    /// This device's own key: equal keys mean that it reached itself.
    package let ownKey: DeviceKey
    /// Which side of TLS this device is on.
    package let side: TLSSide
    /// The addresses of the two ends, in numbers.
    package let local: Endpoint
    package let remote: Endpoint
    /// The network of the remote address, by which connections are counted: for IPv6 the first 64
    /// bits.
    package let network: String

    let link: Link
    let state: Mutex<ConnectionState>
    let sentCount = Atomic<UInt64>(0)
    let receivedCount = Atomic<UInt64>(0)

    init(link: Link, peerKey: DeviceKey, ownKey: DeviceKey) {
        self.link = link
        self.peerKey = peerKey
        self.ownKey = ownKey
        side = link.tls.side
        local = link.local
        remote = link.remote
        network = link.network
        state = Mutex(ConnectionState(limits: link.limits))
    }

    /// Whether this device dialled.
    package var isInitiator: Bool { side == .client }

    /// Bytes handed to the kernel and taken from it, all of TLS included.
    package var bytesSent: UInt64 { sentCount.load(ordering: .relaxed) }
    package var bytesReceived: UInt64 { receivedCount.load(ordering: .relaxed) }

    /// How long `close` lets frames that were taken before go out.
    package var linger: Duration { link.limits.linger }

    /// Why the connection is over; nil while it is not.
    package var closeReason: CloseReason? { state.withLock { $0.reason } }

    /// Bytes that only the two ends of this connection can know (RFC 8446, section 7.5); they do
    /// not cover the client's certificate.
    ///
    /// - Throws: `TransportError.closed` once the connection is over.
    package func exporter(label: String, length: Int) async throws(TransportError) -> [UInt8] {
        let answer = OneShot<Result<[UInt8], TransportError>>()
        let link = link
        let isRunning = link.loop.execute {
            answer.give(link.exporter(label: label, length: length))
        }
        guard isRunning else { throw .stopped }
        return try await answer.value().get()
    }

    /// Says that the peer is proven: it no longer counts as a stranger, and frames may be as
    /// long as `frameLimit`, from the one on that `nextFrame` is called for after this.
    package func admit(frameLimit: Int = FrameLimit.member) {
        state.withLock { $0.admit(frameLimit: frameLimit) }
        let link = link
        link.loop.execute { link.onAdmit?() }
    }

    /// Takes a frame to be sent after those before it, and returns when there is room for more;
    /// it may be on its way only later. Calls from several tasks are served in their order.
    ///
    /// - Throws: `frameTooLong`; `closed` once the connection is over, also while waiting;
    ///   `cancelled`, and then the frame is not sent.
    package func send(_ frame: [UInt8]) async throws(TransportError) {
        guard frame.count <= FrameLimit.member else {
            throw .frameTooLong(count: frame.count, limit: FrameLimit.member)
        }
        switch state.withLock({ $0.offer(frame) }) {
        case .taken(let mustFlush):
            if mustFlush { scheduleFlush() }
            return
        case .over(let reason):
            throw .closed(reason)
        case .full:
            break
        }
        let ticket = OneShot<Result<Void, TransportError>>()
        switch state.withLock({ $0.queue(frame, ticket) }) {
        case .taken(let mustFlush):
            if mustFlush { scheduleFlush() }
            return
        case .over(let reason):
            throw .closed(reason)
        case .full:
            break
        }
        let result = await withTaskCancellationHandler {
            await ticket.value()
        } onCancel: {
            let isOut = state.withLock { $0.withdraw(ticket) }
            if isOut { ticket.give(.failure(.cancelled)) }
        }
        try result.get()
    }

    /// The next frame, in the order in which the peer sent them; nil when the connection was
    /// closed here, or by the peer between two frames. One task at a time may ask.
    ///
    /// - Throws: `closed` with the reason when it ended otherwise; `cancelled`.
    package func nextFrame() async throws(TransportError) -> [UInt8]? {
        let answer = OneShot<Result<[UInt8]?, TransportError>>()
        let (now, mustResume) = state.withLock { $0.ask(answer) }
        if mustResume { scheduleResume() }
        if let now { return try now.get() }
        let result = await withTaskCancellationHandler {
            await answer.value()
        } onCancel: {
            state.withLock { $0.stopAsking(answer) }
            answer.give(.failure(.cancelled))
        }
        return try result.get()
    }

    /// Ends the connection: nothing more is taken from or for the peer; frames taken before are
    /// still sent within `TransportLimits.linger`. `reason` stays here. Repeating it is harmless.
    package func close(_ reason: String) {
        let reason = CloseReason.local(reason)
        finish(reason)
        let link = link
        link.loop.execute { link.drain(reason) }
    }

    private func scheduleFlush() {
        let link = link
        link.loop.execute { link.flush() }
    }

    private func scheduleResume() {
        let link = link
        link.loop.execute { link.resume() }
    }

    /// Marks the connection as over and wakes everyone who waits on it.
    func finish(_ reason: CloseReason) {
        let woken = state.withLock { $0.finish(reason) }
        woken.consumer?.answer.give(woken.consumer?.result ?? .success(nil))
        for sender in woken.senders { sender.give(.failure(.closed(reason))) }
    }
}
