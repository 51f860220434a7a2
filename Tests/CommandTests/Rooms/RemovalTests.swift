import Foundation
import JSON
import ShareControl
import ShareTestKit
import Testing

/// A lost device, with the real programs: docs/operations.md, "A lost device".
@Suite(.serialized) struct RemovalTests {
    @Test(.timeLimit(.minutes(3)))
    func `a lost device is removed, and what it pushes later is refused everywhere`() async throws {
        let ward1 = try await Daemon.clinic("ward-1")
        let ward2 = try await Daemon.member("ward-2", of: ward1, role: "editor")
        let tablet = try await Daemon("tablet", peers: [ward1, ward2])
        try await tablet.join(ward1)
        try await tablet.add("Sara")
        try #require(try await tablet.shared("push").code == 0)
        try await Daemon.untilIdentical(ward1, ward2, tablet, records: 1)
        let id = try #require(try await ward1.id(of: "tablet").string)
        let short = String(id.dropFirst(4).prefix(8))

        // The finder goes on with one ward while the owner is away.
        await ward1.terminate()
        try await tablet.add("Mallory")
        try #require(try await tablet.shared("push").code == 0)
        #expect(await eventually { (try? await ward2.names()) == ["Mallory", "Sara"] })
        for daemon in [ward2, tablet] { await daemon.terminate() }
        try await ward1.start()

        let named = try await ward1.shared("remove", "tablet")
        #expect(named.code == 1 && named.errors.contains(short))
        let look = try await ward1.answer("remove", short, "--dry-run")
        #expect(!look["done"].isTrue && look["counted"].number == 1)
        let run = try await ward1.shared("remove", short, "--reason", "lost on the bus")
        #expect(run.code == 0, "\(run.errors)")
        #expect(run.output.contains("removed tablet (\(short)) from clinic"))
        #expect(run.output.contains("not yet ward-2"))
        let former = try await ward1.answer("members", "--all").array ?? []
        let tablets = former.filter { $0["id"].string == id }
        #expect(tablets.map { $0["role"].string } == ["removed"])
        #expect(tablets.map { $0["removed"]["reason"].string } == ["lost on the bus"])

        // The other ward hears of it after the batch; the batch comes out again.
        try await ward2.start()
        #expect(await eventually(within: .seconds(60)) { (try? await ward2.names()) == ["Sara"] })
        try await Daemon.untilIdentical(ward1, ward2, records: 1)
        let refused = try await ward2.answer("refused").array ?? []
        #expect(refused.map { $0["author"].string } == [id])
        #expect(refused.map { $0["reason"].string } == ["removed"])

        // The tablet is told by whom and why, keeps what it has, and says nothing more.
        try await tablet.start()
        #expect(
            await eventually(within: .seconds(60)) {
                (try? await tablet.status()["role"].string) == "removed"
            })
        let status = try await tablet.shared("status")
        #expect(status.words.contains("REMOVED by ward-1"))
        #expect(status.words.contains("lost on the bus"))
        #expect(try await tablet.names() == ["Sara"])
        #expect(try await tablet.shared("export", "visit").output.contains("Sara"))
        for command in [["push"], ["sync"], ["add", "visit", "name=Eve", "age=1"], ["invite"]] {
            let run = try await tablet.shared(command + ["--json"])
            #expect(run.code == 1)
            #expect(run.problem?.code == .removed, "\(command): \(run.errors)")
        }
        #expect(try await ward1.names() == ["Sara"])

        // The owner may decide otherwise, and bring the device back.
        let accepted = try await ward2.shared("accept", short, "--json")
        #expect(accepted.problem?.code == .notAllowed)
        try #require(
            try await ward1.shared(
                "role", try #require(try await ward1.id(of: "ward-2").string), "owner"
            ).code == 0)
        #expect(
            await eventually { (try? await ward2.status()["role"].string) == "owner" })
        #expect(try await ward2.answer("accept", short)["accepted"].number == 1)
        try await Daemon.untilIdentical(ward1, ward2, records: 2)
        try await tablet.join(ward1)
        try await tablet.add("Ada")
        try #require(try await tablet.shared("push").code == 0)
        try await Daemon.untilIdentical(ward1, ward2, tablet, records: 3)
    }

    @Test(.timeLimit(.minutes(2)))
    func `the last owner stays, and a leave says where it leaves the user`() async throws {
        let ward1 = try await Daemon.clinic("ward-1")
        let ward2 = try await Daemon.member("ward-2", of: ward1)
        let run = try await ward1.shared("leave", "clinic", "--json")
        #expect(run.problem?.code == .lastOwner)
        let id = try #require(try await ward1.id(of: "ward-2").string)
        let role = try await ward1.shared("role", id, "owner")
        #expect(role.code == 0 && role.output.contains("is owner in clinic now, and was collector"))
        #expect(role.output.contains("knows"))
        try #require(try await ward1.shared("create", "garden").code == 0)
        try #require(try await ward1.shared("use", "clinic").code == 0)
        let left = try await ward1.shared("leave", "clinic")
        #expect(left.code == 0, "\(left.errors)")
        #expect(left.output.contains("the current room is garden"))
        #expect(left.output.contains("knows"))
        #expect(
            await eventually {
                ((try? await ward2.answer("members").array?.count) ?? 0) == 1
            })
    }

    @Test(arguments: [
        "yesterday", "2026-02-30", "2026-13-01", "2026-11-21T25:00", "-1h", "2026-11-21T14",
    ])
    func `a time that is none is a usage error`(time: String) async throws {
        let run = try await CommandRun(
            ["remove", "abcdefgh", "--since", time], socket: "/nonexistent", limit: .seconds(20))
        #expect(run.code == 2 && run.errors.contains("--since"), "\(run.errors)")
    }
}
