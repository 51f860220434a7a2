import ShareCore
import ShareTestKit
import Testing

@testable import ShareStore

/// What `add` compares a new entry with.
struct LatestTests {
    @Test func `the latest records with a value are found, the latest first`() async throws {
        var random = SeededRandom(seed: 1)
        let scene = try FilterScene(&random, rows: 0)
        for age: Int64 in [1, 2, 1, 2, 2, 1] { try scene.add([.absent, .integer(age)]) }
        let all = try await scene.reader.records(scene.form).map(\.name)
        func found(_ age: Int64, among rows: Int) async throws -> [Int] {
            let condition = RecordQuery.Condition(.column("age"), equals: .integer(age))
            return try await scene.reader.latest(
                scene.form, where: [condition], among: rows, limit: 2
            ).compactMap { all.firstIndex(of: $0.name) }
        }
        #expect(try await found(1, among: 10) == [5, 2])
        #expect(try await found(1, among: 3) == [5])
        #expect(try await found(2, among: 3) == [4, 3])
        #expect(try await found(3, among: 10) == [])
    }

    @Test func `no more rows are looked at than were said`() throws {
        var random = SeededRandom(seed: 1)
        let scene = try FilterScene(&random, rows: 0)
        let condition = RecordQuery.Condition(.column("name"), equals: .text("x"))
        let (text, _) = try RoomReader.latest(scene.form, [condition], 100, 5, RowFunctions())
        let plan = try scene.bench.founder.rows("EXPLAIN QUERY PLAN " + text).map { "\($0[3])" }
        #expect(
            plan.contains { $0.contains("SEARCH visit USING INTEGER PRIMARY KEY (rowid>?)") },
            "\(plan)")
        #expect(plan.allSatisfy { !$0.contains("SCAN") && !$0.contains("TEMP") }, "\(plan)")
    }
}
