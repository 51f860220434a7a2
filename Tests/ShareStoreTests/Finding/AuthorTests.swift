import ShareCore
import ShareCrypto
import ShareTestKit
import Testing

@testable import ShareStore

/// Rows name their author by a number of the file: readers answer with the id.
struct AuthorTests {
    /// Two devices' entries, read on the first.
    private struct Two {
        let scene: FilterScene
        let founder: DeviceKey
        let other: DeviceKey
        /// One id that both have used.
        let shared: RecordID

        init() throws {
            var random = SeededRandom(seed: 1)
            scene = try FilterScene(&random, rows: 0)
            let device = try scene.bench.device(.editor)
            try Bench.merge(Bench.batches(of: scene.bench.founder), into: device)
            founder = scene.bench.founder.identity.key
            other = device.identity.key
            var ids = RecordIDSource()
            shared = ids.next(wall: WallTime(milliseconds: scene.bench.wall))
            let form = scene.form
            func rows(_ ages: [Int64]) -> LocalChange {
                .put(
                    NewRows(
                        definition: form.definition, fields: [0, 1],
                        rows: ages.map { [.text("x"), .integer($0)] }, ids: [shared]))
            }
            try scene.bench.founder.append([rows([10])], wall: scene.bench.wall)
            try device.append([rows([20])], wall: scene.bench.wall)
            try device.append(
                [
                    .put(
                        NewRows(
                            definition: form.definition, fields: [1],
                            rows: [[.integer(40)], [.integer(60)]]))
                ], wall: scene.bench.wall + 1)
            _ = try device.seal(wall: scene.bench.wall + 2)
            try Bench.merge(Bench.batches(of: device), into: scene.bench.founder)
        }

        func names(_ query: RecordQuery = RecordQuery()) async throws -> [RecordName] {
            try await scene.reader.records(scene.form, query).map(\.name)
        }
    }

    @Test func `conditions on the author find what is theirs`() async throws {
        let two = try Two()
        func count(_ condition: RecordQuery.Condition) async throws -> Int {
            try await two.scene.reader.count(two.scene.form, where: [condition])
        }
        let (founder, other) = (two.founder.text, two.other.text)
        #expect(try await count(.compare(.author, .equal, .text(other))) == 3)
        #expect(try await count(.compare(.author, .unequal, .text(other))) == 1)
        #expect(try await count(.compare(.author, .greaterOrEqual, .text("dev:"))) == 4)
        #expect(try await count(.anyOf(.author, [other, founder])) == 4)
        #expect(try await count(.anyOf(.author, [founder])) == 1)
        #expect(try await count(.anyOf(.author, ["dev:nobody"])) == 0)
        #expect(try await count(.contains(.author, String(other.suffix(30)))) == 3)
        let expression = try RecordExpression(
            "_author = '\(other)' and age > 30", of: two.scene.form, now: 0)
        #expect(try await count(.expression(expression)) == 2)
        var values = SQLParameters()
        #expect(ExpressionSQL.compile(expression, &values).isAll)
    }

    @Test func `records with one id come in the order of their authors' ids`() async throws {
        let two = try Two()
        let (first, second) =
            two.founder.text < two.other.text
            ? (two.founder, two.other) : (two.other, two.founder)
        let names = try await two.names()
        #expect(names.count == 4)
        #expect(names[0].id == two.shared && names[1].id == two.shared)
        #expect(names[0].creator == first && names[1].creator == second)
        for name in names.prefix(2) {
            #expect(try await two.scene.reader.record(name, in: two.scene.form)?.name == name)
        }
        #expect(try await two.names(RecordQuery(after: names[0])) == Array(names.dropFirst()))
        let byAge = RecordQuery(order: [.init(.column("age"))], after: names[0])
        #expect(try await two.names(byAge).count == (first == two.founder ? 3 : 2))
        let found = try await two.scene.reader.creators(of: [two.shared], in: two.scene.form)
        #expect(Set(found[two.shared] ?? []) == [two.founder, two.other])
        let text = "\(two.shared.text)@\(two.other.short)"
        let one = try await two.scene.reader.find(text, in: [two.scene.form])
        #expect(one.creator == two.other)
    }

    @Test func `figures by author have ids, also with medians`() async throws {
        let two = try Two()
        let figures = try await two.scene.reader.figures(
            two.scene.form,
            FigureQuery(by: [.value(.author)], of: .column("age"), hasMedian: true))
        #expect(figures.groups.map(\.keys) == [[.text(two.other.text)], [.text(two.founder.text)]])
        #expect(figures.groups.map(\.median) == [40, 10])
        let statistics = try await two.scene.reader.statistics(two.scene.form, of: .author)
        #expect(statistics.distinct == 2)
        #expect(statistics.least == .text(min(two.founder.text, two.other.text)))
    }

    @Test func `a condition on the author looks at devices once, not for each row`() throws {
        let two = try Two()
        var sql = RecordSQL(two.scene.form, RowFunctions())
        let filter = try sql.whereClause([
            .compare(.author, .equal, .text("x")), .anyOf(.author, ["x", "y"]),
        ])
        let plan = try two.scene.bench.founder.rows(
            "EXPLAIN QUERY PLAN SELECT _id FROM \(SQLName.quote(two.scene.form.table))" + filter
        ).map { "\($0[3])" }
        #expect(plan.count > 1)
        #expect(plan.allSatisfy { !$0.contains("CORRELATED") }, "\(plan)")
    }
}
