import ShareCore
import ShareCrypto
import ShareTestKit
import Testing

@testable import ShareStore

struct FilterTests {
    @Test func `SQL and the evaluator agree on every record`() async throws {
        var random = SeededRandom(seed: TestSeed.printed())
        let scene = try FilterScene(&random, rows: 150)
        let rows = try await scene.reader.records(scene.form)
        var (asked, wholly, wanted) = (0, 0, 0)
        while asked < (Exhaustive.isOn ? 6_000 : 800) {
            let text = RandomExpression.condition(depth: 3, &random)
            let expression = try RecordExpression(text, of: scene.form, now: 1_790_000_000_000)
            let condition = RecordQuery.Condition.expression(expression)
            let expected = try rows.filter { try condition.holds(for: $0, of: scene.form) }
            let found = try await scene.reader.records(
                scene.form, RecordQuery(where: [condition]))
            #expect(found.map(\.name) == expected.map(\.name), "\(text)")
            if found.map(\.name) != expected.map(\.name) { return }
            var values = SQLParameters()
            if ExpressionSQL.compile(expression, &values).isAll { wholly += 1 }
            asked += 1
            wanted += expected.isEmpty || expected.count == rows.count ? 0 : 1
        }
        // It is SQL that is tested, on conditions that tell records apart.
        #expect(wholly > asked / 5)
        #expect(wanted > asked / 5)
    }

    @Test func `texts are compared with numbers as the evaluator does it`() async throws {
        var random = SeededRandom(seed: TestSeed.printed())
        let scene = try FilterScene(&random, rows: 150)
        let rows = try await scene.reader.records(scene.form)
        for comparison in [RecordQuery.Comparison.less, .lessOrEqual, .greater, .greaterOrEqual] {
            for number in [-7, 0, 0.1, 3.5, 5, 20_779] {
                let short = RecordQuery.Condition.compare(
                    .number("name"), comparison, .decimal(number))
                let text = "name \(comparison.rawValue) \(number)"
                let expression = try RecordExpression(text, of: scene.form, now: 0)
                let found = try await scene.reader.records(
                    scene.form, RecordQuery(where: [short]))
                let expected = try await scene.reader.records(
                    scene.form, RecordQuery(where: [.expression(expression)]))
                #expect(found.map(\.name) == expected.map(\.name), "\(text)")
                let alone = try rows.filter { try short.holds(for: $0, of: scene.form) }
                #expect(found.map(\.name) == alone.map(\.name), "\(text)")
            }
        }
    }

    @Test(arguments: ["random() < 0.5", "random() < 0.5 and age >= 0", "once(random()) < 0.5"])
    func `what is by chance is drawn for each record`(text: String) async throws {
        let bench = try Bench()
        let form = try bench.addForm()
        let rows: [[FieldValue]] = (0..<1_000).map { [.text("x"), .integer($0)] }
        try bench.founder.append(
            [.put(NewRows(definition: form, fields: [0, 1], rows: rows))], wall: bench.wall)
        let info = try #require(bench.founder.form("visit"))
        let condition = try RecordExpression(text, of: info, now: 0)
        let found = try await RoomReader(path: bench.founder.path).records(
            info, RecordQuery(where: [.expression(condition)]))
        #expect((1..<1_000).contains(found.count), "\(found.count)")
    }

    @Test func `a choice's name stands for its label`() async throws {
        var random = SeededRandom(seed: 1)
        let scene = try FilterScene(&random, rows: 0)
        try scene.add([.text("koro"), .integer(41)])
        try scene.add([.text("bex"), .integer(41)])
        let expression = try RecordExpression(
            "jr:choice-name(name, '${name}') = 'KORO in name'", of: scene.form, now: 0
        ) { choice, field in "\(choice.uppercased()) in \(field)" }
        let condition = RecordQuery.Condition.expression(expression)
        let found = try await scene.reader.records(scene.form, RecordQuery(where: [condition]))
        #expect(found.map { $0.values[0] } == [.text("koro")])
        #expect(try condition.holds(for: found[0], of: scene.form))
    }

    @Test(
        arguments: [
            ("age > 39 and name = 'koro'", true), ("selected(words, 'cough')", true),
            ("contains(name, 'or')", true), ("${age} >= 18 or weight < 3.5", true),
            ("seen >= date('2026-01-01')", true), ("seen = today()", true),
            ("age = ''", true), ("not(words)", true), ("regex(name, 'k.*')", false),
            ("name = 5", false), ("age div weight > 1", false), ("_created > today()", false),
        ])
    func `usual conditions are SQL as a whole`(text: String, isAll: Bool) throws {
        var random = SeededRandom(seed: 1)
        let scene = try FilterScene(&random, rows: 0)
        var values = SQLParameters()
        let expression = try RecordExpression(text, of: scene.form, now: 0)
        #expect(ExpressionSQL.compile(expression, &values).isAll == isAll)
    }

    @Test func `what cannot be asked is refused`() throws {
        var random = SeededRandom(seed: 1)
        let form = try FilterScene(&random, rows: 0).form
        #expect(throws: FilterError.unknownField(name: "fever")) {
            try RecordExpression("fever > 39", of: form, now: 0)
        }
        #expect(throws: FilterError.unknownPath) {
            try RecordExpression("instance('a')/root/item/x = 1", of: form, now: 0)
        }
        #expect(throws: FilterError.self) { try RecordExpression("age >", of: form, now: 0) }
        #expect(throws: FilterError.self) {
            try RecordExpression("cht:extension(age)", of: form, now: 0)
        }
        let deep = String(repeating: "(", count: 5_000) + "1" + String(repeating: ")", count: 5_000)
        #expect(throws: FilterError.self) { try RecordExpression(deep, of: form, now: 0) }
        let long = Array(repeating: "age = 1", count: 1_500).joined(separator: " or ")
        let expression = try RecordExpression(long, of: form, now: 0)
        var values = SQLParameters()
        #expect(!ExpressionSQL.compile(expression, &values).isAll)
    }

    @Test func `pages by key give every record once, in any order`() async throws {
        var random = SeededRandom(seed: TestSeed.printed())
        let scene = try FilterScene(&random, rows: 83)
        let subjects: [RecordQuery.Subject] = [
            .column("age"), .column("name"), .column("weight"), .state, .created,
        ]
        for _ in 0..<12 {
            let order = (0..<Int.random(in: 0...3, using: &random)).map { _ in
                RecordQuery.Order(
                    pick(subjects, &random),
                    isDescending: Bool.random(using: &random))
            }
            let all = try await scene.reader.records(scene.form, RecordQuery(order: order))
            #expect(all.count == 83)
            var paged: [RecordName] = []
            while true {
                let page = try await scene.reader.records(
                    scene.form, RecordQuery(order: order, limit: 7, after: paged.last))
                paged += page.map(\.name)
                if page.count < 7 { break }
            }
            #expect(paged == all.map(\.name))
        }
    }

    @Test func `conditions in short`() async throws {
        var random = SeededRandom(seed: 1)
        let scene = try FilterScene(&random, rows: 0)
        try scene.add([.text("Amadou Traoré"), .integer(41), .decimal(38.5), .absent, .text("a b")])
        try scene.add([.text("Sara"), .integer(4), .absent, .text("2026-11-22"), .text("ab")])
        func found(_ condition: RecordQuery.Condition) async throws -> Int {
            try await scene.reader.records(scene.form, RecordQuery(where: [condition])).count
        }
        #expect(try await found(.contains(.column("name"), "TRAORE")) == 1)
        #expect(try await found(.contains(.column("name"), "ra")) == 2)
        #expect(try await found(.chosen(.column("words"), "a")) == 1)
        #expect(try await found(.compare(.column("age"), .greater, .integer(4))) == 1)
        #expect(try await found(.compare(.column("age"), .greaterOrEqual, .decimal(4))) == 2)
        #expect(try await found(.compare(.column("weight"), .unequal, .decimal(38.5))) == 1)
        #expect(try await found(.compare(.column("weight"), .equal, .absent)) == 1)
        #expect(try await found(.compare(.column("seen"), .less, .text("2026-12-01"))) == 1)
        #expect(
            try await found(.anyOf(.author, [scene.bench.founder.identity.key.text])) == 2)
        await #expect(throws: StoreError.unknownField("x")) {
            try await found(.contains(.column("x"), "a"))
        }
    }
}

/// A form with fields of all types and awkward values in it.
struct FilterScene {
    let bench: Bench
    let form: FormInfo
    let reader: RoomReader

    init(_ random: inout SeededRandom, rows: Int) throws {
        bench = try Bench()
        try bench.addForm(
            "visit",
            [
                FormField(name: "name", type: .text), FormField(name: "age", type: .integer),
                FormField(name: "weight", type: .decimal), FormField(name: "seen", type: .date),
                FormField(name: "words", type: .text),
                FormField(name: "other", type: .integer), FormField(name: "due", type: .date),
            ])
        form = try #require(bench.founder.form("visit"))
        reader = try RoomReader(path: bench.founder.path)
        for _ in 0..<rows {
            try add(
                [
                    text(&random), number(&random), decimal(&random), date(&random),
                    text(&random), number(&random), date(&random),
                ])
        }
    }

    func add(_ values: [FieldValue]) throws {
        bench.wall += 1_000
        try bench.founder.append(
            [
                .put(
                    NewRows(
                        definition: form.definition, fields: Array(values.indices),
                        rows: [values]))
            ], wall: bench.wall)
    }

    private func text(_ random: inout SeededRandom) -> FieldValue {
        let texts = RandomExpression.texts
        let text = texts[Int.random(in: 0..<texts.count, using: &random)]
        return Int.random(in: 0..<4, using: &random) == 0 ? .absent : .text(text)
    }

    private func number(_ random: inout SeededRandom) -> FieldValue {
        let some: [FieldValue] = [
            .absent, .integer(0), .integer(-7), .integer(5), .integer(39), .integer(.max),
            .integer(.min), .integer(9_007_199_254_740_993),
        ]
        return some[Int.random(in: 0..<some.count, using: &random)]
    }

    private func decimal(_ random: inout SeededRandom) -> FieldValue {
        let some: [FieldValue] = [
            .absent, .decimal(0), .decimal(0.1), .decimal(0.1 + 1e-13),
            .decimal(3.5), .decimal(1e300), .decimal(-1e300), .decimal(5), .decimal(1e-13),
        ]
        return some[Int.random(in: 0..<some.count, using: &random)]
    }

    private func date(_ random: inout SeededRandom) -> FieldValue {
        let some: [FieldValue] = [
            .absent, .text("2026-11-22"), .text("1970-01-01"), .text("0001-01-01"),
            .text("9999-12-31"), .text("2024-02-29"), .text("1969-12-31"), .text("0000-02-29"),
        ]
        return some[Int.random(in: 0..<some.count, using: &random)]
    }
}

private func pick<Element>(_ some: [Element], _ random: inout SeededRandom) -> Element {
    some[Int.random(in: some.indices, using: &random)]
}

/// Conditions on the form of `FilterScene`, of all that the language has.
enum RandomExpression {
    static let texts = [
        "", " ", "a", "b", "a b", "b a", " a", "ab", "5", "5.0", "-7", "0", "3,5", "1e3", "koro",
        "Koro", "köro", "😀a", "true", "2026-11-22", "NaN", "a\tb", "a  b", "0.1",
    ]

    static func condition(depth: Int, _ random: inout SeededRandom) -> String {
        func sub() -> String { condition(depth: depth - 1, &random) }
        switch Int.random(in: 0..<(depth > 0 ? 13 : 9), using: &random) {
        case 0...4:
            let sign = pick(["=", "!=", "<", "<=", ">", ">="], &random)
            return "\(value(depth, &random)) \(sign) \(value(depth, &random))"
        case 5: return "selected(\(text(&random)), \(literal(&random)))"
        case 6:
            let name = pick(["contains", "starts-with", "ends-with"], &random)
            return "\(name)(\(text(&random)), \(literal(&random)))"
        case 7: return value(depth, &random)
        case 8: return "boolean(\(value(depth, &random)))"
        case 9: return "(\(sub()) and \(sub()))"
        case 10: return "(\(sub()) or \(sub()))"
        case 11: return "\(sub()) and \(sub()) and \(sub())"
        default: return "not(\(sub()))"
        }
    }

    private static func value(_ depth: Int, _ random: inout SeededRandom) -> String {
        func number() -> String { value(0, &random) }
        switch Int.random(in: 0..<(depth > 0 ? 16 : 11), using: &random) {
        case 0...2: return text(&random)
        case 3...5:
            return pick(["age", "${other}", "weight", "seen", "due", "/data/age"], &random)
        case 6...7:
            return pick(["0", "5", "-7", "39", "0.1", "3.5", "1000000000000", "20779"], &random)
        case 8: return literal(&random)
        case 9:
            return pick(
                [
                    "today()", "date('2024-02-29')", "date('0000-03-01')", "true()", "false()",
                    "number('x')",
                ], &random)
        case 10: return "_state"
        case 11...13:
            let sign = pick(["+", "-", "*", "div", "mod"], &random)
            return "(\(number()) \(sign) \(number()))"
        case 14: return "(- \(number()))"
        default:
            return pick(
                [
                    "string-length(name)", "coalesce(name, words)", "int(weight)",
                    "if(age > 5, name, weight)", "count-selected(words)", "concat(name, age)",
                    "round(weight)", "_created", "regex(name, '[a-z]+')",
                ], &random)
        }
    }

    private static func text(_ random: inout SeededRandom) -> String {
        pick(["name", "words", "${name}", "age", "seen"], &random)
    }

    private static func literal(_ random: inout SeededRandom) -> String {
        "'\(texts[Int.random(in: 0..<texts.count, using: &random)])'"
    }
}
