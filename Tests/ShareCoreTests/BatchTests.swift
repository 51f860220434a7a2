import ShareCore
import ShareCrypto
import ShareTestKit
import Testing

@Suite struct BatchTests {
    let identity = TestBatches.identity(1)

    @Test func `a founding batch names its room`() throws {
        let batch = TestBatches.founding(by: identity)
        let read = try Batch(verifying: batch.bytes)
        #expect(read.id == batch.id)
        #expect(read.room.digest == read.id.digest)
        #expect(read.author == identity.key)
        #expect(read.isFounding)
        guard case .control(let block) = try #require(read.openBody().blocks.first),
            case .found(let founding) = try #require(block.entries.first).operation
        else {
            Issue.record("no founding")
            return
        }
        #expect(founding.name == "clinic")
    }

    @Test func `every kind of operation comes back as it was sealed`() throws {
        let founding = TestBatches.founding(by: identity)
        for batch in TestBatches.oneOfEach(after: founding, by: identity) {
            let read = try Batch(verifying: batch.sealed.bytes)
            let body = try read.openBody()
            #expect(TestBatches.describe(body, of: read) == batch.expected)
        }
    }

    @Test func `a body of a thousand like rows takes few bytes for each`() throws {
        let founding = TestBatches.founding(by: identity)
        let batch = TestBatches.puts(1_000, after: founding, by: identity)
        #expect(try batch.openBody().operationCount == 1_000)
        #expect(batch.bytes.count < 20_000)
    }

    @Test func `any changed byte is not a batch`() throws {
        let founding = TestBatches.founding(by: identity)
        let bytes = TestBatches.puts(3, after: founding, by: identity).bytes
        for place in bytes.indices {
            for bit in 0..<8 {
                var changed = bytes
                changed[place] ^= 1 << UInt8(bit)
                #expect(throws: EnvelopeError.self) { try Batch(verifying: changed) }
            }
        }
    }

    @Test func `a batch cut at any byte, or with one more, is not a batch`() throws {
        let founding = TestBatches.founding(by: identity)
        let bytes = TestBatches.puts(3, after: founding, by: identity).bytes
        for length in bytes.indices {
            #expect(throws: EnvelopeError.self) { try Batch(verifying: Array(bytes[..<length])) }
        }
        #expect(throws: EnvelopeError.self) { try Batch(verifying: bytes + [0]) }
    }

    @Test func `an unprotected header, even an empty one, is not allowed`() throws {
        let founding = TestBatches.founding(by: identity)
        let bytes = founding.bytes
        // The unprotected header is the one empty map (a0) after the protected one.
        let place = try #require(bytes[4...].firstIndex(of: 0xa0))
        var changed = bytes
        changed.replaceSubrange(place...place, with: [0xa1, 0x01, 0x27])
        #expect(throws: EnvelopeError.self) { try Batch(verifying: changed) }
    }

    @Test func `a wrong place in the log is not a batch`() throws {
        let founding = TestBatches.founding(by: identity)
        let wrong: [(RoomID, LogKind, UInt64, BatchID)] = [
            (.unfounded, .records, 1, BatchID(.zero)),
            (.unfounded, .control, 2, BatchID(.zero)),
            (.unfounded, .control, 1, founding.id),
            (founding.room, .control, 1, BatchID(.zero)),
            (founding.room, .records, 1, BatchID(Hash.digest([1]))),
            (founding.room, .records, 2, BatchID(.zero)),
        ]
        for (room, kind, number, previous) in wrong {
            let bytes = RawEnvelope(
                room: room, kind: kind, number: number, previous: previous,
                body: BodyEncoder.encode(
                    [TestBatches.foundBlock], author: identity.key, clock: TestBatches.clock)
            ).sealed(by: identity)
            #expect(throws: EnvelopeError.place) { try Batch(verifying: bytes) }
        }
    }
}
