internal import ShareControl
import Glibc

/// A connection to the daemon's Unix socket on which nothing waits without a limit; closed with
/// this object.
final class SocketConnection {
    /// The error number of the system call that failed.
    struct Failure: Error {
        let code: Int32
    }

    /// The result of an attempt to send or receive.
    enum Outcome {
        /// So many bytes went; none where the socket was not ready after all.
        case moved(Int)
        /// The other side has closed the connection.
        case ended
    }

    /// A signal may come just before a wait begins, so each wait is looked up from this often.
    private static let longestWait: Int32 = 250

    /// How long to wait without a byte in either direction.
    var silence: Duration {
        didSet {
            silent = 0
            isNoticed = false
        }
    }
    /// Called once the other side has been silent for a second.
    var onSilence: () -> Void = {}
    private var isNoticed = false
    private let descriptor: Int32
    /// Milliseconds waited since a byte last went either way.
    private var silent: Int64 = 0

    /// - Throws: `Failure` where nobody listens there, or did not accept within `silence`.
    init(path: String, silence: Duration) throws(Failure) {
        self.silence = silence
        descriptor = socket(
            AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue),
            0)
        guard descriptor >= 0 else { throw Failure(code: errno) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        while true {
            let result = withUnsafePointer(to: &address) { address in
                address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            if result == 0 { return }
            let code = errno
            // Too many others wait to be accepted: nothing tells when there is room again.
            guard code == EAGAIN || code == EINTR, !Interruption.isRequested, !isSilent else {
                throw Failure(code: code)
            }
            silent += 10
            usleep(10_000)
        }
    }

    deinit { close(descriptor) }

    private var isSilent: Bool { .milliseconds(silent) >= silence }

    /// Whether a request can be sent: the other side has neither closed nor said anything.
    var isQuiet: Bool {
        var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return Glibc.poll(&poll, 1, 0) == 0
    }

    /// Waits until bytes can be received or, where that is wanted, sent.
    ///
    /// - Throws: `Problem` of `timedOut` after `silence`, of `interrupted` once that is requested.
    func wait(toSend: Bool) throws(Problem) -> (canReceive: Bool, canSend: Bool) {
        while true {
            if Interruption.isRequested { throw Problem(.interrupted, Interruption.detail) }
            guard !isSilent else {
                throw Problem(
                    .timedOut, "the daemon did not answer in time",
                    hint: "Try again; where it stays so, restart it: "
                        + "`sudo systemctl restart sharedd` where it is the service.")
            }
            let events = toSend ? POLLIN | POLLOUT : POLLIN
            var poll = pollfd(fd: descriptor, events: Int16(events), revents: 0)
            let began = ContinuousClock.now
            let count = Glibc.poll(&poll, 1, Self.longestWait)
            if count > 0 {
                let seen = Int32(poll.revents)
                return (seen & (POLLIN | POLLHUP | POLLERR) != 0, seen & POLLOUT != 0)
            }
            silent += Int64((ContinuousClock.now - began) / .milliseconds(1))
            if silent >= 1_000, !isNoticed {
                isNoticed = true
                onSilence()
            }
        }
    }

    func receive(into buffer: UnsafeMutableRawBufferPointer) -> Outcome {
        outcome(recv(descriptor, buffer.baseAddress, buffer.count, 0), isReceiving: true)
    }

    func send(_ bytes: UnsafeRawBufferPointer) -> Outcome {
        outcome(
            Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)),
            isReceiving: false)
    }

    private func outcome(_ result: Int, isReceiving: Bool) -> Outcome {
        if result > 0 {
            silent = 0
            return .moved(result)
        }
        if result == 0, isReceiving { return .ended }
        let isUnready = errno == EAGAIN || errno == EINTR
        return isUnready ? .moved(0) : .ended
    }
}
