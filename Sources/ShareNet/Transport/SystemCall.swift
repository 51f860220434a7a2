internal import CEpoll
internal import Glibc

/// The one place where system calls are repeated and their failures put into words.
enum SystemCall {
    /// The result of a call, or the error number that it left.
    enum Outcome {
        case done(Int)
        case failed(Int32)

        /// Whether the call would have had to wait.
        var wouldBlock: Bool {
            if case .failed(let number) = self {
                number == EAGAIN || number == EWOULDBLOCK
            } else {
                false
            }
        }
    }

    /// Runs `call` until no signal interrupts it.
    static func run(_ call: () -> Int) -> Outcome {
        while true {
            let result = call()
            if result >= 0 { return .done(result) }
            if errno != EINTR { return .failed(errno) }
        }
    }

    /// Runs `call`, and turns a failure into an error that says what was being done.
    @discardableResult
    static func check(_ doing: String, _ call: () -> Int32) throws(TransportError) -> Int32 {
        switch run({ Int(call()) }) {
        case .done(let result): return Int32(truncatingIfNeeded: result)
        case .failed(let number): throw .system("\(doing): \(words(number))")
        }
    }

    /// The system's words for an error number.
    static func words(_ number: Int32) -> String {
        var buffer = [CChar](repeating: 0, count: 128)
        guard strerror_r(number, &buffer, buffer.count) == 0 else { return "error \(number)" }
        let bytes = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// How the transport's sockets are made.
enum SocketOptions {
    /// A new non-blocking stream socket.
    static func stream(_ family: Int32) throws(TransportError) -> Int32 {
        try SystemCall.check("making a socket") { shim_stream_socket(family) }
    }

    static func set(_ fd: Int32, _ level: Int32, _ option: Int32, _ value: Int32) {
        var value = value
        // Each of these helps and none is needed: a kernel without one still gets the data across.
        _ = setsockopt(fd, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Small frames leave at once, and a peer whose cable was pulled is noticed by the kernel.
    static func prepare(_ fd: Int32, _ limits: TransportLimits) {
        let tcp = Int32(IPPROTO_TCP)
        set(fd, tcp, TCP_NODELAY, 1)
        set(fd, SOL_SOCKET, SO_KEEPALIVE, 1)
        set(fd, tcp, TCP_KEEPIDLE, seconds(limits.probeAfter))
        set(fd, tcp, TCP_KEEPINTVL, probeInterval)
        set(fd, tcp, TCP_KEEPCNT, probeCount)
        // Also ends a connection whose sent data is not acknowledged, which probes do not.
        set(fd, tcp, TCP_USER_TIMEOUT, seconds(limits.silence) * 1_000)
    }

    private static let probeInterval: Int32 = 4
    private static let probeCount: Int32 = 4

    private static func seconds(_ duration: Duration) -> Int32 {
        max(1, Int32(clamping: duration.components.seconds))
    }
}
