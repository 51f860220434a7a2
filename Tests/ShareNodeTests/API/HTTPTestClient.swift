import Dispatch
import Glibc

/// A client that sends exactly the bytes it is told to: also those that no good client sends.
///
/// Its calls wait, with a deadline, on threads of their own.
final class HTTPTestClient: Sendable {
    let descriptor: Int32

    struct Failure: Error {
        let call: String
        let code: Int32
    }

    init(_ path: String, seconds: Int = 60) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | 0o2000000, 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        var limit = timeval(tv_sec: seconds, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else {
            let code = errno
            Glibc.close(descriptor)
            throw Failure(call: "connect", code: code)
        }
    }

    deinit { Glibc.close(descriptor) }

    /// Ends both directions at once, as a killed process does.
    func leave() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    func send(_ text: String) async throws { try await send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) async throws {
        try await HTTPTestClient.elsewhere { try self.sendNow(bytes) }
    }

    /// The next bytes; empty at the end.
    func receive(_ most: Int = 1 << 16) async throws -> [UInt8] {
        try await HTTPTestClient.elsewhere { try self.receiveNow(most) }
    }

    /// Everything up to the end of the connection.
    func receiveAll() async throws -> String {
        var all: [UInt8] = []
        while true {
            let bytes = try await receive()
            if bytes.isEmpty { return String(decoding: all, as: UTF8.self) }
            all += bytes
        }
    }

    /// Everything up to and with `text`.
    func receive(until text: String) async throws -> String {
        var all: [UInt8] = []
        while true {
            let bytes = try await receive()
            guard !bytes.isEmpty else { throw Failure(call: "recv", code: 0) }
            all += bytes
            let soFar = String(decoding: all, as: UTF8.self)
            if soFar.utf8.count >= text.utf8.count, soFar.contains(text) { return soFar }
        }
    }

    /// One request with its whole answer.
    static func ask(
        _ path: String, _ line: String, headers: [String] = [], body: String = ""
    ) async throws -> String {
        let client = try HTTPTestClient(path)
        var lines = ["\(line) HTTP/1.1", "Host: localhost", "Connection: close"] + headers
        if !body.isEmpty { lines.append("Content-Length: \(body.utf8.count)") }
        do {
            try await client.send(lines.joined(separator: "\r\n") + "\r\n\r\n" + body)
        } catch let failure as Failure where failure.code == EPIPE {
            // Who is refused as soon as it connects is answered before it has asked.
        }
        return try await client.receiveAll()
    }

    func sendNow(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Failure(call: "send", code: errno) }
            rest = rest.dropFirst(count)
        }
    }

    private func receiveNow(_ most: Int) throws -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: most)
        let count = recv(descriptor, &buffer, most, 0)
        guard count >= 0 else { throw Failure(call: "recv", code: errno) }
        return Array(buffer.prefix(count))
    }

    /// The shared pool has as many threads as the machine has cores: a test that waited on one
    /// would keep the server's handlers from running.
    private static func elsewhere<R: Sendable>(
        _ body: @escaping @Sendable () throws -> R
    ) async throws -> R {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result(catching: body)) }
        }
    }

    private static let queue = DispatchQueue(label: "clients", attributes: .concurrent)
}
