import ShareCore
import ShareCrypto
import ShareTestKit
import Testing

@testable import ShareNet

struct ServiceTextTests {
    private let key = DeviceKey(Bytes32.zero)
    private let id = String(repeating: "a", count: 52)

    private func record(_ entries: [String]) -> [UInt8] {
        entries.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
    }

    private func room(_ name: String, _ shortID: String = "abcdefgh") throws -> AdvertisedRoom {
        try #require(AdvertisedRoom(name: name, shortID: shortID))
    }

    @Test func `the record reads as documented`() throws {
        let text = ServiceText(device: key, rooms: [try room("clinic", "abcdefgh")])
        #expect(text.bytes == record(["txtvers=1", "pv=1", "id=\(id)", "r1=clinic|abcdefgh"]))
    }

    @Test func `what is written is read back`() throws {
        let names = ["clinic", "Station 3 – Süd", "a|b", "🦋", "="]
        let text = ServiceText(device: key, rooms: try names.map { try room($0) })
        #expect(ServiceText(text.bytes) == text)
    }

    @Test func `open rooms are said to be open, by their places`() throws {
        let rooms = try ["a", "b", "c"].map {
            try #require(AdvertisedRoom(name: $0, shortID: "abcdefgh", isOpen: $0 != "b"))
        }
        let text = ServiceText(device: key, rooms: rooms)
        #expect(
            text.bytes
                == record([
                    "txtvers=1", "pv=1", "id=\(id)", "r1=a|abcdefgh", "r2=b|abcdefgh",
                    "r3=c|abcdefgh", "open=1,3",
                ]))
        #expect(ServiceText(text.bytes) == text)
        // However full the record is, no open room loses its mark.
        let long = String(repeating: "x", count: 63)
        let many = try (0..<40).map {
            try #require(
                AdvertisedRoom(
                    name: $0 < 4 ? long : "\($0)", shortID: "abcdefgh", isOpen: $0 % 2 == 0))
        }
        let bytes = ServiceText(device: key, rooms: many).bytes
        #expect(bytes.count <= 400)
        let read = try #require(ServiceText(bytes))
        #expect(read.rooms.count > 2)
        for room in read.rooms { #expect(many.contains(room)) }
    }

    @Test(arguments: ["open=", "open=2", "open=x,,1x", "open=01", "open=1 ", "open=-1"])
    func `an odd list of open rooms opens none`(entry: String) throws {
        let entries = ["txtvers=1", "pv=1", "id=\(id)", "r1=clinic|abcdefgh", entry]
        #expect(ServiceText(record(entries))?.rooms.map(\.isOpen) == [false])
    }

    @Test func `rooms that do not fit are left out and the rest stays`() throws {
        let long = String(repeating: "x", count: 63)
        let rooms = try (0..<10).map { _ in try room(long) } + [try room("short")]
        let bytes = ServiceText(device: key, rooms: rooms).bytes
        #expect(bytes.count <= 400)
        let read = try #require(ServiceText(bytes))
        #expect(read.rooms == [rooms[0], rooms[1], rooms[2], rooms[3], rooms[10]])
    }

    @Test func `three hundred keys are passed over, and of equal ones the first counts`() {
        let entries =
            ["txtvers=1", "pv=1", "id=\(id)"] + (0..<300).map { "\($0 % 10)=" }
            + ["r1=one|abcdefgh", "r1=two|abcdefgh"]
        #expect(ServiceText(record(entries))?.rooms.map(\.name) == ["one"])
    }

    @Test func `keys in capitals, unknown keys and entries without a value are no harm`() {
        let entries = ["TXTVERS=1", "pv=7", "ID=\(id.uppercased())", "", "flag", "=x", "new=1"]
        let read = ServiceText(record(entries))
        #expect(read?.device == key)
        #expect(read?.protocolVersion == 7)
    }

    @Test(arguments: [
        [], ["txtvers=1"], ["pv=1", "id=ID"], ["txtvers=2", "pv=1", "id=ID"],
        ["txtvers=1", "id=ID"], ["txtvers=1", "pv=0", "id=ID"], ["txtvers=1", "pv=-1", "id=ID"],
        ["txtvers=1", "pv=99999999999999999999", "id=ID"], ["txtvers=1", "pv=1", "id=dev:ID"],
        ["txtvers=1", "pv=1", "id=IDa"], ["txtvers=1", "pv=1", "id=\u{0}"],
    ])
    func `a record that is not ours is refused`(entries: [String]) {
        let entries = entries.map { $0.replacing("ID", with: id) }
        #expect(ServiceText(record(entries)) == nil)
    }

    @Test(arguments: [
        "r1=", "r1=x", "r1=|abcdefgh", "r1=x|", "r1=x|abc", "r1=x|abcdefgH", "r1=x|abcdefg1",
        "r1=a\u{0}b|abcdefgh", "r1=\u{1B}[2J|abcdefgh", "r1=\u{202E}x|abcdefgh", "r0=x|abcdefgh",
        "r33=x|abcdefgh", "r1=" + String(repeating: "x", count: 64) + "|abcdefgh",
    ])
    func `a room that we could not have written is left out`(entry: String) throws {
        let read = try #require(ServiceText(record(["txtvers=1", "pv=1", "id=\(id)", entry])))
        #expect(read.rooms.isEmpty)
    }

    @Test func `bytes that are not UTF-8 lose their entry only`() throws {
        let bytes =
            record(["txtvers=1", "pv=1", "id=\(id)"]) + [5] + Array("r1=".utf8) + [0xFF, 0xFE]
            + record(["r2=ok|abcdefgh"])
        #expect(ServiceText(bytes)?.rooms.map(\.name) == ["ok"])
    }

    @Test func `a length beyond the end, and a record beyond a packet, are refused`() {
        let good = record(["txtvers=1", "pv=1", "id=\(id)"])
        #expect(ServiceText(good + [9, 1]) == nil)
        #expect(ServiceText(good + [UInt8](repeating: 0, count: 1_300)) == nil)
    }

    @Test func `random and damaged bytes never trap`() {
        var random = SeededRandom(seed: TestSeed.printed())
        let good = record(["txtvers=1", "pv=1", "id=\(id)", "r1=clinic|abcdefgh"])
        for _ in 0..<5_000 {
            var bytes = good
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(
                    in: 0...255, using: &random)
            }
            let cut = bytes.prefix(Int.random(in: 0...bytes.count, using: &random))
            if let read = ServiceText(cut) { #expect(ServiceText(read.bytes) != nil) }
        }
    }
}
