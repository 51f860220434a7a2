import Dispatch
import Glibc
import ShareCrypto
import Testing

@testable import ShareNet

@Suite(.timeLimit(.minutes(1)))
struct TransportHostileTests {
    private func server(_ limits: TransportLimits = TransportLimits()) async throws -> (
        Transport, Listener
    ) {
        let transport = try Transport(identity: DeviceIdentity.generate(), limits: limits)
        return (transport, try await transport.listen(on: Endpoint(host: "127.0.0.1", port: 0)))
    }

    /// Checks that an honest device connects and is heard.
    private func expectService(_ listener: Listener) async throws {
        let identity = DeviceIdentity.generate()
        let client = try Transport(identity: identity)
        let near = try await client.dial(listener.endpoint)
        let far = try #require(await listener.next())
        #expect(far.peerKey == identity.key)
        try await near.send([1, 2, 3])
        #expect(try await far.nextFrame() == [1, 2, 3])
        await client.stop()
    }

    struct Garbage: CustomTestStringConvertible {
        let testDescription: String
        let bytes: [UInt8]
    }

    @Test(arguments: [
        Garbage(testDescription: "HTTP", bytes: Array("GET / HTTP/1.1\r\nHost: here\r\n\r\n".utf8)),
        Garbage(testDescription: "zeroes", bytes: [UInt8](repeating: 0, count: 10_000)),
        Garbage(testDescription: "ones", bytes: [UInt8](repeating: 0xFF, count: 10_000)),
        Garbage(testDescription: "a record too long", bytes: [0x16, 0x03, 0x01, 0xFF, 0xFF, 0x01]),
    ])
    func `garbage on the port ends that connection only`(garbage: Garbage) async throws {
        var limits = TransportLimits()
        limits.handshake = .seconds(5)
        let (transport, listener) = try await server(limits)
        let peer = try TransportRawPeer(to: listener.endpoint)
        peer.send(garbage.bytes)
        #expect(peer.waitForEnd())
        try await expectService(listener)
        await transport.stop()
    }

    @Test func `a stalled handshake delays nobody, and ends at its deadline`() async throws {
        var limits = TransportLimits()
        limits.handshake = .seconds(8)
        let (transport, listener) = try await server(limits)
        let stalled = try (0..<5).map { _ in try TransportRawPeer(to: listener.endpoint) }
        stalled[0].send([0x16, 0x03, 0x01])
        try await expectService(listener)
        #expect(stalled.allSatisfy { !$0.hasEnded })
        for peer in stalled { #expect(peer.waitForEnd()) }
        await transport.stop()
    }

    @Test func `200 slow connections are bounded, and honest devices still get in`() async throws {
        let (transport, listener) = try await server()
        let slow = try (0..<200).map { _ in
            let peer = try TransportRawPeer(to: listener.endpoint)
            peer.send([0x16])
            return peer
        }
        try await expectService(listener)
        let limit = TransportLimits().unproven
        try await eventually { slow.filter { !$0.hasEnded }.count <= limit }
        try await expectService(listener)
        await transport.stop()
    }

    @Test func `half a frame and then the end is not a clean close`() async throws {
        let (transport, listener) = try await server()
        do {
            let peer = try TransportRawPeer(to: listener.endpoint)
            let session = try peer.handshake(as: DeviceIdentity.generate())
            try peer.send([0, 0, 0, 2, 7, 7, 0, 0, 0, 100, 1, 2, 3], over: session)
        }
        let far = try #require(await listener.next())
        #expect(try await far.nextFrame() == [7, 7])
        await #expect(throws: TransportError.closed(.lost("cut off within a frame"))) {
            try await far.nextFrame()
        }
        try await expectService(listener)
        await transport.stop()
    }

    @Test func `4 GiB announced ends the connection at once`() async throws {
        let (transport, listener) = try await server()
        let peer = try TransportRawPeer(to: listener.endpoint)
        let session = try peer.handshake(as: DeviceIdentity.generate())
        let far = try #require(await listener.next())
        far.admit()
        try peer.send([0xFF, 0xFF, 0xFF, 0xFF], over: session)
        let reason = CloseReason.frameTooLong(announced: 0xFFFF_FFFF, limit: FrameLimit.member)
        await #expect(throws: TransportError.closed(reason)) { try await far.nextFrame() }
        #expect(peer.waitForEnd())
        try await expectService(listener)
        await transport.stop()
    }

    @Test func `a length above the limit in one flight with a first frame ends it at once`()
        async throws
    {
        let (transport, listener) = try await server()
        let peer = try TransportRawPeer(to: listener.endpoint)
        let session = try peer.handshake(as: DeviceIdentity.generate())
        let far = try #require(await listener.next())
        // The four bytes and no more: nothing that comes later makes the receiver look again.
        try peer.send([0, 0, 0, 1, 7, 0, 0, 0x10, 0x01], over: session)
        #expect(try await far.nextFrame() == [7])
        let reason = CloseReason.frameTooLong(announced: 4_097, limit: FrameLimit.stranger)
        await #expect(throws: TransportError.closed(reason)) { try await far.nextFrame() }
        #expect(peer.waitForEnd())
        await transport.stop()
    }

    @Test func `a damaged record ends the connection with the library's reason`() async throws {
        let (transport, listener) = try await server()
        let peer = try TransportRawPeer(to: listener.endpoint)
        _ = try peer.handshake(as: DeviceIdentity.generate())
        let far = try #require(await listener.next())
        peer.send([0x17, 3, 3, 0, 32] + [UInt8](repeating: 1, count: 32))
        await #expect {
            _ = try await far.nextFrame()
        } throws: { error in
            guard case .closed(.tls(let why)) = error as? TransportError else { return false }
            return why.contains("bad record mac") || why.contains("decryption failed")
        }
        await transport.stop()
    }

    @Test func `an unproven connection makes way for newer ones, an admitted one stays`()
        async throws
    {
        var limits = TransportLimits()
        limits.unproven = 2
        let (transport, listener) = try await server(limits)
        let client = try Transport(identity: DeviceIdentity.generate())
        var far: [Connection] = []
        for index in 0..<4 {
            _ = try await client.dial(listener.endpoint)
            far.append(try #require(await listener.next()))
            if index == 0 {
                far[0].admit()
                // The loop takes it in after what was asked of it before.
                _ = try await far[0].exporter(label: "EXPORTER-test", length: 16)
            }
        }
        #expect(far.map(\.closeReason) == [nil, .crowdedOut, nil, nil])
        await client.stop()
        await transport.stop()
    }

    @Test func `300 connections leave no descriptor behind`() async throws {
        func descriptors() -> Int {
            guard let directory = opendir("/proc/self/fd") else { return 0 }
            defer { closedir(directory) }
            var count = 0
            while readdir(directory) != nil { count += 1 }
            return count
        }
        let before = descriptors()
        let (transport, listener) = try await server()
        let client = try Transport(identity: DeviceIdentity.generate())
        for index in 0..<100 {
            let near = try await client.dial(listener.endpoint)
            let far = try #require(await listener.next())
            try await (index.isMultiple(of: 2) ? near : far).send([1])
            (index.isMultiple(of: 3) ? near : far).close("enough")
            // One that is broken off in its handshake, and one that never begins.
            let raw = try TransportRawPeer(to: listener.endpoint)
            raw.send([0x16, 0x03, 0x01, 0, 5, 1])
            _ = try TransportRawPeer(to: listener.endpoint)
        }
        await client.stop()
        await transport.stop()
        // Other tests run beside this one and have descriptors of their own.
        try await eventually { descriptors() < before + 100 }
    }
}
