import ShareCore
import Testing

/// The ids of forms of repeats.
@Suite struct RepeatRowTests {
    @Test(
        arguments: [
            ("visit", nil, "visit"), ("visit/child", "visit", "visit"),
            ("visit/child/dose", "visit/child", "visit"), ("", nil, ""),
        ] as [(String, String?, String)])
    func `an id tells the form around it and the outermost one`(
        id: String, parent: String?, outermost: String
    ) {
        #expect(FormDefinition.parentForm(of: id) == parent)
        #expect(FormDefinition.outermostForm(of: id) == outermost)
    }
}
