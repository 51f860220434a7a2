import Testing

@testable import ShareNet

struct ServiceNameTests {
    @Test func `a short name stays as it is`() {
        #expect(ServiceName.variant(1, of: "ward-1") == "ward-1")
        #expect(ServiceName.variant(2, of: "ward-1") == "ward-1 #2")
    }

    @Test(arguments: ["x", "ü", "🦋", "👩🏽‍⚕️", "e\u{301}"])
    func `a long name is cut between characters`(character: String) {
        let name = String(repeating: character, count: 64)
        for attempt in [1, 2, 10, 100] {
            let variant = ServiceName.variant(attempt, of: name)
            let suffix = attempt == 1 ? "" : " #\(attempt)"
            #expect(variant.utf8.count <= 63)
            #expect(variant.hasSuffix(suffix))
            let kept = variant.dropLast(suffix.count)
            #expect(kept.allSatisfy { String($0) == character })
            #expect(kept.utf8.count + character.utf8.count > 63 - suffix.utf8.count)
        }
    }

    @Test func `one character longer than a label is cut between scalars`() {
        let name = "e" + String(repeating: "\u{301}", count: 60)
        let variant = ServiceName.variant(1, of: name)
        #expect(variant.utf8.count == 63)
        #expect(variant.unicodeScalars.first == "e")
    }

    @Test func `an empty name gets one`() { #expect(ServiceName.variant(1, of: "") == "shared") }

    @Test func `what would disturb a terminal is replaced`() {
        #expect(ServiceName.printable("a\u{1B}[2J\nb\u{202E}c") == "a\u{FFFD}[2J\u{FFFD}b\u{FFFD}c")
        #expect(ServiceName.printable("Süd 🦋") == "Süd 🦋")
    }
}
