import Foundation
import JSON
import ShareTestKit
import Testing

/// One household that two devices enter while they do not meet.
@Suite struct RepeatedKeysTests {
    @Test(.timeLimit(.minutes(2)))
    func `status counts the keys that are there more than once, until they are not`() async throws {
        let first = try await Daemon.clinic()
        let second = try await Daemon.member("ward-2", of: first)
        try await first.add("Ada", age: 1)
        try await first.add("Ben", age: 2)
        try await second.add("ADA", age: 3)
        for daemon in [first, second] {
            #expect(!(try await daemon.shared("status").output.contains("more than once")))
        }
        for daemon in [first, second] { _ = try await daemon.shared("push") }
        try await Daemon.untilIdentical(first, second, records: 3)
        let told = "1 key of visit is there more than once: shared list visit --duplicates"
        for daemon in [first, second] {
            let status = try await daemon.shared("status")
            #expect(status.words.contains(told), "\(status.output)")
            let rooms = try await daemon.answer("status")["rooms"]
            #expect(rooms[0]["repeated_keys"][0]["count"].number == 1)
        }
        let twice = try await first.answer("list", "visit", "--duplicates")
        #expect(twice.array?.count == 2)
        try #require(try await first.shared("delete", "visit", "ADA").code == 0)
        let status = try await first.shared("status")
        #expect(!status.output.contains("more than once"), "\(status.output)")
    }

    @Test func `an entry that is back says who has got its key since`() async throws {
        let daemon = try await Daemon.clinic()
        let first = try await daemon.add("Ada", age: 1)
        try #require(try await daemon.shared("delete", "visit", "Ada").code == 0)
        let alone = try await daemon.shared("restore", first)
        #expect(alone.code == 0 && !alone.errors.contains("already"), "\(alone)")
        try #require(try await daemon.shared("delete", "visit", "Ada").code == 0)
        let other = try await daemon.add("Ada", age: 2)
        let back = try await daemon.shared("restore", first)
        #expect(back.code == 0 && back.output.hasSuffix("is back\n"), "\(back)")
        let told = back.errors.replacing("\n", with: " ")
        #expect(told.contains("visit Ada is there already (\(other.suffix(8)), by"), "\(back)")
    }

    @Test func `an entry of a name that another one has is chosen by its id, and told so`()
        async throws
    {
        let daemon = try await Daemon.clinic()
        let form = #"""
            {"form_id": "followup", "version": "1", "key": ["fid"], "fields": [
              {"name": "fid", "type": "text"},
              {"name": "of", "type": "select_one", "list": "@form:visit", "label": "Visit"}]}
            """#
        try #require(try await daemon.shared("form", "add", "-", input: form).code == 0)
        let one = try await daemon.add("Ada", age: 1)
        let other = try await daemon.add("Ada", age: 2)
        let ends = [one, other].map { String($0.suffix(8)) }
        let refused = try await daemon.shared("add", "followup", "fid=1", "of=Ada")
        refused.expectProblem("field of: 2 entries of visit are called \"Ada\": ")
        refused.expectHint("Give one's id in the place of Ada: ")
        let told = refused.errors.replacing("\n", with: " ")
        for (end, age) in zip(ends, [1, 2]) {
            #expect(told.contains("\(end) by ward-1 ("), "\(refused)")
            #expect(told.contains(", age \(age)"), "\(refused)")
        }
        let file = try await daemon.shared("import", "followup", "-", input: "fid,of\n1,Ada\n")
        #expect(file.errors.contains("2 entries of visit are called \"Ada\""), "\(file)")
        let added = try await daemon.shared("add", "followup", "fid=1", "of=\(ends[1])")
        #expect(added.code == 0, "\(added)")
    }
}
