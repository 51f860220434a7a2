import ShareCrypto
import Testing

@testable import ShareNet

struct TLSSessionTests {
    /// Moves bytes between two sessions, `step` at a time, until neither has any.
    private func pump(_ a: TLSSession, _ b: TLSSession, step: Int = .max) {
        var moved = true
        while moved {
            moved = false
            for (from, to) in [(a, b), (b, a)] {
                let count = from.transmit { bytes in
                    to.receive { space in
                        let count = min(bytes.count, space.count, step)
                        space.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
                        return count
                    }
                }
                moved = moved || count > 0
            }
        }
    }

    private func connect(
        _ client: TLSContext, _ server: TLSContext, step: Int = .max
    ) throws -> (client: TLSSession, server: TLSSession) {
        let near = try TLSSession(context: client, side: .client)
        let far = try TLSSession(context: server, side: .server)
        for _ in 0..<8 {
            let isDone = (try near.handshake(), try far.handshake())
            if isDone == (true, true) { return (near, far) }
            pump(near, far, step: step)
        }
        throw TLSError(description: "the handshake does not end")
    }

    private func read(_ session: TLSSession) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 20_000)
        while case .bytes(let count) = try buffer.withUnsafeMutableBytes({
            try session.read(into: $0)
        }) {
            bytes += buffer[..<count]
        }
        return bytes
    }

    private func write(_ bytes: [UInt8], _ session: TLSSession) throws -> Int {
        try bytes.withUnsafeBytes { try session.write($0) }
    }

    @Test(arguments: [1, 7, 100_000])
    func `a handshake gives both the other's key and one secret`(step: Int) throws {
        let (one, two) = (DeviceIdentity.generate(), DeviceIdentity.generate())
        let (near, far) = try connect(
            TLSContext(identity: one), TLSContext(identity: two), step: step)
        #expect(near.peerKey == two.key)
        #expect(far.peerKey == one.key)
        #expect(
            try near.exporter(label: "EXPORTER-a", length: 32)
                == far.exporter(label: "EXPORTER-a", length: 32))
        #expect(
            try near.exporter(label: "EXPORTER-a", length: 32)
                != near.exporter(label: "EXPORTER-b", length: 32))
    }

    @Test func `two connections of the same devices have different secrets`() throws {
        let one = try TLSContext(identity: DeviceIdentity.generate())
        let two = try TLSContext(identity: DeviceIdentity.generate())
        let secrets = try (0..<2).map { _ in
            try connect(one, two).client.exporter(label: "EXPORTER-a", length: 32)
        }
        #expect(secrets[0] != secrets[1])
    }

    @Test(arguments: [
        ("19700101000000Z", "19700102000000Z"), ("99980101000000Z", "99991231235959Z"),
    ])
    func `a certificate's dates are not looked at`(from: String, to: String) throws {
        let identity = DeviceIdentity.generate()
        let odd = try TLSContext(
            ownKey: identity.key,
            certificate: TLSCertificate(identity: identity, validFrom: from, validTo: to))
        let plain = try TLSContext(identity: DeviceIdentity.generate())
        #expect(try connect(odd, plain).server.peerKey == identity.key)
        #expect(try connect(plain, odd).client.peerKey == identity.key)
    }

    @Test func `a full ring takes no more until it is emptied`() throws {
        let (near, far) = try connect(
            TLSContext(identity: DeviceIdentity.generate()),
            TLSContext(identity: DeviceIdentity.generate()))
        let record = (0..<16_384).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        var sent = 0
        while try write(record, near) == record.count { sent += 1 }
        #expect(sent >= 6 && sent < 9)
        var received: [UInt8] = []
        for _ in 0..<4 {
            pump(near, far)
            received += try read(far)
        }
        #expect(try write(record, near) == record.count)
        pump(near, far)
        received += try read(far)
        #expect(received == [[UInt8]](repeating: record, count: sent + 1).flatMap(\.self))
    }

    @Test func `a goodbye is read as the end`() throws {
        let (near, far) = try connect(
            TLSContext(identity: DeviceIdentity.generate()),
            TLSContext(identity: DeviceIdentity.generate()))
        _ = try write([1, 2], near)
        near.close()
        pump(near, far)
        var buffer = [UInt8](repeating: 0, count: 100)
        let readings = try buffer.withUnsafeMutableBytes { bytes in
            [try far.read(into: bytes), try far.read(into: bytes)]
        }
        #expect(readings == [.bytes(2), .ended])
    }

    @Test func `a changed byte is an error that says so`() throws {
        let (near, far) = try connect(
            TLSContext(identity: DeviceIdentity.generate()),
            TLSContext(identity: DeviceIdentity.generate()))
        _ = try write([1, 2, 3], near)
        _ = near.transmit { bytes in
            far.receive { space in
                space.copyMemory(from: bytes)
                space[bytes.count - 1] ^= 1
                return bytes.count
            }
        }
        #expect {
            _ = try read(far)
        } throws: { error in
            (error as? TLSError)?.description.contains("bad record mac") == true
        }
    }

    @Test func `a handshake stays below two kilobytes`() throws {
        let near = try TLSSession(
            context: TLSContext(identity: DeviceIdentity.generate()), side: .client)
        let far = try TLSSession(
            context: TLSContext(identity: DeviceIdentity.generate()), side: .server)
        var total = 0
        for _ in 0..<8 {
            _ = (try near.handshake(), try far.handshake())
            for (from, to) in [(near, far), (far, near)] {
                total += from.transmit { bytes in
                    to.receive { space in
                        space.copyMemory(from: bytes)
                        return bytes.count
                    }
                }
            }
        }
        #expect(near.peerKey != nil && far.peerKey != nil)
        #expect(total < 2_048)
    }
}
