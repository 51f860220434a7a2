internal import CEpoll
internal import Glibc
internal import ShareCrypto

/// All sockets of a transport.
// Touched on the loop's thread only, but what is set at init and never changes.
final class LinkTable: @unchecked Sendable {
    typealias DialResult = OneShot<Result<Connection, TransportError>>

    let loop: EventLoop
    let context: TLSContext
    let limits: TransportLimits
    let alarm: DescriptorAlarm

    private var links: [ObjectIdentifier: Link] = [:]
    private var dials: [ObjectIdentifier: Link] = [:]
    private var listeners: [ObjectIdentifier: ListenSocket] = [:]
    private var unproven: UnprovenTable<ObjectIdentifier>
    private var acceptedCount = 0
    private var stopped: OneShot<Void>?

    init(
        loop: EventLoop, context: TLSContext, limits: TransportLimits, alarm: DescriptorAlarm
    ) {
        self.alarm = alarm
        self.loop = loop
        self.context = context
        self.limits = limits
        unproven = UnprovenTable(
            total: limits.unproven, perAddress: limits.unprovenPerAddress,
            perNetwork: limits.unprovenPerNetwork)
    }

    // MARK: Dialling

    /// Connects to `address` and gives the outcome to `result`.
    func dial(_ address: SocketAddress, within time: Duration, _ result: DialResult) {
        do throws(TransportError) {
            guard stopped == nil else { throw .stopped }
            let fd = try SocketOptions.stream(address.family)
            guard fd < limits.descriptors else {
                close(fd)
                alarm.sound()
                throw .system("making a socket: too many open files")
            }
            SocketOptions.prepare(fd, limits)
            let outcome = SystemCall.run { Int(address.withPointer { connect(fd, $0, $1) }) }
            if case .failed(let number) = outcome, number != EINPROGRESS {
                close(fd)
                throw .unreachable("\(address.endpoint): \(SystemCall.words(number))")
            }
            let link = try Link(
                fd: fd, side: .client, isConnecting: true, remote: address,
                context: context, loop: loop, limits: limits)
            keep(link)
            let id = ObjectIdentifier(result)
            dials[id] = link
            link.onOpen = { [self] connection in
                dials[id] = nil
                if !result.give(.success(connection)) { connection.close("nobody waits for it") }
            }
            link.onEnd = { [self] reason in
                dials[id] = nil
                drop(link)
                result.give(.failure(LinkTable.error(address, reason, link.isConnected)))
            }
            link.start(within: time)
        } catch {
            result.give(.failure(error))
        }
    }

    /// Gives up a dial that nobody waits for any more.
    func abandon(_ result: DialResult) {
        dials[ObjectIdentifier(result)]?.terminate(.local("the dial was cancelled"))
    }

    private static func error(
        _ address: SocketAddress, _ reason: CloseReason, _ isConnected: Bool
    ) -> TransportError {
        let text = "\(address.endpoint): \(reason)"
        switch reason {
        case .peer, .lost: return isConnected ? .turnedAway(text) : .unreachable(text)
        default: return .unreachable(text)
        }
    }

    // MARK: Listening

    func listen(_ listener: Listener, _ fd: Int32) {
        let socket = ListenSocket(fd: fd, listener: listener, table: self)
        guard stopped == nil, socket.start() else {
            socket.stop()
            return
        }
        listeners[ObjectIdentifier(listener)] = socket
    }

    func stopListening(_ listener: Listener) {
        listeners.removeValue(forKey: ObjectIdentifier(listener))?.stop()
    }

    /// Takes over the socket of a peer that dialled.
    func accept(_ fd: Int32, from address: SocketAddress, for listener: Listener) {
        guard stopped == nil, acceptedCount < limits.connections else {
            close(fd)
            return
        }
        guard fd < limits.descriptors else {
            close(fd)
            alarm.sound()
            return
        }
        SocketOptions.prepare(fd, limits)
        guard
            let link = try? Link(
                fd: fd, side: .server, isConnecting: false, remote: address,
                context: context, loop: loop, limits: limits)
        else { return }
        keep(link)
        acceptedCount += 1
        let id = ObjectIdentifier(link)
        let evicted = unproven.insert(
            id, from: address.endpoint.host, in: address.network, isExempt: address.isLoopback)
        link.onOpen = { connection in listener.offer(connection) }
        link.onAdmit = { [self] in unproven.remove(id) }
        link.onEnd = { [self] _ in
            acceptedCount -= 1
            unproven.remove(id)
            drop(link)
        }
        if let evicted { links[evicted]?.terminate(.crowdedOut) }
        link.start(within: limits.handshake)
    }

    // MARK: Ending

    private func keep(_ link: Link) { links[ObjectIdentifier(link)] = link }

    private func drop(_ link: Link) {
        links[ObjectIdentifier(link)] = nil
        finishIfEmpty()
    }

    /// Closes everything, and gives `done` when the last socket is closed.
    func stop(_ done: OneShot<Void>) {
        guard stopped == nil else {
            done.give(())
            return
        }
        stopped = done
        for socket in listeners.values { socket.stop() }
        listeners = [:]
        for link in links.values {
            let reason = CloseReason.local("the transport was stopped")
            link.connection?.finish(reason)
            link.drain(reason)
        }
        finishIfEmpty()
    }

    private func finishIfEmpty() {
        guard let stopped, links.isEmpty else { return }
        loop.finish()
        stopped.give(())
    }
}
