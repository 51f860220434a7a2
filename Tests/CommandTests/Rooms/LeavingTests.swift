import Foundation
import JSON
import ShareControl
import ShareTestKit
import Testing

/// Leaving a room while nobody of it is in reach.
@Suite(.serialized) struct LeavingTests {
    @Test func `a leave that nobody can hear waits, and takes what was entered along`()
        async throws
    {
        let a = try await Daemon.clinic("ward-1")
        let b = try await Daemon.member("ward-2", of: a)
        try await Daemon.untilIdentical(a, b, records: 0)
        await a.terminate()
        try await b.add("entered last")
        let left = try await b.answer("leave", "clinic")
        #expect(left["pending"].isTrue)
        #expect(left["current"] == .null)
        #expect(left["not_heard"].array?.count == 1)
        #expect(try await b.answer("rooms")[0]["role"].string == "leaving")
        // Another room may have its name meanwhile, and a restart forgets nothing.
        #expect(try await b.shared("create", "clinic").code == 0)
        await b.terminate()
        try await b.start()
        try await a.start()
        #expect(await eventually { (try? await a.answer("members").array?.count) == 1 })
        #expect(try await a.names() == ["entered last"])
        #expect(await eventually { (try? await b.answer("rooms").array?.count) == 1 })
        // The first code lets it in again.
        #expect(try await b.shared("leave", "clinic").code == 0)
        try await b.join(a)
        try await Daemon.untilIdentical(a, b, records: 1)
    }

    @Test func `a leave that nobody has heard is taken back, also one that was asked for twice`()
        async throws
    {
        let a = try await Daemon.clinic("ward-1")
        let b = try await Daemon.member("ward-2", of: a)
        await a.terminate()
        #expect(try await b.answer("leave", "clinic")["pending"].isTrue)
        let text = try await b.shared("status").output
        #expect(text.contains("shared leave clinic"), "\(text)")
        // It is still in the room, and no command says that it is in none.
        try await b.shared("list", "visit").expectHint("--room ROOM`: clinic")
        #expect(try await b.shared("use", "clinic").errors.contains("is leaving clinic"))
        let code = try await b.shared("join", "clinic", "--code", "K7QX-93MP")
        code.expectHint("to stay in it no code is needed: `shared join clinic`")

        let stays = try await b.shared("join", "clinic")
        #expect(stays.output.contains("as collector: nobody had heard"), "\(stays.errors)")
        #expect(try await b.answer("rooms")[0]["role"].string == "collector")
        try await b.add("entered after that")

        // Twice: unheard, and back all the same.
        let first = try await b.shared("leave", "clinic").output
        #expect(first.contains("to stay: shared join clinic"), "\(first)")
        #expect(!first.contains("no room any more"))
        let push = try await b.shared("--room", "clinic", "push", "--timeout", "0s").words
        #expect(push.contains("1 entry on this device alone; it goes"), "\(push)")
        let again = try await b.shared("leave", "clinic").output
        #expect(again.contains("this device stays a member, until an owner"), "\(again)")
        #expect(again.contains("1 entry or change that no other device is known to have"))
        #expect(!again.contains("hears of it"))
        #expect(try await b.answer("rooms") == .array([]))
        let back = try await b.shared("join", "clinic")
        #expect(back.output.contains("it is the current room now"), "\(back.errors)")
        await b.terminate()
        try await b.start()
        try await a.start()
        try await Daemon.untilIdentical(a, b, records: 1)
        #expect(try await a.answer("members").array?.count == 2)
    }

    @Test func `of two owners who leave apart one stays, and knows it`() async throws {
        let a = try await Daemon.clinic("ward-1")
        let b = try await Daemon.member("ward-2", of: a, role: "owner")
        let c = try await Daemon.member("ward-3", of: a)
        try await Daemon.untilIdentical(a, b, c, records: 0)
        await a.terminate()
        await c.terminate()
        #expect(try await b.answer("leave", "clinic")["pending"].isTrue)
        await b.terminate()
        try await a.start()
        #expect(try await a.answer("leave", "clinic")["pending"].isTrue)
        try await b.start()
        try await c.start()
        @Sendable func isKept(_ daemon: Daemon) async -> Bool {
            (try? await daemon.answer("rooms").array?.first?["not_left"].isTrue) == true
        }
        @Sendable func role(on daemon: Daemon) async -> String? {
            try? await daemon.answer("rooms").array?.first?["role"].string
        }
        #expect(
            await eventually(within: .seconds(40)) {
                let roles = await [role(on: a), role(on: b)]
                return roles.contains(nil) && roles.contains("owner")
            })
        // Whoever stays is told so, until there is another owner.
        #expect(await eventually { await [isKept(a), isKept(b)].contains(true) })
        let kept = await isKept(a) ? a : b
        let status = try await kept.shared("status").output
        #expect(status.contains("not left: this device is the only owner by now"), "\(status)")
        #expect(try await kept.shared("rooms").output.contains("not left: the only owner"))
        #expect(
            await eventually(within: .seconds(40)) {
                let members = try? await c.answer("members").array
                return members?.map { $0["role"].string }.filter { $0 == "owner" }.count == 1
            })
    }

    @Test func `a room that is joined again without its file is the one that all commands read`()
        async throws
    {
        let a = try await Daemon.clinic("ward-1")
        let b = try await Daemon.member("ward-2", of: a)
        try await a.add("Aminata")
        #expect(try await a.shared("push").code == 0)
        try await Daemon.untilIdentical(a, b, records: 1)
        func counted() async throws -> [String] {
            [
                try await b.shared("count", "visit").output,
                try await b.answer("search", "a")["found"].number.map { "\($0)\n" } ?? "",
            ]
        }
        #expect(try await counted() == ["1\n", "1\n"])
        #expect(try await b.shared("leave", "clinic").code == 0)
        for file in try FileManager.default.contentsOfDirectory(atPath: b.data + "/rooms") {
            try FileManager.default.removeItem(atPath: b.data + "/rooms/" + file)
        }
        try await b.join(a)
        try await a.add("Bakary")
        #expect(try await a.shared("push").code == 0)
        try await Daemon.untilIdentical(a, b, records: 2)
        #expect(try await counted() == ["2\n", "2\n"])
    }
}
