internal import Dispatch
internal import Glibc
package import ShareCrypto

/// TLS connections between devices, over TCP: dials, listens, and runs them all on one thread.
package final class Transport: Sendable {
    private let loop: EventLoop
    private let table: LinkTable
    private let resolver: Resolver

    /// A transport that shows `identity` to everyone.
    ///
    /// - Throws: `closed` with what TLS said, or `system`.
    package convenience init(
        identity: DeviceIdentity, limits: TransportLimits = TransportLimits()
    ) throws(TransportError) {
        let context: TLSContext
        do throws(TLSError) {
            context = try TLSContext(identity: identity)
        } catch {
            throw .closed(.tls(error.description))
        }
        try self.init(context: context, limits: limits)
    }

    init(context: TLSContext, limits: TransportLimits) throws(TransportError) {
        loop = try EventLoop()
        table = LinkTable(loop: loop, context: context, limits: limits)
        resolver = Resolver(loop: loop, maximum: limits.lookups)
    }

    /// Listens on `endpoint`: port 0 for any free one, host `::` or `*` for all addresses of
    /// both families.
    ///
    /// - Throws: `addressInUse`, `badAddress`, `system`.
    package func listen(on endpoint: Endpoint) async throws(TransportError) -> Listener {
        let isAny = endpoint.host == "*" || endpoint.host == "::"
        let host = isAny ? "::" : endpoint.host
        let addresses = try await resolver.addresses(
            of: Endpoint(host: host, port: endpoint.port), within: Transport.lookUpTime)
        let fd: Int32
        do {
            fd = try Transport.bind(addresses[0], endpoint)
        } catch {
            // A machine without IPv6 has no `::`.
            guard isAny, case .system = error else { throw error }
            let plain = Endpoint(host: "0.0.0.0", port: endpoint.port)
            fd = try Transport.bind(SocketAddress.lookUp(plain, numericOnly: true)[0], endpoint)
        }
        let bound = SocketAddress { getsockname(fd, $0, $1) }?.endpoint ?? endpoint
        let listener = Listener(endpoint: bound, table: table)
        let table = table
        guard loop.execute({ table.listen(listener, fd) }) else {
            close(fd)
            throw .stopped
        }
        return listener
    }

    /// Connects to the device at `endpoint` and completes the handshake, all before `deadline`
    /// has passed; a name's addresses are tried one after the other.
    ///
    /// - Throws: `unreachable` with the reason of the last address, `badAddress`, `timedOut`,
    ///   `busy`, `cancelled`.
    package func dial(
        _ endpoint: Endpoint, deadline: Duration = .seconds(10)
    ) async throws(TransportError) -> Connection {
        let end = ContinuousClock.now + deadline
        let addresses = try await resolver.addresses(of: endpoint, within: deadline)
        var failure = TransportError.timedOut
        for (index, address) in addresses.enumerated() {
            let left = ContinuousClock.now.duration(to: end)
            guard left > .zero else { throw .timedOut }
            do {
                return try await dial(address, within: left / (addresses.count - index))
            } catch {
                failure = error
                if error == .cancelled || error == .stopped { break }
            }
        }
        throw failure
    }

    private func dial(
        _ address: SocketAddress, within time: Duration
    ) async throws(TransportError) -> Connection {
        let result = LinkTable.DialResult()
        let (loop, table) = (loop, table)
        guard loop.execute({ table.dial(address, within: time, result) }) else { throw .stopped }
        return try await withTaskCancellationHandler {
            await result.value()
        } onCancel: {
            result.give(.failure(.cancelled))
            loop.execute { table.abandon(result) }
        }.get()
    }

    /// Closes everything and returns when the last socket is closed, which takes at most
    /// `TransportLimits.linger`. Nothing works afterwards.
    package func stop() async {
        let done = OneShot<Void>()
        let table = table
        guard loop.execute({ table.stop(done) }) else { return }
        await done.value()
    }

    private static let lookUpTime = Duration.seconds(5)
    private static let backlog: Int32 = 128

    private static func bind(
        _ address: SocketAddress, _ endpoint: Endpoint
    ) throws(TransportError) -> Int32 {
        let fd = try SocketOptions.stream(address.family)
        // A port that a crashed process left in TIME_WAIT is free; one that is listened on is not.
        SocketOptions.set(fd, SOL_SOCKET, SO_REUSEADDR, 1)
        if address.family == AF_INET6 {
            SocketOptions.set(fd, Int32(IPPROTO_IPV6), IPV6_V6ONLY, 0)
        }
        for step in [
            { Int(address.withPointer { Glibc.bind(fd, $0, $1) }) },
            { Int(Glibc.listen(fd, backlog)) },
        ] {
            guard case .failed(let number) = SystemCall.run(step) else { continue }
            close(fd)
            if number == EADDRINUSE { throw .addressInUse(endpoint.text) }
            throw .system("listening on \(endpoint): \(SystemCall.words(number))")
        }
        return fd
    }
}
