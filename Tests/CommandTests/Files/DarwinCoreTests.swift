import Foundation
import JSON
import ShareTestKit
import Testing

/// Archives for databases of biodiversity, read by another program.
@Suite struct DarwinCoreTests {
    @Test(.timeLimit(.minutes(2)))
    func `what looks like one letter with a quote is a quote, and each table has a file`()
        async throws
    {
        let daemon = try await FilesTests.room()
        let folder = daemon.folder.path
        let site = "q\"\u{301},z\n<"
        let entry: JSONObject = [
            "_id": "0190a000-0000-7000-8000-000000000001", "site": .string(site),
            "seen": .array([["what": "<\u{338}fox"]]),
        ]
        let lines = folder + "/in.ndjson"
        try Data(JSONValue.object(entry).text).write(to: URL(filePath: lines))
        let read = try await daemon.shared("import", "walk", lines)
        try #require(read.code == 0, "\(read.errors)")
        let mapping = """
            {"title":"a <\u{338} b & \\u0001","core":{"type":"Event","terms":{"locality":"site"}},
             "extensions":[
             {"type":"Occurrence","repeat":"seen","terms":{"vernacularName":"what"}},
             {"type":"Occurrence","repeat":"seen","terms":{"individualCount":"tally"}}]}
            """
        try Data(mapping.utf8).write(to: URL(filePath: folder + "/map.json"))
        let run = try await daemon.shared(
            "export", "walk", "--darwin-core", folder + "/map.json", "--output",
            folder + "/walk.zip")
        try #require(run.code == 0, "\(run.errors)")
        #expect(
            run.errors.contains(
                "eml.xml has no creator, contact, licence, description, which GBIF"),
            "\(run.errors)")
        let wrong = mapping.replacingOccurrences(
            of: "{\"title\"", with: "{\"creator\":{\"nam\":\"Nina\"},\"title\"")
        try Data(wrong.utf8).write(to: URL(filePath: folder + "/wrong.json"))
        let refused = try await daemon.shared(
            "export", "walk", "--darwin-core", folder + "/wrong.json", "--output",
            folder + "/wrong.zip")
        refused.expectProblem("creator is no name", code: refused.code)
        let script = """
            import csv, io, json, sys, xml.etree.ElementTree as tree, zipfile
            z = zipfile.ZipFile(sys.argv[1])
            text = lambda name: z.read(name).decode()
            rows = {n: list(csv.reader(io.StringIO(text(n), newline=''))) for n in z.namelist()
                    if n.endswith('.csv')}
            files = [e.text for e in tree.fromstring(text('meta.xml')).iter() if 'location' in e.tag]
            title = tree.fromstring(text('eml.xml')).find('dataset/title').text
            print(json.dumps([files, title, rows['event.csv'][1][1:], rows['occurrence.csv'][1][1:]]))
            """
        let checked = try await CommandRun(
            program: "/usr/bin/python3", ["-c", script, folder + "/walk.zip"])
        try #require(checked.code == 0, "\(checked.errors)")
        let found = try JSONValue(text: Array(checked.output.utf8))
        #expect(
            found[0].array?.compactMap(\.string)
                == ["event.csv", "occurrence.csv", "occurrence2.csv"])
        #expect(found[1].string == "a <\u{338} b &  ")
        #expect(found[2].array?.compactMap(\.string) == [site])
        #expect(found[3].array?.compactMap(\.string) == ["<\u{338}fox"])
    }
}
