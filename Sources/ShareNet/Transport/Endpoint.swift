internal import CEpoll
internal import Dispatch
internal import Glibc
internal import ShareCore
internal import Synchronization

/// Where a device can be dialled: a host, numeric or by name, and a port.
package struct Endpoint: Hashable, Sendable, CustomStringConvertible {
    /// A name, an IPv4 address, or an IPv6 address without brackets, with `%scope` if it has one.
    package let host: String
    package let port: UInt16

    package init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Reads `HOST:PORT`, an IPv6 address in brackets; nil if it is not that.
    package init?(text: String) {
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let digits = text[text.index(after: colon)...]
        guard !digits.isEmpty, digits.allSatisfy({ $0.isASCII && $0.isNumber }),
            let port = UInt16(digits)
        else { return nil }
        var host = text[..<colon]
        if host.hasPrefix("[") {
            guard host.hasSuffix("]") else { return nil }
            host = host.dropFirst().dropLast()
            guard host.contains(":") else { return nil }
        } else if host.contains(":") {
            return nil
        }
        guard !host.isEmpty, host.utf8.count <= Endpoint.maximumHost,
            !host.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F || $0 == 0x5B || $0 == 0x5D })
        else { return nil }
        self.init(host: String(host), port: port)
    }

    /// The longest name that DNS knows, and room for a scope.
    private static let maximumHost = 253 + 16

    /// `host:port`, an IPv6 address in brackets.
    package var text: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
    package var description: String { text }
}

/// An address as the kernel takes it, IPv4 or IPv6.
struct SocketAddress: Sendable {
    private var storage: sockaddr_storage
    private var length: socklen_t

    var family: Int32 { Int32(storage.ss_family) }

    /// The address that `getsockname`, `getpeername` or `accept` puts into the buffer lent to it.
    init?(_ call: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32) {
        storage = sockaddr_storage()
        length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutablePointer(to: &storage) { storage in
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { call($0, &length) }
        }
        guard result >= 0 else { return nil }
    }

    /// A copy of an address of `count` bytes.
    private init?(_ address: UnsafePointer<sockaddr>, _ count: socklen_t) {
        storage = sockaddr_storage()
        length = count
        guard Int(count) <= MemoryLayout<sockaddr_storage>.size else { return nil }
        withUnsafeMutableBytes(of: &storage) {
            $0.copyMemory(from: UnsafeRawBufferPointer(start: address, count: Int(count)))
        }
    }

    func withPointer<R>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R {
        withUnsafePointer(to: storage) { storage in
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
    }

    /// The addresses of `endpoint`, at least one. With `numericOnly` it asks nobody and returns
    /// at once; otherwise it may block for as long as the system's resolver does.
    static func lookUp(
        _ endpoint: Endpoint, numericOnly: Bool
    ) throws(TransportError) -> [SocketAddress] {
        var hints = addrinfo()
        hints.ai_socktype = shim_stream()
        hints.ai_flags = numericOnly ? AI_NUMERICHOST | AI_NUMERICSERV : AI_NUMERICSERV
        var list: UnsafeMutablePointer<addrinfo>?
        let result = getaddrinfo(endpoint.host, String(endpoint.port), &hints, &list)
        guard result == 0 else {
            throw .badAddress("\(endpoint.host): \(String(cString: gai_strerror(result)))")
        }
        defer { freeaddrinfo(list) }
        var addresses: [SocketAddress] = []
        var next = list
        while let entry = next, addresses.count < maximumAddresses {
            if let address = entry.pointee.ai_addr,
                let copy = SocketAddress(address, entry.pointee.ai_addrlen)
            {
                addresses.append(copy)
            }
            next = entry.pointee.ai_next
        }
        guard !addresses.isEmpty else { throw .badAddress("\(endpoint.host): no address") }
        return addresses
    }

    /// How many addresses of one name are tried.
    private static let maximumAddresses = 8

    /// Host and port in numbers; an IPv4 address that came in over IPv6 as plain IPv4.
    var endpoint: Endpoint {
        var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        var port = [CChar](repeating: 0, count: Int(NI_MAXSERV))
        let result = withPointer { address, length in
            getnameinfo(
                address, length, &host, socklen_t(host.count), &port, socklen_t(port.count),
                NI_NUMERICHOST | NI_NUMERICSERV)
        }
        guard result == 0 else { return Endpoint(host: "unknown", port: 0) }
        var text = SocketAddress.text(host)
        if text.hasPrefix("::ffff:"), text.contains(".") { text.removeFirst("::ffff:".count) }
        return Endpoint(host: text, port: UInt16(SocketAddress.text(port)) ?? 0)
    }

    private static func text(_ characters: [CChar]) -> String {
        let bytes = characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The network that it counts to: the first 64 bits of an IPv6 address; an IPv4 address is one
    /// of its own, also where it came in over IPv6.
    var network: String {
        guard family == AF_INET6 else { return endpoint.host }
        let bytes = withUnsafeBytes(of: storage) { storage in
            storage.withMemoryRebound(to: sockaddr_in6.self) { addresses in
                addresses.first.map { address in
                    withUnsafeBytes(of: address.sin6_addr) { Array($0) }
                } ?? []
            }
        }
        let isMapped = bytes.prefix(12).elementsEqual(
            [UInt8](repeating: 0, count: 10) + [255, 255])
        guard bytes.count == 16, !isMapped else { return endpoint.host }
        return Hex.encode(bytes.prefix(8)) + "/64"
    }

    /// Whether it is of this machine itself.
    var isLoopback: Bool {
        let host = endpoint.host
        return host == "::1" || host.hasPrefix("127.")
    }
}

/// Finds the addresses of names without holding up the loop: the system's resolver blocks.
final class Resolver: Sendable {
    private let queue = DispatchQueue(label: "transport.names", attributes: .concurrent)
    private let running = Mutex(0)
    private let loop: EventLoop
    private let maximum: Int

    init(loop: EventLoop, maximum: Int) {
        self.loop = loop
        self.maximum = maximum
    }

    /// The addresses of `endpoint`, at least one; at once if it is numeric.
    func addresses(
        of endpoint: Endpoint, within time: Duration
    ) async throws(TransportError) -> [SocketAddress] {
        if let numeric = try? SocketAddress.lookUp(endpoint, numericOnly: true) { return numeric }
        let hasPlace = running.withLock { running in
            guard running < maximum else { return false }
            running += 1
            return true
        }
        guard hasPlace else { throw .busy }
        let answer = OneShot<Result<[SocketAddress], TransportError>>()
        queue.async { [self] in
            do throws(TransportError) {
                let found = try SocketAddress.lookUp(endpoint, numericOnly: false)
                answer.give(.success(found))
            } catch {
                answer.give(.failure(error))
            }
            // A look-up that nobody waits for any more keeps its place until it ends.
            running.withLock { $0 -= 1 }
        }
        let loop = loop
        let isRunning = loop.execute {
            _ = loop.schedule(after: time) { answer.give(.failure(.timedOut)) }
        }
        guard isRunning else { throw .stopped }
        return try await withTaskCancellationHandler {
            await answer.value()
        } onCancel: {
            answer.give(.failure(.cancelled))
        }.get()
    }
}
