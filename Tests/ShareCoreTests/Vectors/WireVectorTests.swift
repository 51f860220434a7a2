import Foundation
import ShareCore
import Testing

/// `Tests/Vectors/messages.json`: the bytes of each message between two devices.
/// `SHARED_WRITE_VECTORS=1` writes the file anew, after a wanted change of the protocol.
@Suite struct WireVectorTests {
    private struct Entry: Codable, Equatable {
        var name: String
        var bytes: String
    }

    private static let url = VectorFile.url.deletingLastPathComponent()
        .appending(path: "messages.json")

    private static let made = WireSamples.all.filter { $0.name != "batch" }.map {
        Entry(name: $0.name, bytes: VectorFile.hex($0.message.encoded()))
    }

    init() throws {
        guard VectorFile.isWritten else { return }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try (encoder.encode(Self.made) + [10]).write(to: Self.url)
    }

    @Test func `messages have the bytes of the vectors, and are read from them`() throws {
        let file = try JSONDecoder().decode([Entry].self, from: Data(contentsOf: Self.url))
        #expect(file == Self.made)
        for entry in file {
            let read = try WireMessage(decoding: VectorFile.bytes(entry.bytes))
            #expect(VectorFile.hex(read.encoded()) == entry.bytes, "\(entry.name)")
        }
    }
}
