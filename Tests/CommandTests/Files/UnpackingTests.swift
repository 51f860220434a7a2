import Foundation
import JSON
import ShareTestKit
import Testing

/// What the program `shared-form` cannot read or write is told, and not left out.
struct UnpackingTests {
    private func run(_ words: [String], input: String = "") async throws -> JSONObject {
        let run = try await CommandRun(
            program: try Product.path("shared-form"), words, input: input)
        return try #require(try JSONValue(text: Array(run.output.utf8)).object, "\(run.errors)")
    }

    @Test func `a part of an archive that cannot be saved ends the import`() async throws {
        let folder = try ScratchFolder()
        let path = folder.path + "/x.zip"
        let name = String(repeating: "n", count: 300) + ".csv"
        try await TestArchive.zip(path, ["visit.csv": "id\na\n", name: "id\nb\n"])
        let answer = try await run(["unpack", path, folder.path])
        let message = answer["problem"]?.object?["message"]?.string ?? ""
        #expect(message == "\(name) cannot be unpacked: File name too long", "\(answer)")
    }

    @Test func `a table that cannot be read is no empty one`() async throws {
        let folder = try ScratchFolder()
        let request: JSONObject = [
            "output": .string(folder.path + "/x.xlsx"), "folder": .string(folder.path),
            "sheets": .array([["name": "a", "file": .string(folder.path)]]),
        ]
        let answer = try await run(["workbook"], input: JSONValue.object(request).shown)
        let message = answer["problem"]?.object?["message"]?.string ?? ""
        #expect(message.hasSuffix("cannot be read: Is a directory"), "\(answer)")
    }
}
