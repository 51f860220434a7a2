import JSON
import ShareTestKit
import Testing

/// Archives as other programs make them.
enum TestArchive {
    /// Packs files, and a folder of files, with names as they are given.
    static func zip(_ path: String, _ files: [String: String]) async throws {
        let list = JSONValue.object(JSONObject(files.map { .init(key: $0, value: .string($1)) }))
        let run = try await CommandRun(
            program: "/usr/bin/python3",
            [
                "-c",
                "import sys, json, zipfile\nz = zipfile.ZipFile(sys.argv[1], 'w')\n"
                    + "for n, t in json.loads(sys.argv[2]).items(): z.writestr(n, t)", path,
                list.shown,
            ])
        try #require(run.code == 0, "\(run.errors)")
    }
}
