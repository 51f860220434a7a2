import Foundation
import ShareCrypto
import Testing

@testable import ShareCore

/// `SHARED_WRITE_VECTORS=1` writes the file anew, after a wanted change of the protocol.
@Suite(.serialized) struct VectorTests {
    private func played() throws -> VectorFile {
        let room = VectorRoom()
        let bad = VectorBad(room: room)
        return VectorFile(
            keys: VectorRoom.Writer.allCases.map {
                VectorFile.Key(
                    name: "\($0)",
                    seed: VectorFile.hex([UInt8](repeating: $0.rawValue, count: 32)),
                    key: VectorFile.hex($0.key.bytes))
            },
            batches: room.made.map { VectorFile.Entry(name: $0.name, $0.batch) },
            malformedBodies: bad.malformedBodies.map {
                VectorFile.Bad(why: $0.why, bytes: VectorFile.hex($0.bytes))
            },
            notBatches: bad.notBatches.map {
                VectorFile.Bad(why: $0.why, bytes: VectorFile.hex($0.bytes))
            })
    }

    init() throws {
        if VectorFile.isWritten { try played().encoded().write(to: VectorFile.url) }
    }

    @Test func `the batches of the vectors hold what the vectors say`() throws {
        var file = try VectorFile.read()
        for place in file.batches.indices {
            let entry = file.batches[place]
            file.batches[place] = VectorFile.Entry(
                name: entry.name, try Batch(verifying: VectorFile.bytes(entry.bytes)))
        }
        // Byte by byte: as text of Swift, NFC and NFD would be equal.
        #expect(try file.encoded() == Data(contentsOf: VectorFile.url))
    }

    @Test func `the same inputs give the same bodies and envelopes`() throws {
        let file = try VectorFile.read()
        var pinned: [String: Batch] = [:]
        for entry in file.batches {
            pinned[entry.name] = try Batch(verifying: VectorFile.bytes(entry.bytes))
        }
        let room = VectorRoom(pinned: pinned)
        #expect(room.made.map(\.name) == file.batches.map(\.name))
        for (made, entry) in zip(room.made, file.batches) {
            let batch = try #require(pinned[made.name])
            #expect(VectorFile.hex(made.body) == entry.body, "\(made.name)")
            #expect(made.batch.previous == batch.previous, "\(made.name)")
            #expect(made.batch.number == batch.number, "\(made.name)")
            #expect(made.batch.clock == batch.clock, "\(made.name)")
            #expect(made.batch.wall == batch.wall, "\(made.name)")
            #expect(made.batch.log == batch.log, "\(made.name)")
        }
    }

    @Test func `malformed bodies of the vectors are malformed, and still batches`() throws {
        let file = try VectorFile.read()
        #expect(!file.malformedBodies.isEmpty)
        for bad in file.malformedBodies {
            let batch = try Batch(verifying: VectorFile.bytes(bad.bytes))
            #expect(throws: BodyError.self, "\(bad.why)") { try batch.openBody() }
        }
        let sound = VectorBad(room: VectorRoom()).sound
        #expect(try Batch(verifying: sound).openBody().operationCount == 1)
    }

    @Test func `what the vectors say is not a batch is not one`() throws {
        let file = try VectorFile.read()
        #expect(!file.notBatches.isEmpty)
        for bad in file.notBatches {
            #expect(throws: EnvelopeError.self, "\(bad.why)") {
                try Batch(verifying: VectorFile.bytes(bad.bytes))
            }
        }
    }
}
