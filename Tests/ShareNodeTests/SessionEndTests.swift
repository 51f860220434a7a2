import ShareCore
import ShareCrypto
import ShareNet
import ShareTestKit
import Testing

@testable import ShareNode

/// The end of sessions, at the connection below.
@Suite(.timeLimit(.minutes(1))) struct SessionEndTests {
    /// The synchronisation of a device, and one connection to it of a peer that does as it likes.
    private final class Meeting: Sendable {
        let sync: SyncService
        let events = Shared<[NodeEvent]>([])
        let transports: [Transport]
        /// As the peer sees the connection, and as the device sees it.
        let near: Connection
        let far: Connection
        let id = SessionID(1)

        init() async throws {
            let own = DeviceIdentity.generate()
            var limits = TransportLimits()
            limits.linger = .milliseconds(300)
            limits.outgoing = 64 << 10
            transports = [
                try Transport(identity: own, limits: limits),
                try Transport(identity: .generate(), limits: limits),
            ]
            let listener = try await transports[0].listen(
                on: Endpoint(host: "127.0.0.1", port: 0))
            near = try await transports[1].dial(listener.endpoint)
            far = try #require(await listener.next())
            let events = events
            sync = SyncService(
                OwnDevice(identity: own, name: "own", formerKeys: []), log: Log(level: .error),
                wall: { 1 }
            ) { event in events.change { $0.append(event) } }
            await sync.adopt(far)
        }

        /// Has the device send more than anything between the two takes: the peer reads nothing.
        func fill() async {
            let heads = (1...UInt64(20)).map { number in
                LogHead(number: number, batch: BatchID(Hash.digest([UInt8(number)])))
            }
            var logs: [LogName: LogState] = [:]
            for number in 0..<1_000 {
                let author = DeviceKey(Hash.digest(Array("\(number)".utf8)).value)
                logs[LogName(author: author, kind: .records)] = LogState(
                    heads: heads, operations: 1)
            }
            let message = WireMessage.have(RoomID(Hash.digest([0])), logs)
            await sync.perform(.trust(id))
            for _ in 0..<40 { await sync.perform(.send(id, message)) }
        }

        /// Whether the peer had said hello, once the end of the session was reported.
        var wasMet: Bool? {
            for case .ended(_, _, let wasMet, _, _) in events.value { return wasMet }
            return nil
        }

        func stop() async {
            await sync.stop()
            for transport in transports { await transport.stop() }
        }
    }

    @Test func `one that is closed here is over soon, though the peer does not read`()
        async throws
    {
        let meeting = try await Meeting()
        await meeting.fill()
        await meeting.sync.perform(.close(meeting.id, .tooMuch))
        #expect(await eventually { meeting.far.closeReason != nil })
        #expect(meeting.far.closeReason == .local("the session is over"))
        await meeting.stop()
    }

    @Test func `nothing more is read of one that is closed here`() async throws {
        let meeting = try await Meeting()
        await meeting.fill()
        await meeting.sync.perform(.close(meeting.id, .tooMuch))
        // Whoever reads that would end the connection for it.
        try await meeting.near.send([0xFF])
        #expect(await eventually { meeting.far.closeReason != nil })
        #expect(meeting.far.closeReason == .local("the session is over"))
        await meeting.stop()
    }

    @Test(arguments: [false, true])
    func `it is told whether the peer has said hello`(saysHello: Bool) async throws {
        let meeting = try await Meeting()
        if saysHello {
            let hello = WireMessage.Hello(
                version: SyncLimits.protocolVersion, name: "peer", wall: 1, instance: 1,
                proofs: (0..<UInt8(SyncLimits.proofs)).map { Hash.digest([$0]) })
            try await meeting.near.send(WireMessage.hello(hello).encoded())
        }
        meeting.near.close("that was all")
        #expect(await eventually { meeting.wasMet != nil })
        #expect(meeting.wasMet == saysHello)
        await meeting.stop()
    }

    @Test func `who was connected to and said nothing was not met`() async throws {
        let node = try await TestNode("unmet", ticks: true)
        let reach = node.node.reach
        let key = DeviceIdentity.generate().key
        func lastMet() async -> UInt64? { await reach.peers().first { $0.key == key }?.lastMet }
        await reach.met(key, name: "peer", address: nil)
        let met = try #require(await lastMet())
        await reach.ended(key, wasMet: false, wasSilent: false)
        #expect(await lastMet() == met)
        await reach.ended(key, wasMet: true, wasSilent: false)
        #expect(try #require(await lastMet()) > met)
        await node.stop()
    }
}
