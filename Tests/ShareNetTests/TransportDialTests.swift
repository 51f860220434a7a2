import CEpoll
import Glibc
import ShareCrypto
import Testing

@testable import ShareNet

@Suite(.timeLimit(.minutes(1)))
struct TransportDialTests {
    private let here = Endpoint(host: "127.0.0.1", port: 0)

    @Test func `a port in use is an error that names it`() async throws {
        let one = try Transport(identity: DeviceIdentity.generate())
        let listener = try await one.listen(on: here)
        await #expect(throws: TransportError.addressInUse(listener.endpoint.text)) {
            _ = try await one.listen(on: listener.endpoint)
        }
        await one.stop()
    }

    @Test func `a port is free again after its listener was closed with connections open`()
        async throws
    {
        let pair = try await TransportPair()
        await pair.server.stop()
        let again = try Transport(identity: DeviceIdentity.generate())
        _ = try await again.listen(on: pair.listener.endpoint)
        await again.stop()
        await pair.client.stop()
    }

    @Test func `one listener serves both families`() async throws {
        let server = try Transport(identity: DeviceIdentity.generate())
        let listener = try await server.listen(on: Endpoint(host: "*", port: 0))
        for host in ["127.0.0.1", "::1", "localhost"] {
            let client = try Transport(identity: DeviceIdentity.generate())
            let near = try await client.dial(
                Endpoint(host: host, port: listener.endpoint.port))
            let far = try #require(await listener.next())
            #expect(far.remote == near.local)
            await client.stop()
        }
        await server.stop()
    }

    @Test func `a device that dials itself sees its own key`() async throws {
        let transport = try Transport(identity: DeviceIdentity.generate())
        let listener = try await transport.listen(on: here)
        let near = try await transport.dial(listener.endpoint)
        #expect(near.peerKey == near.ownKey)
        await transport.stop()
    }

    @Test func `nobody there is an error at once`() async throws {
        let transport = try Transport(identity: DeviceIdentity.generate())
        let listener = try await transport.listen(on: here)
        listener.close()
        #expect(await listener.next() == nil)
        let reason = CloseReason.lost("Connection refused")
        await #expect(
            throws: TransportError.unreachable("\(listener.endpoint): \(reason)")
        ) { _ = try await transport.dial(listener.endpoint) }
        await transport.stop()
    }

    @Test func `who takes a connection and ends it at once has turned it away`() async throws {
        var limits = TransportLimits()
        limits.descriptors = 0
        let server = try Transport(identity: DeviceIdentity.generate(), limits: limits)
        let listener = try await server.listen(on: here)
        let client = try Transport(identity: DeviceIdentity.generate())
        for _ in 0..<20 {
            do throws(TransportError) {
                _ = try await client.dial(listener.endpoint)
                Issue.record("it was let in")
            } catch {
                guard case .turnedAway = error else {
                    Issue.record("\(error)")
                    continue
                }
            }
        }
        await client.stop()
        await server.stop()
    }

    @Test func `a dial ends at its deadline when the other side says nothing`() async throws {
        let transport = try Transport(identity: DeviceIdentity.generate())
        let silent = socket(AF_INET, shim_stream(), 0)
        defer { close(silent) }
        #expect(listen(silent, 1) == 0)
        let endpoint = try #require(SocketAddress { getsockname(silent, $0, $1) }?.endpoint)
        let start = ContinuousClock.now
        await #expect(throws: TransportError.self) {
            _ = try await transport.dial(
                Endpoint(host: "127.0.0.1", port: endpoint.port), deadline: .milliseconds(200))
        }
        #expect(start.duration(to: .now) < .seconds(5))
        await transport.stop()
    }

    @Test func `a cancelled dial ends at once`() async throws {
        let transport = try Transport(identity: DeviceIdentity.generate())
        let silent = socket(AF_INET, shim_stream(), 0)
        defer { close(silent) }
        #expect(listen(silent, 1) == 0)
        let port = try #require(SocketAddress { getsockname(silent, $0, $1) }?.endpoint.port)
        let dial = Task { () -> TransportError? in
            do throws(TransportError) {
                _ = try await transport.dial(Endpoint(host: "127.0.0.1", port: port))
                return nil
            } catch {
                return error
            }
        }
        dial.cancel()
        #expect(await dial.value == .cancelled)
        await transport.stop()
    }

    @Test func `a stopped transport does nothing more`() async throws {
        let pair = try await TransportPair()
        let waiting = Task { [far = pair.far] in try? await far.nextFrame() }
        await pair.stop()
        #expect(await waiting.value == nil)
        #expect(await pair.listener.next() == nil)
        await #expect(throws: TransportError.stopped) {
            _ = try await pair.client.dial(pair.listener.endpoint)
        }
        await #expect(throws: TransportError.self) { try await pair.near.send([1]) }
        await pair.stop()
    }

    @Test(
        arguments: [
            ("10.0.0.1:80", "10.0.0.1", 80), ("[::1]:0", "::1", 0),
            ("ward-1.local:47117", "ward-1.local", 47_117),
            ("[fe80::1%eth0]:9", "fe80::1%eth0", 9),
        ] as [(String, String, UInt16)])
    func `an endpoint's text is read back`(text: String, host: String, port: UInt16) {
        let endpoint = Endpoint(text: text)
        #expect(endpoint == Endpoint(host: host, port: port))
        #expect(endpoint?.text == text)
    }

    @Test(arguments: [
        "", ":", "host", "host:", ":1", "::1:80", "[::1]", "[::1:80", "host:65536", "host:+1",
        "a b:1", "[host]:1", "host:１", "[[::1]]:1",
    ])
    func `what is not an endpoint is refused`(text: String) {
        #expect(Endpoint(text: text) == nil)
    }
}
