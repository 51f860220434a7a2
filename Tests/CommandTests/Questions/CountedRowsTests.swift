import JSON
import ShareTestKit
import Testing

/// Questions that say how many rows there are.
@Suite struct CountedRowsTests {
    private func daemon() async throws -> Daemon {
        let daemon = try await Daemon.clinic()
        let form = #"""
            {"form_id": "home", "version": "1", "key": ["code"], "fields": [
              {"name": "code", "type": "text"},
              {"name": "n", "type": "integer", "label": "How many?", "constraint": ". <= 1200",
               "constraint_message": "0 to 1,200"},
              {"name": "person", "type": "repeat", "label": "Person", "repeat_count": "${n}",
               "fields": [{"name": "pname", "type": "text", "label": "Name", "required": true}]}]}
            """#
        try #require(try await daemon.shared("form", "add", "-", input: form).code == 0)
        return daemon
    }

    private func people(_ daemon: Daemon) async throws -> [String?] {
        let rows = try await daemon.answer("list", "home/person").array ?? []
        return rows.sorted { ($0["_index"].number ?? 0) < ($1["_index"].number ?? 0) }
            .map { $0["pname"].string }
    }

    @Test func `a slip at the count is asked again`() async throws {
        let daemon = try await daemon()
        let added = try await daemon.shared(
            "add", "home", "--ask", input: "A\n5000\n1100\n2\nAnn\nBob\n\n")
        #expect(added.code == 0, "\(added)")
        #expect(added.output.contains("0 to 1,200"), "\(added)")
        #expect(added.output.contains("more rows than can be computed at once"), "\(added)")
        #expect(try await people(daemon) == ["Ann", "Bob"])
        let given = try await daemon.shared("add", "home", "code=B", "n=5000")
        #expect(given.code == 1 && given.errors.contains("0 to 1,200"), "\(given)")
    }

    @Test(arguments: [(["y", "Dan", ""], ["Ann", "Cy", "Dan"]), (["t", ""], ["Ann"])])
    func `who else has changed the count meanwhile is told first`(
        answers: [String], left: [String]
    ) async throws {
        let daemon = try await daemon()
        let added = try await daemon.shared(
            "add", "home", "code=A", "n=2", "person[1]/pname=Ann", "person[2]/pname=Bob")
        try #require(added.code == 0, "\(added)")
        let edit = try await daemon.onTerminal(
            ["edit", "home", "A"],
            [
                .init(line: "2"), .init(line: "3"), .init(line: "Cy"),
                .init(line: "", meanwhile: ["edit", "home", "A", "n=1"]),
            ] + answers.map { .init(line: $0) })
        #expect(edit.output.contains("How many? was changed meanwhile: 2 -> 1"), "\(edit)")
        #expect(edit.code == 0, "\(edit)")
        #expect(try await people(daemon) == left)
    }

    /// Edits entry A on a terminal, while somebody else does so once the summary is there.
    private func edit(
        _ daemon: Daemon, with before: [String], _ typed: [String], meanwhile: [String],
        then answers: [String]
    ) async throws -> CommandRun {
        let added = try await daemon.shared(["add", "home", "code=A"] + before)
        try #require(added.code == 0, "\(added)")
        return try await daemon.onTerminal(
            ["edit", "home", "A"],
            typed.map { .init(line: $0) }
                + [.init(line: "", meanwhile: ["edit", "home", "A"] + meanwhile)]
                + answers.map { .init(line: $0) })
    }

    @Test func `rows that both add are told, and the count makes room for them`() async throws {
        let daemon = try await daemon()
        let edit = try await edit(
            daemon, with: ["n=1", "person[1]/pname=Ann"], ["2", "2", "Mine"],
            meanwhile: ["n=2", "person[2]/pname=Theirs"], then: ["2", "3", ""])
        #expect(edit.output.contains("a row was added by"), "\(edit)")
        #expect(edit.code == 0, "\(edit)")
        #expect(Set(try await people(daemon)) == ["Ann", "Theirs", "Mine"], "\(edit)")
    }

    @Test(arguments: [("y", ["Ann", "Mine", "More", "Theirs"]), ("t", ["Ann", "Mine", "Theirs"])])
    func `counts that differ are asked about, and the rows of both are there`(
        answer: String, left: [String]
    ) async throws {
        let daemon = try await daemon()
        let edit = try await edit(
            daemon, with: ["n=1", "person[1]/pname=Ann"], ["2", "3", "Mine", "More"],
            meanwhile: ["n=2", "person[2]/pname=Theirs"],
            then: [answer, "2", answer == "y" ? "4" : "3", ""])
        #expect(edit.code == 0, "\(edit)")
        #expect(try await people(daemon).compactMap(\.self).sorted() == left, "\(edit)")
    }

    @Test func `a row that somebody changes while it is counted away is told before it goes`()
        async throws
    {
        let daemon = try await daemon()
        let edit = try await edit(
            daemon, with: ["n=2", "person[1]/pname=Ann", "person[2]/pname=Bob"], ["2", "1"],
            meanwhile: ["person[2]/pname=Bobby"], then: [""])
        #expect(edit.output.contains("Bob -> Bobby"), "\(edit)")
        #expect(edit.output.contains("goes with its"), "\(edit)")
        #expect(edit.code == 0, "\(edit)")
        #expect(try await people(daemon) == ["Ann"])
    }

    @Test func `an own row for which the count leaves no place is not lost without a word`()
        async throws
    {
        let daemon = try await daemon()
        let edit = try await edit(
            daemon, with: ["n=2", "person[1]/pname=Ann", "person[2]/pname=Bob"], ["4", "Mine"],
            meanwhile: ["n=1"], then: ["y", "", "2", "2", ""])
        #expect(edit.output.contains("Your row has no place"), "\(edit)")
        #expect(edit.code == 0, "\(edit)")
        #expect(try await people(daemon) == ["Ann", "Mine"], "\(edit)")
    }
}
