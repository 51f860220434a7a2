import ShareControl
import ShareCore
import ShareStore
import Synchronization
import Testing

@testable import ShareNode

/// The one door through which a device's batches come to be.
@Suite struct SealingTests {
    @Test(.timeLimit(.minutes(2)))
    func `a file for a stick is written while sealing is paused, and says what it lacks`()
        async throws
    {
        let node = try await TestNode("a")
        try await node.create("clinic")
        let form = try await node.addForm(to: "clinic")
        try await node.add(["Sara"], to: "clinic", form)
        let room = try await node.room("clinic")
        await room.store.setSealingBlocked(true)
        let held = try await node.ask(.get, "/v1/bundle?room=clinic")
        #expect(held.status == 200 && !held.bytes.isEmpty)
        #expect(held.notices.count == 1 && held.notices[0].contains("cannot be sent yet"))
        await room.store.setSealingBlocked(false)
        let whole = try await node.ask(.get, "/v1/bundle?room=clinic")
        #expect(whole.notices.isEmpty && whole.bytes.count > held.bytes.count)
        await node.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `control operations wait for a pause to end, and are made from the room as it is then`()
        async throws
    {
        let node = try await TestNode("a")
        try await node.create("clinic")
        let room = try await node.room("clinic")
        await room.store.setSealingBlocked(true)
        let attempts = Mutex(0)
        let (attempted, signal) = AsyncStream.makeStream(of: Int.self)
        let sealing = Task {
            try await node.node.sealing.control(in: room, as: .owner) { store in
                signal.yield(
                    attempts.withLock {
                        $0 += 1
                        return $0
                    })
                return [.set(Setting(key: "name", value: "ward", parents: []))]
            }
        }
        for await count in attempted where count > 1 { break }
        #expect(try await room.store.view().logs.values.map(\.number) == [1])
        await room.store.setSealingBlocked(false)
        let batch = try #require(try await sealing.value)
        #expect(batch.number == 2)
        #expect(await room.store.settings().name == "ward")
        await node.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `who is removed while its commands wait for sealing says nothing more`() async throws {
        let a = try await TestNode("a")
        try await a.create("clinic")
        let b = try await TestNode("b", peers: [a])
        try await b.join("clinic", code: try await a.invite("owner"))
        let c = try await TestNode("c", peers: [a, b])
        try await c.join("clinic", code: try await a.invite())
        try await TestNode.untilAlike([a, b, c], in: "clinic")
        let room = try await b.room("clinic")
        let before = try await room.store.ownHead(.control)

        await room.store.setSealingBlocked(true)
        let (attempts, signal) = AsyncStream.makeStream(of: Void.self)
        let sealing = Task {
            try await b.node.sealing.control(in: room, as: .owner) { store in
                signal.yield()
                return [store.setting(Authority.openSetting, to: true)]
            }
        }
        for await _ in attempts { break }
        let form = #"{"form_id":"visit","fields":[{"name":"name","type":"text"}]}"#
        let commands: [@Sendable () async throws -> Void] = [
            { try await b.remove(c, grants: .revoked) },
            { try await b.setRole("viewer", of: c) },
            {
                let _: RoomSettingsAnswer = try await b.post(
                    "/v1/settings/room", RoomSettingsRequest(isOpen: true), method: .put)
            },
            {
                let reply = try await b.ask(.post, "/v1/forms", body: Array(form.utf8))
                let _: FormAddedAnswer = try reply.decoded()
            },
        ]
        let waiting = commands.map { command in
            Task { try await TestNode.problem(command) }
        }
        // What b would answer, a could not follow any more.
        try await a.remove(b, grants: .revoked)
        for command in waiting { #expect(try await command.value?.code == .removed) }
        await #expect(throws: RoleLost.self) { try await sealing.value }
        await room.store.setSealingBlocked(false)
        #expect(try await room.store.ownHead(.control) == before)
        #expect(try await a.members().map(\.id) == [a.id, c.id])
        for node in [a, b, c] { await node.stop() }
    }

    @Test(.timeLimit(.minutes(1)))
    func `an owner who is the only one left by the time it could leave stays`() async throws {
        let a = try await TestNode("a")
        try await a.create("clinic")
        let b = try await TestNode("b", peers: [a])
        try await b.join("clinic", code: try await a.invite("owner"))
        let c = try await TestNode("c", peers: [a])
        try await c.join("clinic", code: try await a.invite())
        try await TestNode.untilAlike([a, b, c], in: "clinic")
        let room = try await a.room("clinic")
        await room.store.setSealingBlocked(true)
        let leaving = Task {
            try await TestNode.problem {
                let _: LeftAnswer = try await a.post("/v1/leave", RoomRequest(room: "clinic"))
            }
        }
        let _: LeftAnswer = try await b.post("/v1/leave", RoomRequest(room: "clinic"))
        #expect(try await leaving.value?.code == .lastOwner)
        #expect(try await a.status("clinic").role == "owner")
        for node in [a, b, c] { await node.stop() }
    }
}
