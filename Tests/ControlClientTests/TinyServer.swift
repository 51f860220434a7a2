import Foundation
import Glibc
import Synchronization
import Testing

/// A small HTTP server on a Unix socket that answers as a test says, byte by byte.
final class TinyServer: Sendable {
    struct Request: Sendable {
        var head: String
        var body: [UInt8]

        var line: String { String(head.prefix { $0 != "\r\n" }) }
    }

    struct Connection: Sendable {
        fileprivate let descriptor: Int32

        func write(_ text: String) { write(Array(text.utf8)) }

        func write(_ bytes: [UInt8]) {
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes {
                    send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { return }
                rest = rest.dropFirst(count)
            }
        }

        /// An answer of known length.
        func answer(_ status: String, _ type: String, _ body: String, headers: String = "") {
            write(
                "HTTP/1.1 \(status)\r\nContent-Type: \(type)\r\nShared-Version: 0.1.0\r\n"
                    + "\(headers)Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
        }

        /// Whether the other side has gone, within that many milliseconds.
        func isClosed(within milliseconds: Int32) -> Bool {
            var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard Glibc.poll(&poll, 1, milliseconds) == 1 else { return false }
            var byte: UInt8 = 0
            return recv(descriptor, &byte, 1, 0) <= 0
        }
    }

    let path: String
    private let listener: Int32
    private let log = Mutex<[Request]>([])

    /// Listens on a new path; `serve` answers each request and says whether to keep the connection.
    init(_ serve: @escaping @Sendable (Request, Connection) -> Bool) throws {
        path = "/tmp/shared-test-\(getpid())-\(UInt32.random(in: 0...UInt32.max)).sock"
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        try #require(Self.bind(listener, path) == 0)
        try #require(listen(listener, 8) == 0)
        let thread = Thread { [listener] in
            while true {
                let descriptor = accept(listener, nil, nil)
                // Closed here and not in `stop`, where another test might get its number first.
                guard descriptor >= 0 else { return _ = close(listener) }
                Thread {
                    while let request = Self.read(descriptor) {
                        self.log.withLock { $0.append(request) }
                        guard serve(request, Connection(descriptor: descriptor)) else { break }
                    }
                    close(descriptor)
                }.start()
            }
        }
        thread.start()
    }

    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        unlink(path)
    }

    /// What was asked so far.
    var requests: [Request] { log.withLock { $0 } }

    static func bind(_ descriptor: Int32, _ path: String) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    private static func read(_ descriptor: Int32) -> Request? {
        var bytes: [UInt8] = []
        func more() -> Bool {
            var chunk = [UInt8](repeating: 0, count: 64 << 10)
            let count = recv(descriptor, &chunk, chunk.count, 0)
            guard count > 0 else { return false }
            bytes += chunk[..<count]
            return true
        }
        while bytes.firstRange(of: Array("\r\n\r\n".utf8)) == nil {
            guard more() else { return nil }
        }
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
        bytes.removeSubrange(..<end.upperBound)
        if head.lowercased().contains("transfer-encoding: chunked") {
            var body: [UInt8] = []
            while true {
                while bytes.firstRange(of: [13, 10]) == nil { guard more() else { return nil } }
                guard let line = bytes.firstRange(of: [13, 10]) else { return nil }
                let size = String(decoding: bytes[..<line.lowerBound], as: UTF8.self)
                guard let count = Int(size, radix: 16) else { return nil }
                bytes.removeSubrange(..<line.upperBound)
                while bytes.count < count + 2 { guard more() else { return nil } }
                body += bytes[..<count]
                bytes.removeFirst(count + 2)
                if count == 0 { return Request(head: head, body: body) }
            }
        }
        let length = head.lowercased().split(separator: "\r\n")
            .first { $0.hasPrefix("content-length: ") }
            .flatMap { Int($0.dropFirst(16)) }
        while bytes.count < length ?? 0 { guard more() else { return nil } }
        return Request(head: head, body: bytes)
    }
}
