import Testing

@testable import ShareNet

struct NetworkQueryTests {
    @Test func `the question asks for the PTR records of our service`() {
        let header: [UInt8] = [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]
        let name = Array("\u{7}_shared\u{4}_tcp\u{5}local\u{0}".utf8)
        #expect(NetworkQuery.packet == header + name + [0, 12, 0, 1])
    }
}
