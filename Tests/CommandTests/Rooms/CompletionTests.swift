import JSON
import ShareTestKit
import Testing

/// Words that a shell is told to put in: people run the line, whoever called a room or a device so.
@Suite(.serialized) struct CompletionTests {
    @Test func `a name that a shell would run is no candidate`() async throws {
        let daemon = try await Daemon.clinic()
        let name = "a$(touch x);b c"
        try #require(try await daemon.shared("create", name).code == 0)
        let rooms = try await daemon.answer("rooms")
        let id = try #require(
            rooms.array?.compactMap(\.object).first { $0["name"]?.string == name }?["id"]?.string)
        let begun = try await daemon.shared("__complete", "leave", "a")
        #expect(begun.code == 0 && begun.output.isEmpty, "\(begun)")
        // Its id, which the commands take as well, stands for it.
        let all = try await daemon.shared("__complete", "leave", "")
        let words = all.output.split(separator: "\n")
        #expect(words.count == 2 && words.contains("clinic"), "\(all)")
        let other = try #require(words.first { $0 != "clinic" })
        #expect(id.contains(other), "\(id) \(other)")
        let left = try await daemon.shared("use", String(other))
        #expect(left.code == 0, "\(left)")
    }
}
