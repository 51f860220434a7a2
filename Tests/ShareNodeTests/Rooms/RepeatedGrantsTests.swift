import ShareControl
import ShareCore
import ShareCrypto
import ShareTestKit
import Testing

@testable import ShareNode

/// `remove --repeat-grants`, where others have decided about those devices as well.
@Suite struct RepeatedGrantsTests {
    /// A room with an editor that let in a collector, who has pushed an entry.
    private struct Ward {
        let owner: TestNode
        let editor: TestNode
        let collector: TestNode
        let before: UInt64

        init() async throws {
            owner = try await TestNode("ward-1")
            try await owner.create("clinic")
            let form = try await owner.addForm(to: "clinic")
            editor = try await TestNode("ward-2", peers: [owner])
            try await editor.join("clinic", code: try await owner.invite("editor"))
            let before = WallClock.milliseconds()
            #expect(await eventually { WallClock.milliseconds() > before })
            self.before = before
            collector = try await TestNode("tablet", peers: [editor, owner])
            try await collector.join("clinic", code: try await editor.invite())
            try await collector.push(["Sara"], to: "clinic", form)
            try await TestNode.untilAlike([owner, editor, collector], in: "clinic")
        }

        func stop() async { for node in [owner, editor, collector] { await node.stop() } }
    }

    @Test(.timeLimit(.minutes(1)))
    func `a device that was removed since stays so, and what counted goes on counting`()
        async throws
    {
        let ward = try await Ward()
        try await ward.owner.remove(ward.collector, reason: "stolen")
        let answer = try await ward.owner.remove(ward.editor, since: ward.before, grants: .again)
        #expect(answer.done && answer.revoked.isEmpty)
        #expect(try await ward.owner.members().map(\.role) == ["owner"])
        let left = try await ward.owner.members(all: true).first { $0.id == ward.collector.id }
        #expect(left?.role == "removed" && left?.removed?.reason == "stolen")
        #expect(try await ward.owner.status("clinic").records == 1)
        await ward.stop()
    }

    @Test(.timeLimit(.minutes(1)), arguments: ["viewer", "editor"])
    func `a role that an owner has given since stays as it is`(role: String) async throws {
        let ward = try await Ward()
        try await ward.owner.setRole(role, of: ward.collector)
        let answer = try await ward.owner.remove(ward.editor, since: ward.before, grants: .again)
        #expect(answer.done)
        #expect(try await ward.owner.members().map(\.role) == ["owner", role])
        await ward.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `whoever would be none gets its role back, from where it began`() async throws {
        let ward = try await Ward()
        let answer = try await ward.owner.remove(ward.editor, since: ward.before, grants: .again)
        #expect(answer.revoked.map(\.what) == ["grant"] && answer.revoked.map(\.repeated) == [true])
        #expect(try await ward.owner.members().map(\.role) == ["owner", "collector"])
        #expect(try await ward.owner.status("clinic").records == 1)
        await ward.stop()
    }
}
