internal import CMicrohttpd
internal import Dispatch
internal import Glibc
internal import ShareControl
package import ShareNet
internal import Synchronization

/// HTTP/1.1 on a listening socket, for the routes of a router.
///
/// One thread of the library moves bytes; handlers run as tasks, one for each request.
package final class HTTPServer: Sendable {
    private enum State {
        case idle
        case running(Daemon)
        case quiet(Daemon)
        case stopped
    }

    /// The library's handle and its own copy of the listening socket.
    // Used under the lock, and once for stopping.
    private struct Daemon: @unchecked Sendable {
        let raw: OpaquePointer
        let listener: Int32
    }

    private let core: HTTPServerCore
    private let state = Mutex(State.idle)

    /// - Parameter version: goes out as `Shared-Version` with every answer.
    package init(
        router: Router, version: String, limits: HTTPLimits = HTTPLimits(),
        alarm: DescriptorAlarm = DescriptorAlarm {}
    ) {
        core = HTTPServerCore(router: router, version: version, limits: limits, alarm: alarm)
    }

    /// Requests that the library or a handler still works on.
    package var liveRequests: Int { core.liveRequests }

    /// Connections that are open.
    package var openConnections: Int { core.openConnections }

    /// The most bytes that waited in any streamed body so far, either way.
    package var peakBuffer: Int { core.peakBuffer }

    /// Serves `descriptor`, which must be listening and stays the caller's.
    package func start(on descriptor: Int32) throws(HTTPServerError) {
        try state.withLock { state throws(HTTPServerError) in
            guard case .idle = state else { throw .alreadyStarted }
            let listener = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
            guard listener >= 0 else { throw .notStarted(errno: errno) }
            // Balanced in `stop`, after the library's last callback.
            let context = Unmanaged.passRetained(core)
            var settings = share_mhd_settings(
                listener: listener, connections: UInt32(clamping: core.limits.sockets),
                timeout_seconds: UInt32(clamping: core.limits.silence.components.seconds),
                connection_bytes: ControlLimits.connectionBytes,
                context: context.toOpaque(), access: HTTPCallbacks.access,
                completed: HTTPCallbacks.completed, connection: HTTPCallbacks.connection)
            errno = 0
            guard let raw = share_mhd_start(&settings) else {
                let code = errno
                context.release()
                Glibc.close(listener)
                throw .notStarted(errno: code)
            }
            state = .running(Daemon(raw: raw, listener: listener))
        }
    }

    /// Takes no new connections: they wait on the socket for whoever serves it next.
    package func quiesce() {
        state.withLock { state in
            guard case .running(let daemon) = state else { return }
            MHD_quiesce_daemon(daemon.raw)
            state = .quiet(daemon)
        }
    }

    /// Takes no new connections, ends watches, lets other requests finish until `grace` has
    /// passed, then closes what is left. Returns when no callback can come any more.
    package func stop(grace: Duration = .seconds(5)) async {
        quiesce()
        let daemon: Daemon? = state.withLock { state in
            guard case .quiet(let daemon) = state else { return nil }
            state = .stopped
            return daemon
        }
        guard let daemon else { return }
        core.beginStopping()
        await waitUntilIdle(grace)
        // The library aborts the process if a connection is suspended when it is stopped.
        core.close()
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { [core] in
                MHD_stop_daemon(daemon.raw)
                Glibc.close(daemon.listener)
                Unmanaged.passUnretained(core).release()
                continuation.resume()
            }
        }
        await waitUntilIdle(.seconds(1))
    }

    private func waitUntilIdle(_ limit: Duration) async {
        let deadline = ContinuousClock.now + limit
        while core.liveRequests > 0, ContinuousClock.now < deadline {
            // Only while stopping; not cancellable, since what follows must not be skipped.
            await Task { try? await Task.sleep(for: .milliseconds(5)) }.value
        }
    }
}

/// Why the control server did not start.
package enum HTTPServerError: Error, Sendable, Equatable {
    /// The library refused to start on this socket (errno, 0 if it left none).
    case notStarted(errno: Int32)
    case alreadyStarted
}

/// The bounds of the control server; every one can be set, for tests.
package struct HTTPLimits: Sendable {
    /// Open connections beside those of watches. One more takes the place of the one that has been
    /// idle longest; where none is idle, further ones wait in the listening socket's queue.
    package var connections = 64
    /// The descriptors that connections may have: one from this number on takes the place of the one
    /// that has been idle longest, too, and is refused where none is.
    package var descriptors = Descriptors().control
    /// The descriptors that watches may have: one from this number on is refused.
    package var watchDescriptors = Descriptors().peers
    /// Who has not asked anything for so long is idle when descriptors run out: of many that come at
    /// once none takes another's place.
    package var idle = Duration.seconds(1)
    /// Requests to routes that are marked as watches.
    package var watches = 32
    /// Connections that the library holds at most: some are about to be closed for others.
    var sockets: Int { connections + watches + 8 }
    /// Bytes of a body that is collected before the handler starts.
    package var collectedBody = ControlLimits.bodyBytes
    /// Bytes that wait in a streamed body, each way.
    package var streamBuffer = 1 << 18
    /// From connecting, or from the last answer, to the end of the next request's headers.
    package var headers = Duration.seconds(15)
    /// A connection on which nothing moves, while it is not waiting for us.
    package var silence = Duration.seconds(60)
    /// The same for streamed bodies: the other end may be a person who reads page by page.
    package var streamSilence = Duration.seconds(600)
    /// After this much silence of a watch a newline goes out.
    package var heartbeat = ControlLimits.keepAlive
    /// How long the rest of a body is read and thrown away so that the answer can be read.
    package var discard = Duration.seconds(30)
    /// How often connections are looked over while there are any.
    package var tick = Duration.seconds(1)

    package init() {}
}
