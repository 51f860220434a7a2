import Testing

@testable import Expressions

/// Expressions of hostile forms: each ends soon, with a reason, and none crashes.
struct BoundsTests {
    private func form(children: Int = 0) -> TreeContext {
        let context = TreeContext()
        let data = context.add("data")
        context.add("a", to: data, "x")
        for _ in 0..<children { context.add("r", to: data, 1) }
        return context
    }

    @Test(arguments: [
        String(repeating: "(", count: 10_000) + "1" + String(repeating: ")", count: 10_000),
        String(repeating: "not(", count: 8_000) + "1" + String(repeating: ")", count: 8_000),
        String(repeating: "-", count: 30_000) + "1",
        String(repeating: "a[", count: 10_000) + "1" + String(repeating: "]", count: 10_000),
        String(repeating: "1 + (", count: 5_000) + "1" + String(repeating: ")", count: 5_000),
        String(repeating: " ", count: 40_000),
        "${a} = '" + String(repeating: "x", count: 40_000) + "'",
    ])
    func `an expression that is too long or too deep is not supported`(_ source: String) {
        guard case .unsupported = evaluate(source, in: form()) else {
            Issue.record("it was read")
            return
        }
    }

    @Test func `an expression has so many moves as its text has room for`() throws {
        // Half of it nested paths, 80 levels of them, and half of it paths in the innermost.
        let level = String(repeating: "./", count: 48) + "f["
        let references = [String](repeating: ".", count: 8_000).joined(separator: "+")
        let hostile =
            String(repeating: level, count: 80) + references + String(repeating: "]", count: 80)
        guard case .unsupported(let found) = Expression.parse(Array(hostile.utf8)) else {
            Issue.record("it was read")
            return
        }
        #expect(String(decoding: found.what, as: UTF8.self) == "a condition in so long a path")
        // Columns in a condition on a long path, however many, are.
        let column = [String](repeating: "ab = 1", count: 3_000).joined(separator: " or ")
        for plain in ["/data/a/b/c/d/e/f/g/h/i/j[\(column)]", references] {
            let expression = try parsed(plain)
            let moves = expression.references.reduce(0) { $0 + $1.moves.count }
            #expect(moves >= 8_000 && moves <= 4 * plain.utf8.count)
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `a condition with parentheses in parentheses is looked at once`() throws {
        let nested =
            String(repeating: "(", count: 80) + "name = 'k'"
            + String(repeating: " and b)", count: 80)
        let expression = try parsed("instance('l')/root/item[\(nested)]")
        guard case .path(let path) = expression.terms[expression.root].kind else {
            Issue.record("no path")
            return
        }
        let lookup = try #require(path.steps.last?.predicates.first?.lookup)
        #expect(lookup.column == Array("name".utf8) && !lookup.isWhole)
    }

    @Test(arguments: [
        String(repeating: "${a} = 'y' or ", count: 2_000) + "${a} = 'x'",
        "concat(" + String(repeating: "'a', ", count: 900) + "'b') != ''",
        String(repeating: "(", count: 40) + "1" + String(repeating: ")", count: 40) + " = 1",
        "1" + String(repeating: " + 1", count: 5_000) + " = 5001",
        "7" + String(repeating: " * 2 - 7", count: 2_000) + " = -27979",
    ])
    func `a long one that is plain is read`(_ source: String) {
        #expect(evaluate(source, in: form()) == .value(true))
    }

    @Test(arguments: [
        // Each level looks at all nodes for each node.
        "count(../data/r[count(../r[count(../r[count(../r) > 0]) > 0]) > 0])",
        "count(/data/r[/data/r[/data/r[. > 0]]])",
        "contains(" + String(repeating: "concat(", count: 20) + "/data/r"
            + String(repeating: ", /data/r)", count: 20) + ", 'x')",
    ])
    func `work beyond the budget ends`(_ source: String) {
        let context = form(children: 150)
        let clock = ContinuousClock()
        let time = clock.measure {
            switch evaluate(source, in: context) {
            case .failed(.outOfBudget), .failed(.repeated): break
            case let other: Issue.record("\(other)")
            }
        }
        #expect(time < .seconds(60), "an optimised build takes a fiftieth of that")
    }

    /// Steps that an evaluation takes, with a text of 30,000 letters as `a`.
    private func steps(_ source: String, _ value: Value) throws -> Int {
        let context = TreeContext()
        let data = context.add("data")
        context.add("a", to: data, value)
        let node = try #require(context.node("/data"))
        var budget = Budget(steps: 10_000_000)
        _ = try parsed(source).value(at: node, in: context, budget: &budget)
        return 10_000_000 - budget.steps
    }

    @Test(arguments: [
        ("translate(${a}, 'ab', 'ba')", 30_000), ("normalize-space(${a})", 15_000),
        ("substring(${a}, 2)", 15_000), ("substr(${a}, 1)", 3_000), ("${a}", 900),
        ("selected(${a}, 'x')", 15_000),
    ])
    func `a function of a long text takes steps for its length`(
        _ source: String, _ least: Int
    ) throws {
        let text = [UInt8](repeating: 0x61, count: 30_000)
        let many = try steps(source, .string(text))
        #expect(many >= least && many < 4 * least)
        #expect(try steps(source, "kept as it is") < 100, "an answer of a few words")
    }

    @Test func `points, dates and chance take more steps than their letters`() throws {
        let line = (0..<100).map { "48.2\($0) 16.3 0 0" }.joined(separator: ";")
        #expect(try steps("distance(${a})", .string(Array(line.utf8))) > 2_000)
        #expect(try steps("format-date(today(), '%Y-%m-%d')", "") > 40)
        #expect(try steps("uuid(200)", "") > 1_000)
    }

    @Test func `digits of a very large or tiny number take more steps than those of others`()
        throws
    {
        for source in ["round(${a}, 2)", "string(${a})"] {
            for number in [1e300, -1e15, 1e-9, -9.9e-6] {
                #expect(try steps(source, .number(number)) > 1_000, "\(source) of \(number)")
            }
            for number in [0, 1e-5, -0.1, 123.456, 9.9e14, .nan] {
                #expect(try steps(source, .number(number)) < 40, "\(source) of \(number)")
            }
        }
        #expect(try steps("round(${a}, 2)", 1e-300) > 1_000)
        #expect(try steps("string(${a})", 1e-300) < 40, "it is 0")
    }

    @Test func `a text has a largest length`() {
        let context = TreeContext()
        let data = context.add("data")
        context.add("a", to: data, .string([UInt8](repeating: 0x61, count: 60_000)))
        #expect(evaluate("concat(${a}, ${a})", in: context) == .failed(.tooLong))
        #expect(evaluate("string-length(translate(${a}, 'a', 'e'))", in: context) == .value(60_000))
    }

    @Test func `a budget is shared by the expressions of an entry`() throws {
        let context = form(children: 50)
        let node = try #require(context.node("/data"))
        let expression = try parsed("sum(r[. > 0])")
        var budget = Budget(steps: 1_000)
        #expect(try expression.value(at: node, in: context, budget: &budget) == 50)
        let left = budget.steps
        #expect(left > 0 && left < 900)
        _ = try? expression.value(at: node, in: context, budget: &budget)
        #expect(budget.steps < left - 100)
    }

    /// Random bytes and random cuts of expressions that are right: parsing and evaluation end.
    @Test func `no input crashes`() throws {
        var random = Sequence(state: 20_261_122)
        let whole = [
            "if(selected(${a}, 'x') and regex(., '[a-z]{1,3}'), sum(../r[. > 1.5]), -date('2020-01-02') div 2)",
            "indexed-repeat(${r}, ${data}, 2) != format-date-time(now(), '%Y-%b-%e %H:%M:%S.%3 %a %W')",
            "substr(translate(a, 'é', 'e'), -2, 5) | instance('x')/root/item[name = current()/../a]/label",
        ].map { Array($0.utf8) }
        let context = form(children: 3)
        let node = try #require(context.node("/data/a"))
        for _ in 0..<3_000 {
            var bytes = whole[random.next(whole.count)]
            for _ in 0..<random.next(4) {
                let index = random.next(bytes.count)
                switch random.next(3) {
                case 0: bytes.remove(at: index)
                case 1: bytes[index] = UInt8(random.next(256))
                default:
                    bytes.insert(contentsOf: bytes[index...].prefix(random.next(12)), at: index)
                }
            }
            if case .expression(let expression) = Expression.parse(bytes) {
                var budget = Budget()
                _ = try? expression.value(at: node, in: context, budget: &budget)
            }
        }
    }

    private struct Sequence {
        var state: UInt64

        mutating func next(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
    }
}
