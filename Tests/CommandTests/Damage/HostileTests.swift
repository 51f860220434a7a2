import Foundation
import Glibc
import JSON
import ShareControl
import ShareTestKit
import Testing

/// What anybody on the Wi-Fi may send to the TCP port: it ends that connection and nothing else.
@Suite(.serialized) struct HostileTests {
    @Test func `garbage on the port ends that connection and nothing else`() async throws {
        let daemon = try await Daemon.clinic()
        try await daemon.add("Sara")
        var random = SeededRandom(seed: TestSeed.printed())
        let attacks: [[UInt8]] = [
            Array("GET / HTTP/1.1\r\nHost: x\r\n\r\n".utf8),
            random.bytes(4_096),
            // A TLS record of the longest length, and nothing of it.
            [0x16, 0x03, 0x01, 0xFF, 0xFF],
            // Records of no kind, and an alert first.
            [UInt8](repeating: 0, count: 1_000), [0x15, 0x03, 0x03, 0, 2, 2, 40],
            // 4 GiB announced as if no TLS were there.
            [0xFF, 0xFF, 0xFF, 0xFF] + random.bytes(1_000),
        ]
        for attack in attacks {
            let peer = try RawPeer(port: daemon.port)
            peer.send(attack)
            let isClosed = await eventually { peer.isClosed }
            #expect(isClosed, "\(attack.prefix(8))")
        }
        #expect(daemon.isRunning)
        #expect(try await daemon.names() == ["Sara"])
        #expect(try await daemon.answer("status")["peers"]["connected"].number == 0)
    }

    /// Through a real TLS 1.3 connection with a certificate of its own, as a device makes it.
    @Test(arguments: [
        // 4 GiB announced; half a frame; a frame that is no CBOR; one longer than a stranger may.
        "\\377\\377\\377\\377abc", "\\000\\000\\001\\000half",
        "\\000\\000\\000\\004\\377\\377\\377\\377",
        "\\000\\000\\020\\001abc",
    ])
    func `bad frames inside TLS end that connection and nothing else`(bytes: String) async throws {
        let daemon = try await Daemon.clinic()
        let key = daemon.folder.path + "/key", certificate = daemon.folder.path + "/certificate"
        let made = try await openssl([
            "req", "-x509", "-newkey", "ed25519", "-nodes", "-keyout", key, "-out", certificate,
            "-subj", "/CN=stranger", "-days", "1",
        ])
        try #require(made.code == 0, "\(made.errors)")
        // The input stays open, so it is the daemon that ends the connection.
        let command =
            "exec 9< <(printf '\(bytes)'; exec sleep 600); input=$!; "
            + "openssl s_client -quiet -tls1_3 -connect \(daemon.address) -key \(key) "
            + "-cert \(certificate) <&9 >/dev/null; kill $input"
        let run = try await CommandRun(
            program: "/bin/bash", ["-c", command], environment: ["PATH": "/usr/bin:/bin"],
            limit: .seconds(90))
        // It came as far as the certificates.
        #expect(run.errors.contains("depth=0"), "\(run.errors)")
        #expect(run.code == 0, "it was not ended: \(daemon.log)")
        #expect(daemon.isRunning)
        #expect(try await daemon.shared("status").code == 0)
    }

    @Test func `another joins and syncs while strangers stall in their handshakes`() async throws {
        let a = try await Daemon.clinic("ward-1")
        try await a.add("from a")
        #expect(try await a.shared("push").code == 0)
        let first = try (0..<40).map { try Self.stalled($0, port: a.port) }
        // Whoever is ended comes again: had the other to wait for one of them, it would for ever.
        let stalling = Task {
            var stalled = first
            while !Task.isCancelled {
                for index in stalled.indices where stalled[index].isClosed {
                    stalled[index] = try Self.stalled(index, port: a.port)
                }
                try? await Task.sleep(for: .milliseconds(20))
            }
            return stalled
        }
        let b = try await Daemon.member("ward-2", of: a)
        try await Daemon.untilIdentical(a, b, records: 1)
        stalling.cancel()
        // They do not stay for ever.
        let stalled = try await stalling.value
        #expect(await eventually(within: .seconds(60)) { stalled.allSatisfy(\.isClosed) })
        try await b.add("from b")
        #expect(
            try await b.answer("push", "--timeout", "30s")["delivered"][0]["name"].string
                == "ward-1")
        try await Daemon.untilIdentical(a, b, records: 2)
    }

    /// Somebody who says nothing at all, or the beginning of a hello that announces 200 bytes more.
    private static func stalled(_ index: Int, port: UInt16) throws -> RawPeer {
        let peer = try RawPeer(port: port)
        if index % 2 == 1 { peer.send([0x16, 0x03, 0x01, 0, 200, 1, 0, 0, 196, 3, 3]) }
        return peer
    }

    private func openssl(_ arguments: [String]) async throws -> CommandRun {
        try await CommandRun(
            program: "/usr/bin/openssl", arguments, environment: ["PATH": "/usr/bin:/bin"])
    }
}
