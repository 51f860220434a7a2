import JSON
import ShareTestKit
import Testing

/// What rows compute of their entry, their places and the rows in them, where a conflict is decided
/// or a change taken back.
@Suite struct RowCalculationTests {
    private static let form = #"""
        {"form_id": "bill", "version": "1", "key": ["code"], "fields": [
          {"name": "code", "type": "text"}, {"name": "rate", "type": "integer"},
          {"name": "total", "type": "integer", "calculation": "sum(${cost})"},
          {"name": "item", "type": "repeat", "label": "Item", "fields": [
            {"name": "what", "type": "text"}, {"name": "number", "type": "integer"},
            {"name": "cost", "type": "integer", "calculation": "${number} * ${rate}"},
            {"name": "place", "type": "integer", "calculation": "position(..)"}]}]}
        """#

    /// Two devices with a bill of two items, and what each has done to it.
    private static func pair(
        _ one: [String], _ other: [String]
    ) async throws -> (a: Daemon, b: Daemon) {
        let a = try await Daemon.clinic("ward-1")
        try #require(try await a.shared("form", "add", "-", input: form).code == 0)
        let b = try await Daemon.member("ward-2", of: a, role: "editor")
        let added = try await a.shared(
            "add", "bill", "code=B1", "rate=10", "item[1]/what=A", "item[1]/number=1",
            "item[2]/what=B", "item[2]/number=2")
        try #require(added.code == 0, "\(added)")
        try await Daemon.share(a, b)
        for (daemon, values) in [(a, one), (b, other)] where !values.isEmpty {
            let run = try await daemon.shared(["edit", "bill", "B1"] + values)
            try #require(run.code == 0, "\(run)")
        }
        try await Daemon.share(a, b)
        return (a, b)
    }

    /// Rate, total, and cost and place of each item.
    private static func expect(
        _ daemon: Daemon, _ rate: Int, _ items: [(cost: Int, place: Int)],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let entry = try await daemon.answer("list", "bill")[0]
        let total = items.reduce(0) { $0 + $1.cost }
        #expect(entry["rate"].number == rate, sourceLocation: sourceLocation)
        #expect(
            entry["total"].number == total, "\(entry.shown)", sourceLocation: sourceLocation
        )
        let rows = entry["item"]
        #expect(rows.array?.count == items.count, sourceLocation: sourceLocation)
        for (place, item) in items.enumerated() {
            #expect(
                rows[place]["cost"].number == item.cost
                    && rows[place]["place"].number == item.place, "\(entry.shown)",
                sourceLocation: sourceLocation)
        }
        let shown = try await daemon.shared("show", "bill", "B1").output
        #expect(!shown.contains("unusual"), "\(shown)", sourceLocation: sourceLocation)
    }

    @Test func `rows follow an answer of their entry that is decided`() async throws {
        let (a, _) = try await Self.pair(["rate=20"], ["rate=30"])
        let resolved = try await a.shared("resolve", "bill", "B1", "rate=50")
        #expect(resolved.code == 0, "\(resolved)")
        try await Self.expect(a, 50, [(50, 1), (100, 2)])
        #expect(try await a.shared("conflicts").output.contains("no conflicts"))
    }

    @Test func `rows follow an answer of their entry that is taken back`() async throws {
        let (a, b) = try await Self.pair(["rate=20"], ["rate=30"])
        let isA = try await a.answer("list", "bill")[0]["rate"].number == 20
        let (winner, rate) = isA ? (a, 30) : (b, 20)
        let undone = try await winner.shared("undo", "bill", "B1")
        #expect(undone.code == 0, "\(undone)")
        try await Self.expect(winner, rate, [(rate, 1), (2 * rate, 2)])
        #expect(try await winner.shared("conflicts").output.contains("no conflicts"))
    }

    @Test func `a row that is decided keeps its place and what it computes of its entry`()
        async throws
    {
        let (a, _) = try await Self.pair(["item[2]/number=5"], ["item[2]/number=6"])
        let row = try #require(try await a.answer("list", "bill")[0]["item"][1]["_id"].string)
        let resolved = try await a.shared("resolve", row, "number=7")
        #expect(resolved.code == 0, "\(resolved)")
        try await Self.expect(a, 10, [(10, 1), (70, 2)])
        #expect(try await a.shared("conflicts").output.contains("no conflicts"))
    }

    @Test func `what a row computes otherwise is flagged`() async throws {
        let (a, _) = try await Self.pair(["rate=20"], ["item[1]/number=3"])
        // Each has computed the first item without the other's answer.
        let shown = try await a.shared("show", "bill", "B1").output
        #expect(shown.contains("item[1]/cost is"), "\(shown)")
        let flagged = try await a.shared("count", "bill", "--by", "_warnings").output
        #expect(flagged.contains("item[1]/cost is"), "\(flagged)")
    }

    @Test func `an entry that asks for more rows than are made is refused, not summed wrongly`()
        async throws
    {
        let daemon = try await Daemon.clinic()
        let form = """
            {"form_id": "many", "version": "1", "fields": [{"name": "n", "type": "integer"},
             {"name": "r", "type": "repeat", "repeat_count": "${n}", "fields": [
              {"name": "x", "type": "text"}]},
             {"name": "c", "type": "calculate", "calculation": "count(${r})"}]}
            """
        try #require(try await daemon.shared("form", "add", "-", input: form).code == 0)
        let run = try await daemon.shared("add", "many", "n=1001")
        run.expectProblem("the entry has more rows than can be computed at once")
        #expect(try await daemon.shared("add", "many", "n=1000").code == 0)
        #expect(try await daemon.answer("list", "many")[0]["c"].string == "1000")
        let id = try #require(try await daemon.answer("list", "many")[0]["_id"].string)
        let more = try await daemon.shared("edit", id, "n=1001")
        #expect(more.code == 1, "\(more)")
        #expect(more.errors.contains("more rows than can be computed at once"), "\(more)")
        #expect(try await daemon.answer("list", "many")[0]["n"].number == 1000)
    }

    @Test func `the history of an entry of very many rows is told though rows of it are deleted`()
        async throws
    {
        let daemon = try await Daemon.clinic()
        let form = """
            {"form_id": "free", "version": "1", "fields": [{"name": "id", "type": "text"},
             {"name": "r", "type": "repeat", "fields": [{"name": "v", "type": "integer"}]}]}
            """
        try #require(try await daemon.shared("form", "add", "-", input: form).code == 0)
        let row = #"{"v":1}"#
        let rows = "r=[" + [String](repeating: row, count: 1_001).joined(separator: ",") + "]"
        try #require(try await daemon.shared("add", "free", "id=F", rows).code == 0)
        let id = try #require(try await daemon.answer("list", "free")[0]["_id"].string)
        try #require(try await daemon.shared("edit", id, "r[1]=").code == 0)
        let history = try await daemon.shared("history", id, "--limit", "2")
        #expect(history.code == 0, "\(history.errors)")
        #expect(try await daemon.shared("status").code == 0)
    }

    @Test func `a row that an edit adds has its default though it names what is not given`()
        async throws
    {
        let daemon = try await Daemon.clinic()
        let form = """
            {"form_id": "sm", "version": "1", "key": ["id"], "fields": [
             {"name": "id", "type": "text"}, {"name": "n", "type": "integer"},
             {"name": "k", "type": "repeat", "repeat_count": "${n}", "fields": [
              {"name": "kn", "type": "text"}, {"name": "ka", "type": "integer"},
              {"name": "kd", "type": "text", "default": "if(${ka} > 3, 'big', 'small')"}]}]}
            """
        try #require(try await daemon.shared("form", "add", "-", input: form).code == 0)
        #expect(try await daemon.shared("add", "sm", "id=b", "n=1", "k[1]/kn=A").code == 0)
        let run = try await daemon.shared("edit", "sm", "b", "n=2", "k[2]/kn=B")
        #expect(run.code == 0, "\(run)")
        let rows = try await daemon.answer("list", "sm")[0]["k"]
        #expect(rows.array?.compactMap { $0["kd"].string } == ["small", "small"], "\(rows)")
    }

    @Test func `what hangs on rows through a calculation is taken from a file of entries`()
        async throws
    {
        let daemon = try await Daemon.clinic()
        let form = """
            {"form_id": "home", "version": "1", "key": ["code"], "fields": [
             {"name": "code", "type": "text"},
             {"name": "r", "type": "repeat", "fields": [{"name": "v", "type": "integer"}]},
             {"name": "tot", "type": "integer", "calculation": "sum(${v})"},
             {"name": "via", "type": "text", "relevant": "${tot} > 3"},
             {"name": "con", "type": "integer", "constraint": ". <= ${tot}"}]}
            """
        try #require(try await daemon.shared("form", "add", "-", input: form).code == 0)
        let entries = try await daemon.shared("import", "home", "-", input: "code,via,con\nb,x,2\n")
        #expect(entries.code == 0, "\(entries)")
        let rows = try await daemon.shared("import", "home/r", "-", input: "PARENT_KEY,v\nb,9\n")
        #expect(rows.code == 0, "\(rows)")
        let entry = try await daemon.answer("list", "home")[0]
        #expect(entry["via"].string == "x" && entry["tot"].number == 9, "\(entry)")
        #expect(try await daemon.answer("list", "home", "--invalid").array?.isEmpty == true)
    }
}
