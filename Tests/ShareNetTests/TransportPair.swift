import ShareCrypto
import Testing

@testable import ShareNet

/// Two transports and a connection between them over loopback.
struct TransportPair {
    let client: Transport
    let server: Transport
    let clientKey: DeviceKey
    let serverKey: DeviceKey
    let listener: Listener
    /// The connection as the one who dialled sees it.
    let near: Connection
    /// The same as the other one sees it.
    let far: Connection

    init(host: String = "127.0.0.1", limits: TransportLimits = TransportLimits()) async throws {
        let (one, two) = (DeviceIdentity.generate(), DeviceIdentity.generate())
        clientKey = one.key
        serverKey = two.key
        client = try Transport(identity: one, limits: limits)
        server = try Transport(identity: two, limits: limits)
        listener = try await server.listen(on: Endpoint(host: host, port: 0))
        near = try await client.dial(listener.endpoint)
        far = try #require(await listener.next())
    }

    func stop() async {
        await client.stop()
        await server.stop()
    }
}
