import JSON
import ShareTestKit
import Testing

/// Values in conditions as people write them.
@Suite(.serialized) struct ConditionCommandTests {
    @Test(.timeLimit(.minutes(1)))
    func `numbers have decimal commas, and what is not clear is said so`() async throws {
        let daemon = try await Daemon.clinic()
        let form = """
            {"form_id":"house","version":"1","key":["k"],"fields":[{"name":"k","type":"text"},
            {"name":"fever","type":"decimal"},{"name":"age","type":"integer"},
            {"name":"seen","type":"date"},{"name":"at","type":"dateTime"}]}
            """
        try #require(try await daemon.shared("form", "add", "-", input: form).code == 0)
        let file = "k,fever,age\na,38.9,17\nb,39.6,18\nc,1234.5,1500\n"
        try #require(try await daemon.shared("import", "house", "-", input: file).code == 0)
        for (condition, found) in [
            ("fever>39,5", ["b", "c"]), ("fever=38,9", ["a"]), ("age>17,5", ["b", "c"]),
            ("fever=1 234,5", ["c"]), ("age=1 500", ["c"]),
        ] {
            let list = try await daemon.answer("list", "house", condition, "--sort", "k")
            #expect(list.array?.compactMap { $0["k"].string } == found, "\(condition)")
        }
        let thousands = try await daemon.shared("list", "house", "fever>1,234")
        #expect(thousands.errors.contains("It may be 1.234 or 1234"), "\(thousands.errors)")
        for field in ["seen", "at", "_created"] {
            let day = try await daemon.shared("list", "house", "\(field)>5/11/2026")
            #expect(
                day.errors.contains(
                    "Write 2026-05-11 or 2026-11-05: which is meant is not clear."),
                "\(field): \(day.errors)")
        }
    }
}
