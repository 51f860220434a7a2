import CEpoll
import Glibc
import ShareCrypto
import Synchronization
import Testing

@testable import ShareNet

/// A listener in a process that has no descriptor left.
@Suite(.serialized, .timeLimit(.minutes(1))) struct ListenerPauseTests {
    @Test func `it goes on after a pause, however often the system will not watch it again`()
        async throws
    {
        // The first wait takes a descriptor for good, without which Dispatch ends the process.
        try await Task.sleep(for: .milliseconds(1))
        let alarms = Atomic<Int>(0)
        let loop = try EventLoop()
        let table = LinkTable(
            loop: loop, context: try TLSContext(identity: .generate()), limits: TransportLimits(),
            alarm: DescriptorAlarm { alarms.add(1, ordering: .relaxed) })
        let address = try SocketAddress.lookUp(
            Endpoint(host: "127.0.0.1", port: 0), numericOnly: true)[0]
        let fd = try SocketOptions.stream(address.family)
        #expect(address.withPointer { bind(fd, $0, $1) } == 0 && listen(fd, 8) == 0)
        let endpoint = try #require(SocketAddress { getsockname(fd, $0, $1) }?.endpoint)
        let listener = Listener(endpoint: endpoint, table: table)
        let (kept, unwatchable) = (dup(fd), open("/dev/null", O_RDONLY))
        let raw = try await withNoDescriptorLeft {
            loop.execute { table.listen(listener, fd) }
            let raw = try TransportRawPeer(to: endpoint)
            try await eventually { alarms.load(ordering: .relaxed) > 0 }
            return raw
        }
        // The number is another file's for a while, which cannot be watched; on the loop, as the
        // pause has begun there then.
        loop.execute { dup2(unwatchable, fd) }
        try await Task.sleep(for: .milliseconds(700))
        loop.execute { dup2(kept, fd) }
        _ = try raw.handshake(as: .generate())
        #expect(await listener.next() != nil)
        listener.close()
        let done = OneShot<Void>()
        loop.execute { table.stop(done) }
        await done.value()
        for descriptor in [kept, unwatchable] { close(descriptor) }
    }

    /// Runs `body` while the one descriptor that it takes is the last one that the process may have.
    private func withNoDescriptorLeft<R>(_ body: () async throws -> R) async throws -> R {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var before = rlimit()
        getrlimit(resource, &before)
        let next = open("/dev/null", O_RDONLY)
        close(next)
        var now = before
        now.rlim_cur = rlim_t(next) + 1
        setrlimit(resource, &now)
        defer { setrlimit(resource, &before) }
        return try await body()
    }
}
