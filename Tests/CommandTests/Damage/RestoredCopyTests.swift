import Foundation
import JSON
import ShareControl
import ShareTestKit
import Testing

/// Data directories that were put back from an older copy: nothing is lost, nothing is doubled.
@Suite(.serialized) struct RestoredCopyTests {
    /// A founder and a member whose copy was taken with one entry pushed and one pending, which
    /// it pushed later, together with another.
    private struct Scene {
        let a: Daemon
        let b: Daemon
        let copy: DataCopy

        static let names = ["before", "pending in the copy", "pushed later"]

        init(whileRunning: Bool) async throws {
            a = try await Daemon.clinic("ward-1")
            b = try await Daemon.member("ward-2", of: a)
            try await b.add("before")
            #expect(try await b.shared("push").code == 0)
            try await b.add("pending in the copy")
            if whileRunning {
                copy = try await b.copyData()
            } else {
                await b.terminate()
                copy = try await b.copyData()
                try await b.start()
            }
            try await RestoredCopyTests.untilMet(b)
            try await b.add("pushed later")
            let pushed = try await b.answer("push", "--timeout", "20s")
            #expect(pushed["delivered"][0]["name"].string == "ward-1")
            await b.terminate()
        }
    }

    private static func untilMet(_ daemon: Daemon) async throws {
        let isMet = await eventually {
            (try? await daemon.answer("status")["peers"]["connected"].number) == 1
        }
        try #require(isMet, "\(daemon.log)")
    }

    @Test(arguments: [false, true])
    func `a restored device takes its own batches back before it seals`(
        whileRunning: Bool
    ) async throws {
        let scene = try await Scene(whileRunning: whileRunning)
        let (a, b) = (scene.a, scene.b)
        try b.restore(scene.copy)
        try await b.start()
        // Whoever is not met for seconds is not waited for: that is the next test.
        try await Self.untilMet(b)
        try await b.add("after the restore")
        #expect(try await b.shared("push", "--timeout", "20s").code == 0)
        try await Daemon.untilIdentical(a, b, records: 4)
        for daemon in [a, b] {
            #expect(try await daemon.names() == (Scene.names + ["after the restore"]).sorted())
            #expect(try await daemon.branches() == [])
            #expect(try await daemon.answer("conflicts") == .array([]))
            #expect(try await daemon.status()["refused"].number == 0)
            #expect(try await daemon.shared("verify").code == 0)
        }
        #expect(try await b.status()["pending"].number == 0)
        #expect(try await a.dump() == b.dump())
    }

    @Test func `a restored device that meets nobody first forks, and loses nothing`()
        async throws
    {
        let scene = try await Scene(whileRunning: true)
        let (a, b) = (scene.a, scene.b)
        await a.terminate()
        try b.restore(scene.copy)
        try await b.start()
        try await b.add("alone")
        let alone = try await b.answer("push", "--timeout", "1s")
        #expect(alone["entries"].number == 2)
        #expect(alone["delivered"] == .array([]))
        try await b.add("still alone")
        #expect(try await b.shared("push", "--timeout", "1s").code == 0)
        try await b.add("pending when they meet")
        try await a.start()
        try await Daemon.untilIdentical(a, b)
        #expect(try await a.names().count == 5)
        #expect(try await b.shared("push", "--timeout", "20s").code == 0)
        let c = try await Daemon.member("ward-3", of: a)
        try await Daemon.untilIdentical(a, b, c, records: 6)
        let names = Scene.names + ["alone", "still alone", "pending when they meet"]
        for daemon in [a, b, c] {
            #expect(try await daemon.names() == names.sorted())
            // It went on after its own longest branch and made no third.
            #expect(try await daemon.branches() == [2])
            #expect(try await daemon.answer("conflicts") == .array([]))
            #expect(try await daemon.status()["refused"].number == 0)
            #expect(try await daemon.shared("verify").code == 0)
        }
        #expect(try await a.dump() == c.dump())
        #expect(try await b.dump() == c.dump())
        for daemon in [a, b] { try await expectFork(of: "ward-2", at: 2, shownBy: daemon) }
        // Whoever has never met the device knows it by its id.
        let fault = try await c.answer("status")["faults"][0]
        #expect(fault["device"]["id"] == (try await a.id(of: "ward-2")))

        // Both branches go on counting when it leaves.
        #expect(try await b.shared("leave", "clinic").code == 0)
        #expect(await eventually { (try? await a.answer("members").array?.count) == 2 })
        try await Daemon.untilIdentical(a, c, records: 6)
        #expect(try await a.status()["refused"].number == 0)
    }

    /// Everything that shows devices' faults shows this one.
    private func expectFork(of name: String, at number: Int, shownBy daemon: Daemon) async throws {
        let id = try #require(try await daemon.id(of: name).string)
        let words =
            "\(name) (\(id.dropFirst(4).prefix(8))) has written twice at one place"
            + " (records log, number \(number))"
        let fault = try await daemon.answer("status")["faults"][0]
        #expect(fault["kind"].string == "forked_log")
        #expect(fault["device"]["name"].string == name)
        #expect(fault["log"].string == "records")
        #expect(fault["numbers"] == .array([.integer(Int64(number))]))
        #expect(fault["branches"].number == 2)
        #expect(fault["refused"] == .bool(false))
        #expect(fault["detail"].string?.contains(words) == true)
        #expect(fault["hint"].string?.contains("shared identity new") == true)
        let members = try await daemon.answer("members").array ?? []
        for member in members {
            let isShown = member["faults"][0].string?.contains(words) == true
            #expect(isShown == (member["name"].string == name))
        }
        for command in ["status", "members", "verify", "doctor"] {
            let run = try await daemon.shared(command)
            #expect(run.words.contains(words), "\(command): \(run.output)")
        }
    }

    enum Part: CaseIterable { case node, room, roomLost, nodeLost }

    @Test(arguments: Part.allCases)
    func `a part that was restored or lost alone comes to the same state`(part: Part)
        async throws
    {
        let scene = try await Scene(whileRunning: false)
        let (a, b) = (scene.a, scene.b)
        switch part {
        case .node: try b.restore(scene.copy) { $0.hasPrefix("node.sqlite") }
        case .room: try b.restore(scene.copy) { $0 == "rooms" }
        case .roomLost: try b.remove { $0 == "rooms" }
        case .nodeLost: try b.remove { $0.hasPrefix("node.sqlite") }
        }
        try await b.start()
        try await Daemon.untilIdentical(a, b, records: 3)
        try await b.add("after")
        #expect(try await b.shared("push", "--timeout", "20s").code == 0)
        try await Daemon.untilIdentical(a, b, records: 4)
        for daemon in [a, b] {
            #expect(try await daemon.names() == (Scene.names + ["after"]).sorted())
            #expect(try await daemon.branches() == [])
            #expect(try await daemon.shared("verify").code == 0)
        }
        #expect(try await a.dump() == b.dump())
    }

    @Test func `whose lost entries nobody can give back goes on under a new identity`()
        async throws
    {
        let scene = try await Scene(whileRunning: false)
        let (a, b) = (scene.a, scene.b)
        await a.terminate()
        try b.remove { $0 == "rooms" }
        try await b.start()
        // No form is left of the room either: its founding batch came with the invite.
        let waiting = try await b.shared("status").output
        #expect(waiting.contains("its file was lost or damaged"), "\(waiting)")
        let push = try await b.shared("push")
        push.expectProblem("entries of this device that are not here yet")
        push.expectHint("shared identity new")
        let changed = try await b.answer("identity", "new")
        #expect(changed["rooms"][0]["role"] == .null)
        try await a.start()
        try await b.join(a)
        try await b.add("as the new one")
        #expect(try await b.shared("push", "--timeout", "20s").code == 0)
        try await Daemon.untilIdentical(a, b, records: 4)
        for daemon in [a, b] {
            #expect(try await daemon.names() == (Scene.names + ["as the new one"]).sorted())
            #expect(try await daemon.shared("verify").code == 0)
        }
    }
}
