import Glibc
import ShareControl
import ShareStore
import Testing

@testable import ShareNode

/// Rooms of which something cannot be counted.
@Suite(.serialized, .timeLimit(.minutes(1))) struct UncountedRoomTests {
    @Test func `a room whose unsent entries cannot be counted is not shared as having none`()
        async throws
    {
        let node = try await TestNode("uncounted")
        try await node.create("clinic")
        let room = try await node.room("clinic")
        await node.node.sync.remove(room.id)
        let path = room.store.path
        #expect(rename(path, path + ".away") == 0)
        await #expect(throws: StoreError.self) { try await node.node.sync.add(room.store) }
        #expect(await node.node.sync.view(of: room.id) == nil)
        #expect(rename(path + ".away", path) == 0)
        try await node.node.sync.add(room.store)
        #expect(await node.node.sync.view(of: room.id) != nil)
        await node.stop()
    }

    @Test func `a status that cannot count all conflicts says so`() async throws {
        let node = try await TestNode("no-reader")
        try await node.create("clinic")
        let form = #"""
            {"form_id":"survey","version":"1","fields":[{"name":"site","type":"text"},
            {"name":"sighting","type":"repeat","fields":[{"name":"species","type":"text"}]}]}
            """#
        let reply = try await node.ask(
            .post, "/v1/forms", body: Array(form.utf8),
            headers: [HTTPFields.Field("content-type", "application/json")])
        #expect(reply.status == 200, "\(reply.text)")
        #expect(try await node.status("clinic").problem == nil)
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var before = rlimit()
        getrlimit(resource, &before)
        var none = before
        // No file is opened any more; those that are open stay.
        none.rlim_cur = 3
        setrlimit(resource, &none)
        let answer = try? await node.status("clinic")
        setrlimit(resource, &before)
        #expect(answer?.problem != nil)
        await node.stop()
    }
}
