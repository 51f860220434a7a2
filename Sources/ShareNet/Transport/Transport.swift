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
        identity: DeviceIdentity, limits: TransportLimits = TransportLimits(),
        alarm: DescriptorAlarm = DescriptorAlarm {}
    ) throws(TransportError) {
        let context: TLSContext
        do throws(TLSError) {
            context = try TLSContext(identity: identity)
        } catch {
            throw .closed(.tls(error.description))
        }
        try self.init(context: context, limits: limits, alarm: alarm)
    }

    init(
        context: TLSContext, limits: TransportLimits,
        alarm: DescriptorAlarm = DescriptorAlarm {}
    ) throws(TransportError) {
        loop = try EventLoop()
        table = LinkTable(loop: loop, context: context, limits: limits, alarm: alarm)
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

/// The bounds and deadlines of a transport (docs/protocol.md, "Limits").
package struct TransportLimits: Sendable {
    /// How long a peer may take from TCP to the end of the TLS handshake.
    package var handshake: Duration = .seconds(10)
    /// How many accepted connections may at one time be unproven: in the handshake, or past it
    /// and not yet admitted by the session above. One more closes the oldest of the address that
    /// has most of them.
    package var unproven = 64
    /// The same for one remote address. Loopback addresses are exempt: whoever is on the machine
    /// is not held off by this, and labs put hundreds of devices there.
    package var unprovenPerAddress = 8
    /// The same for one network: the first 64 bits of an IPv6 address, as one machine may have any
    /// number of addresses with these; an IPv4 address is a network of its own.
    package var unprovenPerNetwork = 32
    /// How many accepted connections there may be at one time, of any kind.
    package var connections = 512
    /// The descriptors that connections may have: none from this number on.
    package var descriptors = Descriptors().peers
    /// How many bytes of frames wait to be sent before `send` makes its caller wait.
    package var outgoing = 4 << 20
    /// The same until the connection is admitted.
    package var outgoingUnproven = 64 << 10
    /// How many bytes of received frames wait for the consumer before nothing more is read.
    package var incoming = 4 << 20
    /// The same until the connection is admitted.
    package var incomingUnproven = 64 << 10
    /// How long a peer may take nothing of what waits for it.
    package var stall: Duration = .seconds(60)
    /// How long a peer's machine may leave segments or probes unanswered.
    package var silence: Duration = .seconds(20)
    /// How long a connection is silent before the kernel probes it.
    package var probeAfter: Duration = .seconds(8)
    /// How long a connection that was closed here may take to send what was accepted before.
    package var linger: Duration = .seconds(2)
    /// How many names may be looked up at one time.
    package var lookups = 8

    package init() {}

    /// The cost of a frame in a queue beside its body: an empty one is not free.
    static let frameCost = 64
}
