import Foundation
import Glibc
import Synchronization

/// Stands between two devices on loopback and cuts their connection, for good or once, after a
/// number of TLS records, counted in both directions as they pass.
///
/// A message of the protocol is one record, so a cut after each record is a cut after each
/// message, and at a few places more.
package final class CuttingProxy: Sendable {
    /// The port that it listens on.
    package let port: UInt16
    private let listening: Int32
    private let target: UInt16
    private let limit: Int
    private let isForGood: Bool
    private let state = Mutex(State())

    private struct State {
        var records = 0
        var isCut = false
        var open: Set<Int32> = []
    }

    package struct Failure: Error { package let what: String }

    /// - Parameters:
    ///   - target: the port on loopback that it leads to.
    ///   - limit: how many records pass; `.max` for no cut.
    ///   - isForGood: whether nothing passes after the cut; otherwise later connections go on.
    package init(to target: UInt16, cutAfter limit: Int, forGood isForGood: Bool = true) throws {
        self.target = target
        self.limit = limit
        self.isForGood = isForGood
        let listening = socket(
            AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        self.listening = listening
        guard listening >= 0, Self.with(port: 0, { bind(listening, $0, $1) }) == 0,
            listen(listening, 16) == 0
        else { throw Failure(what: "no port") }
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(listening, $0, &length)
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        Thread { self.accept() }.start()
    }

    deinit { close(listening) }

    /// Whether the cut has come.
    package var isCut: Bool { state.withLock(\.isCut) }

    /// Ends everything, as a cut for good does; where that came once already, this is the end.
    /// Until then it listens.
    package func cut() {
        let (open, wasCut) = state.withLock { state in
            defer { (state.open, state.isCut) = ([], true) }
            return (state.open, state.isCut)
        }
        for descriptor in open { shutdown(descriptor, Int32(SHUT_RDWR)) }
        if isForGood || wasCut { shutdown(listening, Int32(SHUT_RDWR)) }
    }

    private func accept() {
        while true {
            let client = Glibc.accept(listening, nil, nil)
            guard client >= 0, !(isCut && isForGood) else { return }
            let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            guard Self.with(port: target, { connect(server, $0, $1) }) == 0 else {
                close(client)
                close(server)
                continue
            }
            state.withLock { $0.open.formUnion([client, server]) }
            let ends = Ends(client, server)
            Thread { self.forward(from: client, to: server, ends) }.start()
            Thread { self.forward(from: server, to: client, ends) }.start()
        }
    }

    /// Closes both sockets when both directions have ended.
    private final class Ends: Sendable {
        private let sockets: (Int32, Int32)
        init(_ a: Int32, _ b: Int32) { sockets = (a, b) }
        deinit {
            close(sockets.0)
            close(sockets.1)
        }
    }

    /// Passes on whole records, one after the other.
    private func forward(from source: Int32, to sink: Int32, _ ends: Ends) {
        var buffer: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 15)
        while true {
            let count = recv(source, &piece, piece.count, 0)
            guard count > 0 else { break }
            buffer += piece[..<count]
            while buffer.count >= 5 {
                let length = 5 + Int(buffer[3]) << 8 + Int(buffer[4])
                guard buffer.count >= length else { break }
                guard pass(Array(buffer[..<length]), to: sink) else { return }
                buffer.removeFirst(length)
            }
        }
        state.withLock { $0.open.subtract([source, sink]) }
        shutdown(source, Int32(SHUT_RDWR))
        shutdown(sink, Int32(SHUT_RDWR))
    }

    /// False when it was the last that passes.
    private func pass(_ record: [UInt8], to sink: Int32) -> Bool {
        let mayPass = state.withLock { state in
            if state.isCut, !isForGood { return true }
            guard !state.isCut, state.records < limit else { return false }
            state.records += 1
            return true
        }
        guard mayPass else {
            cut()
            return false
        }
        var rest = record[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                send(sink, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        if state.withLock({ $0.records >= limit && !$0.isCut }) { cut() }
        return true
    }

    private static func with(
        port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
