import JSON
import ShareTestKit
import Testing

/// Entries as they are shown, listed and found by their keys.
@Suite(.serialized) struct ShownEntriesTests {
    @Test func `entries are shown and found by their key`() async throws {
        let daemon = try await Daemon.household()
        let id = try #require(
            try await daemon.answer("add", "household", "id=KOR-1", "sick=yes", "fever=38")["id"]
                .string)
        let shown = try await daemon.shared("show", "household", "KOR-1")
        let lines = shown.output.split(separator: "\n")
        #expect(lines[0] == "household KOR-1 (\(id.suffix(8)))", "\(shown.errors)")
        #expect(lines[1].hasPrefix("entered by ward-1 ("))
        #expect(
            lines[2...].elementsEqual([
                "Number            KOR-1", "Is anybody sick?  Yes", "Fever             38 Cel",
            ]), "\(shown.output)")
        let again = try await daemon.shared("add", "household", "id=KOR-1")
        #expect(again.errors.contains("household KOR-1 is there already"), "\(again.errors)")
        try await daemon.shared("show", "household", "KOR-1").expectProblem("2 entries are called")
        let duplicates = try await daemon.answer("list", "household", "--duplicates")
        #expect(duplicates.array?.count == 2)
        try await daemon.shared("show", "household", "KOR-9")
            .expectProblem("no entry \"household KOR-9\"")
        try await daemon.shared("show", "household", "a", "b")
            .expectProblem("no entry \"household a\"")
        try await daemon.shared("edit", "household", "a", "b", "fever=38")
            .expectProblem("the key of household has one value", code: 2)
    }

    @Test func `entries of one key are told apart, and an id behind the form names one`()
        async throws
    {
        let daemon = try await Daemon.household()
        let first = try #require(
            try await daemon.answer("add", "household", "id=KOR-1", "sick=no")["id"].string)
        #expect(try await daemon.shared("add", "household", "id=KOR-1").code == 0)
        let run = try await daemon.shared("show", "household", "KOR-1")
        #expect(run.code == 1)
        #expect(run.errors.contains("2 entries are called household KOR-1: "), "\(run.errors)")
        #expect(run.errors.contains("\(first.suffix(8)) by ward-1 ("), "\(run.errors)")
        #expect(
            run.errors.contains("Give one's id in the place of household KOR-1"), "\(run.errors)")
        let named = try await daemon.shared("delete", "household", "\(first.suffix(8))")
        #expect(named.code == 0, "\(named.errors)")
        let back = try await daemon.shared("restore", "household", "\(first.suffix(8))")
        #expect(back.code == 0, "\(back.errors)")
    }

    @Test func `lists say who changed an entry last, and what was not sent`() async throws {
        let daemon = try await Daemon.household()
        let plain = try await daemon.shared("set", "autopush", "off")
        #expect(plain.code == 0, "\(plain.errors)")
        _ = try await daemon.answer("add", "household", "id=KOR-1")
        #expect(
            try await daemon.answer("list", "household", "_sent=no").array?.count == 1)
        #expect(try await daemon.shared("push").code == 0)
        #expect(
            try await daemon.answer("list", "household", "_sent=no").array?.count == 0)
        let wrong = try await daemon.shared("list", "household", "_sent=maybe")
        wrong.expectProblem("_sent is yes or no", code: 2)
        let foo = daemon.folder.path + "/x.foo"
        try await daemon.shared("export", "household", "--output", foo)
            .expectProblem(".foo", code: 2)
    }
}
