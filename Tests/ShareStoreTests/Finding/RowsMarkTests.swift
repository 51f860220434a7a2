import ShareCore
import Testing

@testable import ShareStore

/// What was read of a form's rows, and whether it still is so.
@Suite struct RowsMarkTests {
    @Test func `a mark tells whether a row of the form has come, changed or gone`() throws {
        let bench = try Bench()
        let form = try bench.addForm()
        let other = try bench.addForm("other", Bench.fields)
        let room = bench.founder
        let sara = try room.append([bench.row(form, "Sara", 30)], wall: bench.wall)[0]
        func mark() throws -> RowsMark { try room.file.room.mark(of: "visit") }
        func isAt(_ mark: RowsMark) throws -> Bool { try room.file.room.isAt(mark) }

        var seen = try mark()
        #expect(try isAt(seen))
        try room.append([bench.row(other, "Tom", 1)], wall: bench.wall)
        _ = try room.seal(wall: bench.wall)
        #expect(try isAt(seen))
        try room.append([bench.row(form, "Ann", 31)], wall: bench.wall)
        #expect(try !isAt(seen))

        seen = try mark()
        try room.append(
            [
                .edit(
                    sara, definition: form,
                    values: [LocalChange.FieldChange(field: 1, value: .integer(7))])
            ], wall: bench.wall)
        #expect(try !isAt(seen))
        seen = try mark()
        try room.append([.delete(sara)], wall: bench.wall)
        #expect(try !isAt(seen))
        seen = try mark()
        try room.rebuild()
        #expect(try !isAt(seen))
    }

    @Test func `nothing is entered that was made by rows that have changed since`() async throws {
        let bench = try Bench()
        let form = try bench.addForm()
        let path = bench.founder.path
        try bench.founder.append([bench.row(form, "Sara", 30)], wall: bench.wall)
        let store = try RoomStore(path: path, identity: bench.founder.identity)
        let mark = try await store.rowsMark(of: "visit")
        let row = bench.row(form, "Tom", 3)
        _ = try await store.append([row], wall: bench.wall)
        await #expect(throws: StoreError.rowsChanged) {
            _ = try await store.append(wall: bench.wall, since: mark) { [row] }
        }
        let counted = try await store.counts()
        #expect(counted.records == 2)
    }
}
