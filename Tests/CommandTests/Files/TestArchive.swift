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

    /// A workbook with one sheet; texts in brackets are numbers with a percent format.
    static func workbook(_ path: String, _ rows: [[String]]) async throws {
        let sheet = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
        let office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
        func relations(_ list: [(kind: String, target: String)]) -> String {
            let package = "http://schemas.openxmlformats.org/package/2006/relationships"
            return "<Relationships xmlns='\(package)'>"
                + list.map {
                    "<Relationship Id='\($0.kind)' Type='\(office)/\($0.kind)' Target='\($0.target)'/>"
                }.joined() + "</Relationships>"
        }
        func cell(_ text: String) -> String {
            text.hasPrefix("[")
                ? "<c s='1'><v>\(text.dropFirst().dropLast())</v></c>"
                : "<c t='inlineStr'><is><t>\(text)</t></is></c>"
        }
        let cells = rows.map { "<row>\($0.map(cell).joined())</row>" }.joined()
        try await zip(
            path,
            [
                "_rels/.rels": relations([("officeDocument", "xl/workbook.xml")]),
                "xl/workbook.xml":
                    "<workbook xmlns='\(sheet)' xmlns:r='\(office)'><sheets>"
                    + "<sheet name='Sheet1' sheetId='1' r:id='worksheet'/></sheets></workbook>",
                "xl/_rels/workbook.xml.rels": relations([
                    ("worksheet", "worksheets/sheet1.xml"), ("styles", "styles.xml"),
                ]),
                "xl/styles.xml":
                    "<styleSheet xmlns='\(sheet)'><cellXfs><xf/><xf numFmtId='9'/></cellXfs>"
                    + "</styleSheet>",
                "xl/worksheets/sheet1.xml":
                    "<worksheet xmlns='\(sheet)'><sheetData>\(cells)</sheetData></worksheet>",
            ])
    }
}
