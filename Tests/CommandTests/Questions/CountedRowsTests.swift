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
}
