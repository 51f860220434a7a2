import JSON
import ShareControl
import ShareTestKit
import Testing

/// What people see of entries that are gone, with the real binaries.
@Suite(.serialized) struct DeletedEntriesTests {
    @Test func `deleted entries are listed with who deleted them and when, the latest first`()
        async throws
    {
        let a = try await Daemon.clinic("ward-1")
        let none = try await a.shared("list", "visit", "--deleted")
        #expect(none.output == "no deleted entries\n" && none.errors == "", "\(none)")
        let rows = "name,age\nAda,1\nBen,2\nCem,3\nDan,4\n"
        #expect(try await a.shared("import", "visit", "-", input: rows).code == 0)
        #expect(try await a.shared("push").code == 0)
        let b = try await Daemon.member("ward-2", of: a, role: "editor")
        #expect(await eventually { (try? await b.names().count) == 4 })
        // Not in the order in which they were made.
        #expect(try await b.shared("delete", "Cem").code == 0)
        #expect(try await b.shared("push").code == 0)
        #expect(await eventually { (try? await a.names().count) == 3 })
        #expect(try await a.shared("delete", "Ben").code == 0)
        #expect(try await a.shared("delete", "Dan").code == 0)
        #expect(try await a.shared("restore", "Dan").code == 0)

        let list = try await a.shared(
            "list", "visit", "--deleted", "--columns", "name,age,_updated_by,_notes")
        let lines = list.output.split(separator: "\n")
        #expect(
            lines.map { $0.split(separator: " ").joined(separator: " ") }
                == ["name age DELETED BY NOTE", "Ben 2 ward-1 not sent", "Cem 3 ward-2"], "\(list)")
        #expect(list.errors.contains("note: one comes back by its key or id: shared restore "))
        let all = try await a.answer("list", "visit", "--deleted").array ?? []
        #expect(all.map { $0["name"].string } == ["Ben", "Cem"])
        #expect(try await all.last?["_deleted_by"].string == b.ownID())
        #expect(all.last?["_updated_by"].string == "ward-2")
        #expect(all.first?["_sent"] == .bool(false) && all.last?["_sent"] == .bool(true))

        let one = try await a.shared("list", "visit", "--deleted", "--limit", "1")
        #expect(one.output.contains("Ben") && !one.output.contains("Cem"), "\(one)")
        #expect(one.errors.contains("2 entries were deleted; all of them"), "\(one.errors)")
        #expect(one.errors.contains("shared list visit --deleted --limit 2"), "\(one.errors)")
        let since = try await a.shared("list", "visit", "--since", "90s")
        #expect(
            since.errors.contains(
                "note: 2 entries were deleted since then: shared list visit --deleted --since 90s"),
            "\(since.errors)")
        let later = try await a.shared("list", "visit", "--since", "tomorrow")
        #expect(!later.errors.contains("deleted"), "\(later.errors)")
        let future = try await a.shared("list", "visit", "--deleted", "--since", "tomorrow")
        #expect(future.output == "no deleted entries\n", "\(future)")

        #expect(try await a.shared("restore", "Ben").code == 0)
        #expect(try await a.answer("list", "visit", "--deleted").array?.count == 1)
    }

    @Test func `what is asked of entries that are there is refused of deleted ones`() async throws {
        let a = try await Daemon.clinic("ward-1")
        try await a.shared("list", "visit", "--deleted", "--duplicates")
            .expectProblem("--deleted and --duplicates exclude each other", code: 2)
        for words in [["age=2"], ["--sort", "age"], ["--author", "ward-1"], ["--state", "none"]] {
            try await a.shared(["list", "visit", "--deleted"] + words)
                .expectProblem("a list of deleted entries takes no", code: 2)
        }
        #expect(try await a.answer("list", "visit", "_state=none").array?.isEmpty == true)
    }
}
