import Foundation
import JSON
import ShareControl
import ShareTestKit
import Testing

/// A new identity for a device.
@Suite(.serialized) struct IdentityTests {
    @Test func `a device gets a new identity, is admitted again, and loses nothing`()
        async throws
    {
        let a = try await Daemon.clinic("ward-1")
        let b = try await Daemon.member("ward-2", of: a)
        let old = try await b.ownID()
        try await b.add("pushed")
        #expect(try await b.shared("push").code == 0)
        try await b.add("pending")
        #expect(try await b.answer("identity")["device"]["id"].string == old)

        let changed = try await b.answer("identity", "new")
        let new = try #require(changed["device"]["id"].string)
        #expect(new != old)
        #expect(changed["former"]["id"].string == old)
        #expect(changed["rooms"][0]["former_role"].string == "collector")
        #expect(changed["rooms"][0]["role"] == .null)
        #expect(changed["rooms"][0]["missing"] == .array([]))
        // The next command speaks to the new one.
        #expect(try await b.ownID() == new)
        let kept = b.data + "/" + (try #require(changed["kept"].string))
        let mode = try FileManager.default.attributesOfItem(atPath: kept)[.posixPermissions]
        #expect(mode as? Int == 0o600)
        #expect(try await b.answer("identity")["former"] == .array([.string(old)]))
        try await Daemon.untilIdentical(a, b, records: 2)
        for command in [["add", "visit", "name=x", "age=1"], ["push"], ["sync"], ["invite"]] {
            let run = try await b.shared(command)
            run.expectProblem("not admitted to clinic under its new identity")
            run.expectHint("shared join CODE")
        }
        let doctor = try await b.shared("doctor")
        #expect(doctor.code == 1)
        #expect(doctor.words.contains("failed room clinic: this device is not admitted"))
        #expect(!doctor.words.contains("no address is known of ward-2"), "\(doctor.output)")
        let status = try await b.shared("status").output
        #expect(status.contains("new identity"), "\(status)")

        try await b.join(a)
        try await b.add("as the new one")
        #expect(try await b.shared("push", "--timeout", "20s").code == 0)
        try await Daemon.untilIdentical(a, b, records: 3)
        for daemon in [a, b] {
            #expect(try await daemon.names() == ["as the new one", "pending", "pushed"])
            let rows = try await daemon.answer("list", "visit").array ?? []
            for row in rows {
                let isNew = row["name"].string == "as the new one"
                #expect(row["_author"].string == (isNew ? new : old))
            }
            #expect(try await daemon.shared("verify").code == 0)
        }
        let members = try await b.answer("members").array ?? []
        #expect(members.count == 3)
        for member in members {
            #expect(member["self"].isTrue == (member["id"].string == new))
            #expect(member["former_self"].isTrue == (member["id"].string == old))
        }
        await b.terminate()
        try await b.start()
        #expect(try await b.ownID() == new)
    }

    @Test func `an owner admits its new identity by itself, an editor's becomes a collector`()
        async throws
    {
        let a = try await Daemon.clinic("ward-1")
        let b = try await Daemon.member("ward-2", of: a, role: "editor")
        let changedOwner = try await a.answer("identity", "new")
        #expect(changedOwner["rooms"][0]["role"].string == "owner")
        let changedEditor = try await b.answer("identity", "new")
        #expect(changedEditor["rooms"][0]["role"].string == "collector")
        #expect(changedEditor["rooms"][0]["former_role"].string == "editor")
        try await a.add("from the new owner")
        try await b.add("from the new collector")
        for daemon in [a, b] { #expect(try await daemon.shared("push").code == 0) }
        try await Daemon.untilIdentical(a, b, records: 2)
        #expect(try await a.answer("members").array?.count == 4)
        // The new owner can invite.
        let c = try await Daemon.member("ward-3", of: a)
        try await Daemon.untilIdentical(a, b, c, records: 2)
    }

    @Test func `a cut at any step of the change leaves one identity, whole`() async throws {
        var random = SeededRandom(seed: TestSeed.printed())
        let a = try await Daemon.clinic("ward-1")
        var seen: Set<String> = [try await a.ownID()]
        for round in 1...12 {
            try await a.add("entry \(round)")
            let command = try await RunningCommand(["identity", "new"], socket: a.socket)
            try await Task.sleep(for: .milliseconds(Int.random(in: 0...60, using: &random)))
            await a.kill()
            command.signal(SIGKILL)
            try await a.start()
            seen.insert(try await a.ownID())
            #expect(try await a.names().count == round)
            #expect(try await a.status()["role"].string == "owner")
        }
        let changed = try await a.answer("identity", "new")
        seen.insert(try #require(changed["device"]["id"].string))
        #expect(try await a.shared("push").code == 0)
        #expect(try await a.status()["pending"].number == 0)
        #expect(try await a.shared("verify").code == 0)
        let former = try await a.answer("identity")["former"].array?.compactMap(\.string) ?? []
        let now = try await a.ownID()
        // No member that nobody is, and no key lost.
        #expect(Set(former + [now]) == seen)
        let members = try await a.answer("members").array?.compactMap { $0["id"].string } ?? []
        #expect(Set(members) == seen)
    }

    @Test func `an identity file that was moved away costs the membership, not the entries`()
        async throws
    {
        let a = try await Daemon.clinic("ward-1")
        let b = try await Daemon.member("ward-2", of: a)
        let old = try await b.ownID()
        try await b.add("pending")
        await b.terminate()
        try FileManager.default.moveItem(atPath: b.data + "/identity", toPath: b.data + "/aside")
        try await b.start()
        let new = try await b.ownID()
        #expect(new != old)
        #expect(try await b.status()["pending"].number == 1)
        try await b.shared("push").expectProblem("the file of clinic knows nothing of this device")
        try await b.join(a)
        #expect(try await b.shared("push", "--timeout", "20s").code == 0)
        try await Daemon.untilIdentical(a, b, records: 1)
        #expect(try await a.answer("list", "visit")[0]["_author"].string == new)
        for daemon in [a, b] { #expect(try await daemon.shared("verify").code == 0) }
    }
}
