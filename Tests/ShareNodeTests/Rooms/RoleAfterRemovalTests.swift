import ShareControl
import ShareCore
import ShareCrypto
import ShareStore
import ShareTestKit
import Testing

@testable import ShareNode

/// Roles of a device that was removed and has been let in again.
@Suite struct RoleAfterRemovalTests {
    /// What a thief wrote with the device's key while it was removed, arriving after all that.
    @Test(.timeLimit(.minutes(1)), arguments: ["editor", "viewer"])
    func `what was written while it was removed does not count by another role`(
        role: String
    ) async throws {
        let a = try await TestNode("ward-1")
        try await a.create("clinic")
        let form = try await a.addForm(to: "clinic")
        let c = try await TestNode("tablet", peers: [a])
        try await c.join("clinic", code: try await a.invite())
        try await c.push(["Sara"], to: "clinic", form)
        try await TestNode.untilAlike([a, c], in: "clinic")
        let room = try await a.room("clinic")
        let identity = c.node.identity
        let log = LogName(author: identity.key, kind: .records)
        let head = try #require(try await room.store.view().logs[log]?.heads.first)
        try await a.remove(c, reason: "stolen")
        await c.untilRemoved(from: "clinic")
        await c.stop()
        // It is let in again, from behind what is held of it by then.
        try await a.node.sealing.control(in: room, as: .owner) { store in
            [
                .grant(
                    Grant(
                        subject: identity.key, role: .collector, firstControl: 1, firstRecords: 5,
                        supersedes: store.authority().latest(about: identity.key)))
            ]
        }
        try await a.setRole(role, of: c)

        let mark = RecordsBlock(
            kind: .put, firstIndex: 0, form: form, fields: [], creators: [identity.key],
            rows: [
                RecordsBlock.Row(
                    id: RecordID(high: 7, low: 7), clock: .latest, creator: 0, parents: 0..<0)
            ], parents: [], cells: [], storage: [])
        let late = Batch.seal(
            room: room.id, kind: .records, number: head.number + 1, previous: head.batch,
            clock: .latest, blocks: [.records(mark)], by: identity)
        let report = try await room.store.merge([IncomingBatch(late)])
        #expect(report.outcomes.map(\.accepted) == [0])
        #expect(try await a.status("clinic").records == 1)
        #expect(try await a.members().map(\.role) == ["owner", role])
        await a.stop()
    }
}
