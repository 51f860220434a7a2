import Testing

@testable import Spreadsheet

/// Files that are no form, or are made to do harm.
@Suite struct HostileFileTests {
    private func refusal(_ bytes: [UInt8], _ name: String = "form.xlsx") -> SpreadsheetError? {
        do {
            _ = try Workbook(file: bytes, name: name)
            return nil
        } catch { return error }
    }

    @Test func `what is no .xlsx is named, with what to do`() throws {
        let ole: [UInt8] = [0xD0, 0xCF, 0x11, 0xE0] + Array(repeating: 0, count: 1_020)
        #expect(refusal(ole) == .oldExcel)
        #expect(refusal(ole, "form.xls")?.hint == "Save it as .xlsx.")
        let wrapped = ole + "EncryptedPackage".utf8.flatMap { [$0, 0] as [UInt8] }
        #expect(refusal(wrapped) == .encrypted)
        let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"
        #expect(refusal(Array(pointer.utf8)) == .gitLFSPointer)
        #expect(refusal([1, 2, 3], "forms/~$form.xlsx") == .lockFile)
        #expect(refusal([]) == .empty)
        #expect(refusal(Array("PK\u{3}\u{4}nothing".utf8))?.description.contains("damaged") == true)
        #expect(refusal(Array("hello".utf8), "form.pdf") == .unknownFormat)
        #expect(
            refusal(try RawWorkbook.zip([("content.xml", ""), ("META-INF/manifest.xml", "")]))
                == .openDocument)
        #expect(refusal(try RawWorkbook.zip([("xl/workbook.bin", "")])) == .binaryWorkbook)
        #expect(refusal(try RawWorkbook.zip([("a.txt", "")])) == .missingPart("workbook"))
    }

    @Test func `a part under a password is refused`() throws {
        var bytes = try RawWorkbook.bytes(rows: "")
        // The bit of encryption, in the local header and in the directory of every part.
        for index in bytes.indices.dropLast(10) where bytes[index...].starts(with: "PK".utf8) {
            if bytes[(index + 2)...].starts(with: [3, 4]) { bytes[index + 6] |= 1 }
            if bytes[(index + 2)...].starts(with: [1, 2]) { bytes[index + 8] |= 1 }
        }
        #expect(refusal(bytes) == .encrypted)
    }

    @Test func `entities are refused with their document type`() throws {
        var parts = RawWorkbook.parts(rows: "")
        let bomb = """
            <!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>
            <worksheet><sheetData><row><c t="inlineStr"><is><t>&b;</t></is></c></row></sheetData></worksheet>
            """
        parts[3].1 = bomb
        #expect(
            refusal(try RawWorkbook.zip(parts)) == .documentType(part: "xl/worksheets/sheet1.xml"))
    }

    @Test func `a part that unpacks to far more than it is packed is refused`() throws {
        let rows = String(repeating: " ", count: 16 << 20)
        let bytes = try RawWorkbook.bytes(rows: rows)
        #expect(bytes.count < 100_000)
        guard case .tooLarge(let what, _) = refusal(bytes) else {
            Issue.record("it was read")
            return
        }
        #expect(what.contains("unpacked bytes"))
    }

    @Test func `one long text that many cells name is counted in each`() throws {
        let strings = "<si><t>\(String(repeating: "x", count: 100_000))</t></si>"
        let row = "<row>" + String(repeating: #"<c t="s"><v>0</v></c>"#, count: 700) + "</row>"
        let bytes = try RawWorkbook.bytes(rows: row, strings: strings)
        #expect(
            refusal(bytes)
                == .tooLarge(what: "bytes of text", limit: SpreadsheetLimits.textBytes))
        let long = String(repeating: "x", count: SpreadsheetLimits.cellBytes + 1)
        let cell = #"<row><c t="inlineStr"><is><t>\#(long)</t></is></c></row>"#
        #expect(
            refusal(try RawWorkbook.bytes(rows: cell))
                == .tooLarge(what: "bytes of a cell", limit: SpreadsheetLimits.cellBytes))
    }
}
