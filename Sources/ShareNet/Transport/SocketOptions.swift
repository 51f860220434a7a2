internal import CEpoll
internal import Glibc

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
