import ShareCrypto
import Testing

@testable import ShareNet

@Suite(.timeLimit(.minutes(1)))
struct TransportTests {
    @Test(arguments: ["127.0.0.1", "::1"])
    func `both ends know each other's key and derive the same secret`(host: String) async throws {
        let pair = try await TransportPair(host: host)
        #expect(pair.near.peerKey == pair.serverKey)
        #expect(pair.far.peerKey == pair.clientKey)
        #expect(pair.near.isInitiator && !pair.far.isInitiator)
        let near = try await pair.near.exporter(label: "EXPORTER-test", length: 32)
        let far = try await pair.far.exporter(label: "EXPORTER-test", length: 32)
        let other = try await pair.far.exporter(label: "EXPORTER-other", length: 32)
        #expect(near == far && near.count == 32 && near != other)
        #expect(pair.near.remote == pair.far.local && pair.near.local == pair.far.remote)
        #expect(pair.near.remote == pair.listener.endpoint)
        await pair.stop()
    }

    @Test func `frames arrive in order in both directions`() async throws {
        let pair = try await TransportPair()
        for count in [0, 1, 100, 4_096] {
            let body = [UInt8](repeating: UInt8(count & 0xFF), count: count)
            try await pair.near.send(body)
            #expect(try await pair.far.nextFrame() == body)
            try await pair.far.send(body)
            #expect(try await pair.near.nextFrame() == body)
        }
        pair.near.close("done")
        #expect(try await pair.far.nextFrame() == nil)
        #expect(pair.far.closeReason == .peer)
        #expect(pair.near.closeReason == .local("done"))
        await pair.stop()
    }
}
