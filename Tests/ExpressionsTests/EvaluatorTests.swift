import Testing

@testable import Expressions

/// What no other engine shows: fields by name, repeats, lists with an index, labels, and where this
/// engine means to differ.
struct EvaluatorTests {
    /// A form with visits, in which items are counted, and a list of towns.
    private func form() -> TreeContext {
        let context = TreeContext()
        let data = context.add("data")
        context.add("region", to: data, "north")
        context.add("age", to: data, 34)
        for (name, counts) in [("Bo", [10.0, 20]), ("Cy", [30])] {
            let visit = context.add("visit", to: data, isRepetition: true)
            context.add("who", to: visit, .string(Array(name.utf8)))
            context.add("first", to: visit)
            for count in counts {
                let item = context.add("item", to: visit, isRepetition: true)
                context.add("count", to: item, .number(count))
                context.add("share", to: item)
            }
        }
        let root = context.add("root", to: context.addList("town"))
        for (name, region) in [("t1", "north"), ("t2", "south"), ("t3", "north")] {
            let item = context.add("item", to: root)
            context.add("name", to: item, .string(Array(name.utf8)))
            context.add("region", to: item, .string(Array(region.utf8)))
        }
        return context
    }

    @Test(
        arguments: [
            ("${who}", "/data/visit[2]/first", "Cy"),
            ("sum(${count})", "/data/age", 60),
            ("sum(${count})", "/data/visit[1]/first", 30),
            (
                "${count} div sum(../../item/count)", "/data/visit[1]/item[2]/share",
                .number(20.0 / 30)
            ),
            ("count(${visit})", "/data/age", 2),
            ("count(${visit})", "/data/visit[2]/first", 1),
            ("count(${item})", "/data/visit[1]/item[2]/share", 2),
            ("count(${item}[count > 10])", "/data/visit[1]/item[2]/share", 1),
            ("count(${visit}[${who} = 'Cy'])", "/data/visit[1]/first", 1),
            ("position(..)", "/data/visit[2]/first", 2),
            ("indexed-repeat(${who}, ${visit}, position(..) - 1)", "/data/visit[2]/first", "Bo"),
            ("indexed-repeat(${count}, ${visit}, 1, ${item}, 2)", "/data/age", 20),
            ("count(${visit}[who = 'Cy'])", "/data/age", 1),
            ("count(${visit}[${who} = 'Cy'])", "/data/age", 1),
            ("${visit}[2]/who", "/data/age", "Cy"),
            ("count(${item}[${count} > 15])", "/data/age", 2),
            ("count(../../visit[who = current()/../who])", "/data/visit[1]/first", 1),
            ("/data/visit[position() = last()]/who", "/data/age", "Cy"),
            ("join(' ', ../visit/who)", "/data/age", "Bo Cy"),
            ("../who", "/data/visit[1]/first", "Bo"),
            ("count(/data/visit/item/..)", "/data/age", 2),
            ("join(' ', /data/visit/item/../who/../who)", "/data/age", "Bo Cy"),
        ] as [(String, String, Value)])
    func `a field in a repeat is the one of the same repetition`(
        _ source: String, _ path: String, _ expected: Value
    ) {
        #expect(evaluate(source, at: path, in: form()) == .value(expected))
    }

    @Test func `one value of a repeated field is asked for in vain`() {
        #expect(evaluate("${who} = 'Bo'", at: "/data/age", in: form()) == .failed(.repeated))
        #expect(evaluate("${nosuch}", in: form()) == .failed(.missing))
        #expect(evaluate("instance('nosuch')/root", in: form()) == .failed(.missing))
    }

    @Test(arguments: [false, true])
    func `a list is filtered, with an index where there is one`(_ hasIndex: Bool) throws {
        let context = form()
        context.hasIndex = hasIndex
        let list = try #require(context.document(Array("town".utf8)))
        let land = context.add("item", to: context.children(of: list, named: nil)[0])
        context.add("name", to: land, "land")
        context.add("region", to: land)
        let item = "instance('town')/root/item"
        let cases: [(String, Value)] = [
            ("count(\(item)[region = ${region}])", 2),
            ("count(\(item)[${region} = region and name != 't1'])", 1),
            ("\(item)[name = 't2']/region", "south"),
            ("count(\(item)[region = 'east'])", 0),
            ("\(item)[region = '']/name", "land"),
            ("count(\(item)[region = ''][position() = 1])", 1),
            ("\(item)[region = 'north'][2]/name", "t3"),
            ("pulldata('town', 'region', 'name', 't2')", "south"),
            ("pulldata('town', 'region', 'name', 't9')", ""),
        ]
        for (source, expected) in cases {
            #expect(evaluate(source, at: "/data/age", in: context) == .value(expected))
        }
        #expect(context.indexedLookups == (hasIndex ? cases.count : 0))
        // While there is no key, there is nothing to look up.
        let none = evaluate("pulldata('town', 'name', 'region', '')", at: "/data/age", in: context)
        #expect(none == .value(""))
        #expect(context.indexedLookups == (hasIndex ? cases.count : 0))
    }

    @Test func `a condition of choices is tested for an item, and current() is the question`()
        throws
    {
        let context = form()
        let item = try #require(context.document(Array("town".utf8)))
        let root = context.children(of: item, named: nil)[0]
        let filter = try parsed("region = ${region} and current() = 34")
        let question = try #require(context.node("/data/age"))
        var budget = Budget()
        let kept = try context.children(of: root, named: nil).filter {
            try filter.value(at: $0, current: question, in: context, budget: &budget).isTrue
        }
        #expect(kept.count == 2)
    }

    @Test func `a choice has a label`() {
        let context = form()
        context.labels = ["data/region north": "The north"]
        for path in ["'${region}'", "${region}", "'/data/region'", "../region", "' ../region '"] {
            let source = "jr:choice-name(${region}, \(path))"
            #expect(evaluate(source, at: "/data/age", in: context) == .value("The north"))
        }
        #expect(evaluate("jr:choice-name('x', '${region}')", in: context) == .value(""))
    }

    @Test func `once keeps what the field has`() {
        let context = form()
        #expect(evaluate("once(7)", at: "/data/age", in: context) == .value(34))
        #expect(evaluate("once(7)", at: "/data/visit[1]/first", in: context) == .value(7))
    }

    @Test(arguments: [
        ("max(-5, -3)", -3.0), ("round(-33.3, -1)", -30), ("round(-35, -1)", -30),
        ("round(35, -1)", 40), ("floor(-1.5)", -2), ("ceiling(-1.5)", -1),
        ("string-length('😀')", 2), ("string-length(substr('a😀b', 0, 3))", 3),
        ("min(1 div 0)", .infinity), ("sum(/data/visit[1]/item[2]/count)", 20),
    ])
    func `differences from JavaRosa are these`(_ source: String, _ expected: Double) {
        #expect(evaluate(source, at: "/data/age", in: form()) == .value(.number(expected)))
    }

    @Test func `random numbers and identifiers come from the caller`() throws {
        let context = form()
        #expect(evaluate("random()", in: context) != evaluate("random()", in: context))
        guard case .value(.string(let bytes)) = evaluate("uuid()", in: context) else {
            Issue.record("no text")
            return
        }
        let uuid = try Regex("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
        #expect(String(decoding: bytes, as: UTF8.self).wholeMatch(of: uuid) != nil)
    }

    @Test func `today is the local day, and summer time does not move it`() {
        let context = form()
        context.now = Moment(milliseconds: 1_795_390_200_000)  // 2026-11-22T23:30:00Z
        #expect(evaluate("string(today())", in: context) == .value("2026-11-22"))
        context.offset = 3_600_000
        #expect(evaluate("string(today())", in: context) == .value("2026-11-23"))
        #expect(evaluate("format-date-time(now(), '%H:%M')", in: context) == .value("00:30"))
    }

    @Test(arguments: [
        ("difference-in-months('2020-01-31', '2020-02-29')", 1.0),
        ("difference-in-months('2020-01-31', '2020-02-28')", 0),
        ("difference-in-months('2021-01-29', '2021-02-28')", 1),
        ("difference-in-months('2020-02-28', '2020-03-27')", 0),
        ("difference-in-months('2020-03-27', '2020-02-28')", 0),
        ("difference-in-months('2020-05-10', '2019-05-10')", -12),
        ("difference-in-months('2020-05-10', '2019-05-11')", -11),
        ("cht:difference-in-months(date('2000-02-29'), date('2001-02-28'))", 12),
        ("cht:difference-in-years('2000-06-15', '2020-06-14')", 19),
        ("cht:difference-in-years('2000-06-15', '2020-06-15')", 20),
        ("cht:difference-in-weeks('2020-01-01', '2020-01-14')", 1),
        ("cht:difference-in-days('2020-03-28', '2020-03-30')", 2),
        ("cht:difference-in-days('2020-03-30', '2020-03-28')", -2),
        ("cht:difference-in-days('2020-03-28T12:00', '2020-03-30T11:00')", 1),
        ("cht:difference-in-days(0, 3)", 3),
    ])
    func `whole months, years, weeks and days lie between two dates`(
        _ source: String, _ expected: Double
    ) {
        let context = form()
        context.offset = 3_600_000
        #expect(evaluate(source, in: context) == .value(.number(expected)))
    }

    @Test(arguments: [
        ("add-date('2020-01-31', 0, 1)", "2020-02-29"),
        ("add-date('2020-02-29', 1)", "2021-02-28"),
        ("add-date('2020-02-29', 1, -12, 1)", "2020-02-29"),
        ("add-date('2020-01-31', 0, -11, 0, 0, 0)", "2019-02-28"),
        ("add-date('2020-12-31', 0, 0, 1)", "2021-01-01"),
        ("add-date('2020-12-31', 0, 0, 0, 23, 60)", "2021-01-01"),
        ("add-date('2020-12-31', '', 'x', 0 - 366)", "2019-12-31"),
        ("add-date('')", ""), ("cht:difference-in-days('', '2020-01-01')", ""),
        ("difference-in-months('2020-01-01', '')", ""),
    ])
    func `a date is so much later, and of no date nothing is`(_ source: String, _ expected: String)
    {
        let value = evaluate("string(\(source))", in: form())
        #expect(value == .value(.string(Array(expected.utf8))))
    }

    @Test func `a date that is too far away has no value`() {
        for source in ["add-date('2020-01-01', 1e10)", "add-date('2020-01-01', 2000000000)"] {
            if case .value = evaluate(source, in: form()) { Issue.record("\(source)") }
        }
    }
}
