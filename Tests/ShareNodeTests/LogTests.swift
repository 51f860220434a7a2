import ShareNode
import Testing

struct LogTests {
    private func lines(
        _ level: LogLevel = .debug, priorities: Bool = false, _ body: (Log) -> Void
    ) -> [String] {
        let lines = Shared<[String]>([])
        body(
            Log(level: level, hasPriorities: priorities) { line in lines.change { $0.append(line) }
            })
        return lines.value
    }

    @Test func `a line is a level, a message and fields`() {
        let lines = lines { $0.info("connected", ["peer": "ward-2", "rooms": 3]) }
        #expect(lines == ["info connected peer=ward-2 rooms=3\n"])
    }

    @Test func `lines below the level are not written, nor their text made`() {
        let lines = lines(.warning) { log in
            log.notice(
                {
                    Issue.record("made"); return "x"
                }())
            log.error("kept")
        }
        #expect(lines == ["error kept\n"])
    }

    @Test func `the journal gets priorities`() {
        let lines = lines(priorities: true) { log in
            log.debug("a"); log.info("a"); log.notice("a"); log.warning("a"); log.error("a")
        }
        #expect(lines.map { $0.prefix(3) } == ["<7>", "<6>", "<5>", "<4>", "<3>"])
    }

    @Test(arguments: [
        ("", "\"\""), ("plain", "plain"), ("two words", "\"two words\""), ("a=b", "\"a=b\""),
        ("say \"hi\"", "\"say \\\"hi\\\"\""), ("a\nerror forged", "\"a\\nerror forged\""),
        ("a\r\nb", "\"a\\r\\nb\""), ("back\\slash", "\"back\\\\slash\""), ("Ä", "\"Ä\""),
        ("\u{1B}[31m", "\"\\u{1b}[31m\""), ("x\u{2028}y\u{202E}", "\"x\\u{2028}y\\u{202e}\""),
    ])
    func `no value can break its line`(value: String, written: String) {
        #expect(lines { $0.info("got", ["v": value]) } == ["info got v=\(written)\n"])
    }

    @Test func `no message can break its line`() {
        #expect(lines { $0.info("a\nb") } == ["info a\\nb\n"])
    }
}
