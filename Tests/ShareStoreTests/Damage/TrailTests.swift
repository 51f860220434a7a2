import ShareCore
import ShareCrypto
import Testing

@testable import ShareStore

/// What lists say of records beside their values.
struct TrailTests {
    @Test func `a record has a trail: who changed it last, whether that was sent, comments`()
        async throws
    {
        let bench = try Bench()
        let store = bench.founder
        let form = try bench.addForm()
        let names = try store.append(
            [bench.row(form, "Ann", 1), bench.row(form, "Ben", 2)], wall: bench.wall)
        _ = try store.seal(wall: bench.wall)
        let editor = try bench.device(.editor)
        try Bench.merge(Bench.batches(of: store), into: editor)
        try editor.append(
            [
                .edit(
                    names[0], definition: form,
                    values: [LocalChange.FieldChange(field: 1, value: .integer(5))])
            ], wall: bench.wall + 1)
        _ = try editor.seal(wall: bench.wall + 1)
        try Bench.merge(Bench.batches(of: editor), into: store)
        try store.append([.comment(names[0], text: "Really?")], wall: bench.wall + 2)
        var query = RecordQuery(order: [.init(.column("name"))])
        let info = try #require(store.form("visit"))
        let reader = try RoomReader(path: store.path)
        #expect(try await reader.records(info, query).allSatisfy { $0.trail == nil })
        query.wantsTrails = true
        let trails = try await reader.records(info, query).compactMap(\.trail)
        #expect(trails.map(\.changer) == [editor.identity.key, store.identity.key])
        #expect(trails.map(\.isSent) == [false, true] && trails.map(\.comments) == [1, 0])
        let unsent = RecordQuery(where: [.init(.sent, equals: .text("no"))])
        #expect(try await reader.records(info, unsent).map(\.name) == [names[0]])
        _ = try store.seal(wall: bench.wall + 3)
        #expect(try await reader.records(info, unsent).isEmpty)
    }
}
