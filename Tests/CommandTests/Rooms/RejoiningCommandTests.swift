import Foundation
import Glibc
import JSON
import ShareControl
import ShareTestKit
import Testing

/// Devices that come into a room, go, and come back.
@Suite(.serialized) struct RejoiningCommandTests {
    @Test func `a device whose data was wiped joins again with a new code`() async throws {
        let a = try await Daemon.clinic("ward-1")
        let b = try await Daemon.member("ward-2", of: a)
        try await b.add("before")
        #expect(try await b.shared("push").code == 0)
        try await Daemon.untilIdentical(a, b, records: 1)
        await b.kill()
        try FileManager.default.removeItem(atPath: b.data)
        try await b.start()
        #expect(try await b.answer("rooms") == .array([]))
        try await b.join(a)
        try await b.add("after")
        #expect(try await b.shared("push").code == 0)
        try await Daemon.untilIdentical(a, b, records: 2)
        #expect(try await b.names() == ["after", "before"])
    }

    @Test func `a room that was lost alone comes back under the same identity`() async throws {
        let a = try await Daemon.clinic("ward-1")
        let b = try await Daemon.member("ward-2", of: a)
        try await b.add("before")
        #expect(try await b.shared("push").code == 0)
        try await Daemon.untilIdentical(a, b, records: 1)
        await b.terminate()
        // All but the key: the same device with an empty memory.
        for name in try FileManager.default.contentsOfDirectory(atPath: b.data)
        where name != "identity" {
            try FileManager.default.removeItem(atPath: "\(b.data)/\(name)")
        }
        try await b.start()
        try await b.join(a)
        try await b.add("after")
        #expect(try await b.shared("push").code == 0)
        try await Daemon.untilIdentical(a, b, records: 2)
        #expect(try await a.answer("members").array?.count == 2)
        #expect(try await a.shared("verify").code == 0)
    }

    @Test func `a code admits once, and leaving ends a membership`() async throws {
        let a = try await Daemon.clinic("ward-1")
        let code = try #require(try await a.answer("invite")["code"].string)
        let b = try await Daemon("ward-2", peers: [a])
        let c = try await Daemon("ward-3", peers: [a])
        let wrong = String(code.prefix(2) + (code.hasSuffix("0000") ? "11-1111" : "00-0000"))
        try await b.shared("join", "clinic", "--code", wrong).expectProblem("code")
        #expect(try await b.answer("rooms") == .array([]))
        #expect(try await b.answer("join", "clinic", "--code", code)["created"] == .bool(false))
        let again = try await c.shared("join", "clinic", "--code", code)
        #expect(again.code == 1)
        #expect(try await a.answer("members").array?.count == 2)
        #expect(try await b.shared("leave", "clinic").code == 0)
        #expect(try await b.answer("rooms") == .array([]))
        let isGone = await eventually {
            (try? await a.answer("members").array?.count) == 1
        }
        #expect(isGone)
    }
}
