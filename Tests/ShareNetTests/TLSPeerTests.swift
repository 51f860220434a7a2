import Dispatch
import ShareCrypto
import Testing

@testable import ShareNet

@Suite(.timeLimit(.minutes(1)))
struct TLSPeerTests {
    /// Dials as an odd peer, off the threads that the tests run on.
    private func dial(_ endpoint: Endpoint, _ oddity: TLSOddPeer.Oddity) async throws -> String? {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(
                    with: Result { try TLSOddPeer.dial(endpoint, oddity) })
            }
        }
    }

    @Test(arguments: TLSOddPeer.Oddity.allCases.filter { $0 != .none })
    func `a peer that breaks the rules of TLS is refused`(oddity: TLSOddPeer.Oddity) async throws {
        let server = try Transport(identity: DeviceIdentity.generate())
        let listener = try await server.listen(on: Endpoint(host: "127.0.0.1", port: 0))
        let refusal = try #require(await dial(listener.endpoint, oddity))
        #expect(refusal.contains("alert"), "\(refusal)")
        // The first connection that comes out of the listener is the honest one.
        let identity = DeviceIdentity.generate()
        let client = try Transport(identity: identity)
        _ = try await client.dial(listener.endpoint)
        #expect(await listener.next()?.peerKey == identity.key)
        await client.stop()
        await server.stop()
    }

    @Test func `the same peer without an oddity is accepted`() async throws {
        let server = try Transport(identity: DeviceIdentity.generate())
        let listener = try await server.listen(on: Endpoint(host: "127.0.0.1", port: 0))
        async let refusal = dial(listener.endpoint, .none)
        let far = try #require(await listener.next())
        try await far.send([1])
        #expect(try await refusal == nil)
        await server.stop()
    }
}
