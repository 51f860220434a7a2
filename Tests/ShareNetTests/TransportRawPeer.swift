import CEpoll
import Glibc
import ShareCrypto

@testable import ShareNet

/// A blocking TCP client that knows nothing of the protocol.
final class TransportRawPeer {
    struct Failure: Error { let what: String }

    let fd: Int32

    init(to endpoint: Endpoint) throws {
        fd = socket(AF_INET, shim_stream(), 0)
        let address = try SocketAddress.lookUp(endpoint, numericOnly: true)[0]
        // Nothing in these tests may hang for ever.
        var time = timeval(tv_sec: 20, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &time, size)
        setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &time, size)
        guard address.withPointer({ connect(fd, $0, $1) }) == 0 else {
            throw Failure(what: "connect: \(errno)")
        }
    }

    deinit { close(fd) }

    func send(_ bytes: [UInt8]) {
        _ = bytes.withUnsafeBytes {
            Glibc.send(fd, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
    }

    /// Waits for the other side to close; false if it does not within the socket's time.
    func waitForEnd() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = recv(fd, &buffer, buffer.count, 0)
            if count == 0 { return true }
            if count < 0 { return errno == ECONNRESET }
        }
    }

    /// Whether the other side has closed by now.
    var hasEnded: Bool {
        var byte: UInt8 = 0
        let count = recv(fd, &byte, 1, Int32(MSG_DONTWAIT) | Int32(MSG_PEEK))
        return count == 0 || (count < 0 && errno == ECONNRESET)
    }

    /// Completes the TLS handshake as `identity`; whatever bytes follow are the test's own.
    func handshake(as identity: DeviceIdentity) throws -> TLSSession {
        let session = try TLSSession(context: TLSContext(identity: identity), side: .client)
        while try !session.handshake() {
            flush(session)
            let count = session.receive { max(0, recv(fd, $0.baseAddress, $0.count, 0)) }
            guard count > 0 else { throw Failure(what: "hung up") }
        }
        flush(session)
        return session
    }

    func flush(_ session: TLSSession) {
        while session.hasOutput {
            let count = session.transmit {
                max(0, Glibc.send(fd, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)))
            }
            if count == 0 { return }
        }
    }

    /// Sends `bytes` as TLS plaintext.
    func send(_ bytes: [UInt8], over session: TLSSession) throws {
        _ = try bytes.withUnsafeBytes { try session.write($0) }
        flush(session)
    }
}
