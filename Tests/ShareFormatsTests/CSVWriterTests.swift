import ShareCore
import ShareTestKit
import Testing

@testable import ShareFormats

struct CSVWriterTests {
    private func written(_ text: String, raw: Bool = false) -> String {
        var options = CSVWriter.Options()
        options.isRaw = raw
        var writer = CSVWriter(options)
        writer.integer(0)
        writer.text(text)
        writer.endRow()
        return String(String(decoding: writer.take(), as: UTF8.self).dropFirst(2).dropLast(1))
    }

    private func taken(_ text: String) -> String {
        var text = text
        return text.withUTF8 { String(decoding: FormulaGuard.taken(from: $0), as: UTF8.self) }
    }

    @Test(arguments: [
        ("=1+1", "'=1+1"), ("-5", "-5"), ("-0.25", "-0.25"), ("+1", "'+1"), ("@x", "'@x"),
        ("  =1", "'  =1"),
        ("\tx", "\"'\tx\""), ("'=1", "''=1"), ("'x", "'x"), ("a=1", "a=1"), ("", ""),
        ("-5.", "'-5."), ("-.5", "'-.5"), ("-1-1", "'-1-1"), ("-1.2.3", "'-1.2.3"), ("-", "'-"),
        ("-1e5", "'-1e5"), (" -5", "' -5"), ("'-5", "''-5"),
        ("=a,\"b\"", "\"'=a,\"\"b\"\"\""), ("' - x", "'' - x"), ("5-", "5-"), ("''", "''"),
    ])
    func `a text that could run gets a sign in front`(text: String, cell: String) {
        #expect(written(text) == cell)
    }

    @Test func `raw leaves texts alone and numbers are never touched`() {
        #expect(written("=1+1", raw: true) == "=1+1")
        var writer = CSVWriter()
        writer.integer(-5)
        writer.decimal(-0.5)
        writer.value(.integer(-5), isPercent: true)
        writer.value(.decimal(1e300))
        writer.value(.absent)
        writer.endRow()
        #expect(writer.take() == "-5,-0.5,-5%,1e+300,\n".octets)
    }

    @Test func `the sign is taken away again, exactly once`() {
        #expect(taken("'=1+1") == "=1+1")
        #expect(taken("''=1") == "'=1")
        #expect(taken("'x") == "'x")
        #expect(taken("'") == "'")
        #expect(taken("=1") == "=1")
        var seed = SeededRandom(seed: TestSeed.printed())
        for _ in 0..<5_000 {
            let text = seed.text(5)
            var copy = text
            let concerned = copy.withUTF8 { FormulaGuard.concerns($0) }
            #expect(taken(concerned ? "'" + text : text).octets == text.octets)
        }
    }

    @Test func `lines end and begin as asked`() {
        var options = CSVWriter.Options()
        options.endsLinesWithCRLF = true
        options.hasByteOrderMark = true
        options.separator = UInt8(ascii: ";")
        var writer = CSVWriter(options)
        writer.row(["a", "b c"])
        #expect(writer.take() == [0xef, 0xbb, 0xbf] + "a;b c\r\n".octets)
        writer.row([""])
        #expect(writer.take() == "\"\"\r\n".octets)
    }
}
