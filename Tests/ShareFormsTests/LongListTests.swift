import Expressions
import ShareCore
import ShareFormats
import Testing

@testable import ShareForms

/// 100,000 rows outside of the form: 10 regions without a parent, and villages of these.
private final class Places: ChoiceRows {
    let columns = ["name", "parent", "pop"].map { Array($0.utf8) }
    let cost = 30
    let count = 100_000
    private(set) var reads = 0
    private(set) var searches = 0
    /// How often all rows were asked for, and rows that look-ups have found.
    private(set) var wholes = 0
    private(set) var found = 0

    var all: [Int] {
        wholes += 1
        return Array(0..<count)
    }

    func text(row: Int, column: Int) -> [UInt8] {
        reads += 1
        return cell(row, column)
    }

    private func cell(_ row: Int, _ column: Int) -> [UInt8] {
        switch column {
        case 0: Array((row < 10 ? "r\(row)" : "v\(row)").utf8)
        case 1: row < 10 ? [] : Array("r\(row % 10)".utf8)
        default: Array("\(row)".utf8)
        }
    }

    func label(row: Int, language: String?) -> String? { nil }

    func rows(matching typed: String, limit: Int) -> (rows: [Int], count: Int)? {
        searches += 1
        let found = (0..<count).filter {
            String(decoding: cell($0, 0), as: UTF8.self).contains(typed)
        }
        return (Array(found.prefix(limit)), found.count)
    }

    func lookupCost(_ column: Int) -> LookupCost { LookupCost(eighths: 8 * 15) }

    func rows(where column: Int, equals text: [UInt8], limit: Int) -> [Int]? {
        let rows = (0..<count).lazy.filter { self.cell($0, column) == text }.prefix(limit)
        found += rows.count
        return Array(rows)
    }
}

/// What forms make of long lists, and of what takes too long.
struct LongListTests {
    private let places = Places()

    private func state(
        _ form: Questionnaire, answers: Answers = Answers(), kind: FillState.Kind = .new,
        since: Answers? = nil
    ) -> FillState {
        FillState(
            form, answers, kind: kind, since: since, clearing: .always,
            setting: .noon { [places] in $0 == "place" ? places : nil })
    }

    private static let cascade = """
        {"name":"region","type":"select_one","list":"place","choice_filter":"parent = ''"},
        {"name":"village","type":"select_one","list":"place","choice_filter":"parent = ${region}"},
        {"name":"pop","type":"integer",
         "calculation":"instance('place')/root/item[name = ${village}]/pop"},
        {"name":"fever","type":"decimal","constraint":". < 45"}
        """

    @Test func `the roots of a cascade are found as its children are`() throws {
        let state = state(try questionnaire(Self.cascade))
        let region = try #require(state.node(at: "region"))
        #expect(state.choices(at: region, limit: 20)?.offers.map(\.name).last == "r9")
        #expect(state.choices(at: region, limit: 20)?.count == 10)
        state.set("region", "r3")
        state.set("village", "v13")
        state.set("fever", 99.0)
        #expect(state["village"] == "v13" && state["pop"] == 13)
        #expect(state.problems.map { $0.prefix(5) } == ["fever"])
        #expect(state.cautions().isEmpty)
        #expect(places.reads < 1_000 && state.budget.steps > 100_000)
        // A village is no region.
        state.set("region", "v13")
        #expect(state["region"] == .absent)
        state.set("region", "r4")
        #expect(state["village"] == .absent && state["pop"] == .absent)
    }

    @Test func `what is typed is looked for among the children`() throws {
        let state = state(try questionnaire(Self.cascade))
        state.set("region", "r3")
        let village = try #require(state.node(at: "village"))
        let reads = places.reads
        let found = try #require(state.choices(at: village, matching: "9993", limit: 5))
        #expect(found.offers.map(\.name).prefix(2) == ["v9993", "v19993"])
        #expect(found.offers.count == 5 && found.count == 11 && !found.isCut)
        #expect(places.searches == 1, "10,000 children are not read one by one")
        #expect(places.reads - reads < 100)
        let region = try #require(state.node(at: "region"))
        #expect(state.choices(at: region, matching: "R", limit: 4)?.offers.count == 4)
        #expect(state.choices(at: region, matching: "R", limit: 4)?.count == 10)
        #expect(places.searches == 1)
    }

    @Test func `a key that nobody has given yet is looked for nowhere`() throws {
        let form = try questionnaire(
            """
            {"name":"village","type":"text"},
            {"name":"pop","type":"integer","calculation":"pulldata('place','pop','name',${village})"},
            {"name":"other","type":"integer","calculation":"pulldata('place','pop','parent','')"}
            """)
        let state = state(form)
        #expect(state.cautions().isEmpty && places.reads == 0)
        #expect(state.budget.steps > 399_000)
        state.set("village", "v13")
        #expect(state["pop"] == 13)
    }

    @Test(arguments: [
        "sum(instance('place')/root/item/pop)", "count(instance('place')/root/item[pop > 5])",
        "count(instance('place')/root/item)", "join(' ', instance('place')/root/*/name)",
    ])
    func `rows that nobody has steps for are not listed`(_ calculation: String) throws {
        let fields = (0..<590).map {
            #"{"name":"c\#($0)","type":"text","calculation":"\#(calculation)"}"#
        }
        let state = state(try questionnaire(fields.joined(separator: ",")))
        #expect(!state.cautions().isEmpty)
        #expect(places.reads < 20_000 && places.wholes < 40, "\(places.wholes)")
    }

    @Test func `a look-up finds no more rows than there are steps for`() throws {
        let fields = (0..<590).map {
            #"""
            {"name":"c\#($0)","type":"integer",
             "calculation":"count(instance('place')/root/item[parent = ${t}])"}
            """#
        }
        let state = state(
            try questionnaire(#"{"name":"t","type":"text"},"# + fields.joined(separator: ",")),
            answers: Answers(fields: ["r3"]))
        #expect(state["c0"] == 9_999 && !state.cautions().isEmpty)
        #expect(places.found < 40_000, "\(places.found)")
    }

    @Test func `what takes too long leaves steps to all others`() throws {
        let form = try questionnaire(
            """
            {"name":"many","type":"integer",
             "calculation":"count(instance('place')/root/item[pop > ${age}])"},
            {"name":"more","type":"integer","constraint":
             "count(instance('place')/root/item[pop > .]) > 3"},
            {"name":"age","type":"integer","constraint":". < 120",
             "x":{"warn":". > 100","warn_message":"Old"}},
            {"name":"double","type":"integer","calculation":"${age} * 2"},
            {"name":"r","type":"repeat","fields":[
              {"name":"x","type":"integer","constraint":". < 5"},
              {"name":"y","type":"integer",
               "calculation":"count(instance('place')/root/item[pop > current()/../x])"}]}
            """)
        let rows = [Answers](repeating: Answers(fields: [7]), count: 300)
        let state = state(form, answers: Answers(fields: [nil, 1, 130], repeats: [rows]))
        #expect(state["double"] == 260)
        #expect(state.problems.count == 301)
        let cautions = state.cautions()
        #expect(
            cautions.map(\.path) == ["many", "more", "age", "r[1]/y"], "of repetitions the first")
        #expect(cautions[0].message == "not checked here: the form computes too much")
        #expect(cautions[2].message == "Old")
        #expect(state.budget.steps > 0)
        // A row that is read counts for what it takes.
        #expect(places.reads < 20_000)
    }

    @Test func `what cannot be computed of other answers is no value of theirs`() throws {
        let form = try questionnaire(
            """
            {"name":"village","type":"text"},
            {"name":"near","type":"integer",
             "calculation":"count(instance('place')/root/item[pop > 5 and name != ${village}])"},
            {"name":"twice","type":"integer","calculation":"${near} * 2"},
            {"name":"note","type":"text"}
            """)
        let before = Answers(fields: ["v13", 40, 80, .absent])
        #expect(state(form, answers: before, kind: .stored).stored == ["v13", 40, 80, .absent])
        var after = before
        after.fields[3] = "x"
        #expect(
            state(form, answers: after, kind: .stored, since: before).stored
                == ["v13", 40, 80, "x"])
        after.fields[0] = .absent
        #expect(
            state(form, answers: after, kind: .stored, since: before).stored
                == [.absent, .absent, .absent, "x"])
    }

    @Test func `typed names are looked for wherever a list has its names`() throws {
        let form = try questionnaire(
            """
            {"name":"other","type":"text"},
            {"name":"post","type":"select_one_from_file","list":"posts.csv",
             "choice_filter":"kind != ${other}"}
            """)
        let posts = Posts()
        let state = FillState(
            form, Answers(fields: ["mobile"]), kind: .new, clearing: .always,
            setting: .noon { $0 == "posts" ? posts : nil })
        let post = try #require(state.node(at: "post"))
        let found = try #require(state.choices(at: post, matching: "health", limit: 5))
        #expect(found.offers.map(\.name) == ["h1", "h3"] && found.count == 2)
        #expect(found.offers.map(\.label) == ["Health post 1", "Health post 3"])
    }
}

/// A list whose first column is not that of the names.
private struct Posts: ChoiceRows {
    let columns = ["label", "name", "kind"].map { Array($0.utf8) }
    private let cells = [
        ["Health post 1", "h1", "fixed"], ["Health post 2", "h2", "mobile"],
        ["Health post 3", "h3", "fixed"], ["School", "s1", "fixed"],
    ]

    var all: [Int] { Array(cells.indices) }

    func text(row: Int, column: Int) -> [UInt8] { Array(cells[row][column].utf8) }

    func label(row: Int, language: String?) -> String? { cells[row][0] }

    func rows(where column: Int, equals text: [UInt8], limit: Int) -> [Int]? {
        Array(all.filter { self.text(row: $0, column: column) == text }.prefix(limit))
    }

    func rows(matching typed: String, limit: Int) -> (rows: [Int], count: Int)? {
        let found = all.filter { cells[$0][0].lowercased().contains(typed) }
        return (Array(found.prefix(limit)), found.count)
    }
}
