import ShareCore
import ShareCrypto
import Testing

@testable import ShareStore

/// What members can do to those who look at entries with repeats.
struct RepeatBoundsTests {
    private static let fields =
        FormDefinition.repeatFields + [FormField(name: "species", type: .text)]

    @Test func `of very many rows a part comes with their entry, in order`() async throws {
        let bench = try Bench()
        let form = try bench.addForm("survey")
        let sighting = try bench.addForm("survey/sighting", Self.fields)
        let count = RepeatRows.limit + 5
        let id = RecordID(high: 1, low: 1)
        let parent = ParentName(creator: bench.founder.identity.key, id: id).text
        try bench.founder.append(
            [
                .put(NewRows(definition: form, fields: [0], rows: [[.text("a")]], ids: [id])),
                .put(
                    NewRows(
                        definition: sighting, fields: [0, 1, 2],
                        rows: (0..<count).map {
                            [.text(parent), .integer(Int64(count - $0)), .text("s")]
                        })),
            ], wall: bench.wall)
        let info = try #require(bench.founder.form("survey"))
        let reader = try RoomReader(path: bench.founder.path)
        let name = RecordName(form: "survey", creator: bench.founder.identity.key, id: id)
        let row = try #require(await reader.record(name, in: info))
        #expect(row.repeats.map(\.count) == [RepeatRows.limit])
        #expect(row.repeats.first?.first?.values[1] == .integer(1))
        // One entry has rows, however many there are.
        let child = try #require(info.repeats.first)
        #expect(try await reader.count(of: child.columns[2], in: child) == 1)
    }

    @Test func `forms of repeats without the form that they lie in do no harm`() throws {
        let bench = try Bench()
        let deep = Array(repeating: "a", count: 127).joined(separator: "/")
        try bench.addForm(deep, Self.fields)
        try bench.addForm("lost/sighting", Self.fields)
        #expect(bench.founder.forms().count == 2)
        #expect(bench.founder.form("lost/sighting")?.root == nil)
        let other = try bench.store()
        try Bench.merge(Bench.batches(of: bench.founder), into: other)
        #expect(try Bench.dump(other) == Bench.dump(bench.founder))
    }
}
