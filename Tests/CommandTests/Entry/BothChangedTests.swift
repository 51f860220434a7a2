import JSON
import ShareTestKit
import Testing

/// What is told of an entry in which the changes of two devices have come together.
@Suite struct BothChangedTests {
    /// Two devices with a form and an entry of it.
    private static func pair(_ form: String, _ entry: String...) async throws -> (
        a: Daemon, b: Daemon
    ) {
        let a = try await Daemon.clinic("ward-1")
        try #require(try await a.shared("form", "add", "-", input: form).code == 0)
        let b = try await Daemon.member("ward-2", of: a, role: "editor")
        let added = try await a.shared(["add"] + entry)
        try #require(added.code == 0, "\(added)")
        try await Daemon.share(a, b)
        return (a, b)
    }

    private static func edit(_ daemon: Daemon, _ values: String...) async throws {
        let run = try await daemon.shared(["edit"] + values)
        try #require(run.code == 0, "\(run)")
    }

    @Test func `a calculation that has no value although its answers have come is told`()
        async throws
    {
        let (a, b) = try await Self.pair(
            #"""
            {"form_id":"mc","version":"1","key":["key"],"fields":[{"name":"key","type":"text"},
            {"name":"a","type":"integer"},{"name":"b","type":"integer"},
            {"name":"s","type":"integer","calculation":"${a} + ${b}"},
            {"name":"r","type":"repeat","fields":[{"name":"x","type":"integer"},
            {"name":"t3","type":"integer","calculation":"${a} + ${b}"}]}]}
            """#, "mc", "key=A", "r[1]/x=1")
        #expect(!(try await a.shared("show", "mc", "A").output.contains("unusual")))
        try await Self.edit(a, "mc", "A", "a=3")
        try await Self.edit(b, "mc", "A", "b=4")
        try await Daemon.share(a, b)
        for daemon in [a, b] {
            let shown = try await daemon.shared("show", "mc", "A")
            #expect(
                shown.words.contains(
                    "unusual s has no value: of its answers the form makes 7"), "\(shown)")
            #expect(
                shown.words.contains("r[1]/t3 has no value: of its answers the form makes 7"),
                "\(shown)")
            let isListed = await eventually {
                (try? await daemon.answer("list", "mc", "_warnings!="))?.array?.count == 1
            }
            #expect(isListed)
        }
        // Whoever changes the entry next has it worked out.
        try await Self.edit(a, "mc", "A", "a=5")
        let after = try await a.shared("show", "mc", "A")
        #expect(after.words.contains("s 9") && !after.output.contains("unusual"), "\(after)")
    }

    @Test func `rows beyond what the form counts are told`() async throws {
        let (a, b) = try await Self.pair(
            #"""
            {"form_id":"cnt","version":"1","key":["key"],"fields":[{"name":"key","type":"text"},
            {"name":"n","type":"integer"},{"name":"r","type":"repeat","repeat_count":"${n}",
            "fields":[{"name":"a","type":"text"}]}]}
            """#, "cnt", "key=Q", "n=1", "r[1]/a=one")
        #expect(!(try await a.shared("show", "cnt", "Q").output.contains("unusual")))
        try await Self.edit(a, "cnt", "Q", "n=2", "r[2]/a=c2")
        try await Self.edit(b, "cnt", "Q", "n=2", "r[2]/a=e2")
        try await Daemon.share(a, b)
        for daemon in [a, b] {
            let shown = try await daemon.shared("show", "cnt", "Q")
            #expect(
                shown.words.contains("1 row of r is not asked with the other answers"),
                "\(shown)")
            let isListed = await eventually {
                (try? await daemon.answer("list", "cnt", "_warnings!="))?.array?.count == 1
            }
            #expect(isListed)
        }
    }

    @Test func `the history has the changes of rows in the order of their places everywhere`()
        async throws
    {
        let (a, b) = try await Self.pair(
            #"""
            {"form_id":"d","version":"1","key":["key"],"fields":[{"name":"key","type":"text"},
            {"name":"z","type":"repeat","fields":[{"name":"x","type":"integer"},
            {"name":"y","type":"repeat","fields":[{"name":"v","type":"integer"}]}]},
            {"name":"c","type":"repeat","fields":[{"name":"w","type":"integer"}]}]}
            """#, "d", "key=A", "z[1]/x=1", "z[1]/y[1]/v=11", "z[1]/y[2]/v=12", "z[2]/x=2",
            "z[2]/y[1]/v=21", "z[2]/y[2]/v=22", "c[1]/w=5", "c[2]/w=6")
        try await Self.edit(
            b, "d", "A", "z[2]/y[1]/v=31", "c[1]/w=7", "z[1]/y[2]/v=32", "z[1]/x=33", "z[2]/x=34",
            "z[1]/y[1]/v=35")
        try await Daemon.share(a, b)
        for daemon in [a, b] {
            let history = try await daemon.answer("history", "d", "A").array ?? []
            let shown = history.map { ($0["shown"].array ?? []).map { $0["field"].string ?? "" } }
            #expect(
                shown == [
                    [
                        "key", "z[1]/x", "z[1]/y[1]/v", "z[1]/y[2]/v", "z[2]/x", "z[2]/y[1]/v",
                        "z[2]/y[2]/v", "c[1]/w", "c[2]/w",
                    ],
                    ["z[1]/x", "z[1]/y[1]/v", "z[1]/y[2]/v", "z[2]/x", "z[2]/y[1]/v", "c[1]/w"],
                ], "\(shown)")
        }
    }
}
