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
            #expect(throws: EnvelopeError.position) { try Batch(verifying: bytes) }
        }
    }

    /// A batch with so many comments on one record, and as many deletes.
    private func remarks(_ count: Int, deletes: Int, ids: Int = 1) -> Batch {
        let founding = TestBatches.founding(by: identity)
        let form = OperationName(batch: founding.id, index: 0)
        func block(_ kind: RecordsBlock.Kind, first: Int, _ count: Int) -> Body.Block {
            .records(
                RecordsBlock(
                    kind: kind, firstIndex: first, form: form, fields: [],
                    creators: [identity.key],
                    rows: (0..<count).map {
                        RecordsBlock.Row(
                            id: RecordID(high: 1, low: UInt64($0 % ids)), clock: .zero,
                            creator: 0, parents: 0..<0)
                    }, parents: [],
                    cells: kind == .comment ? [Cell](repeating: .absent, count: count) : [],
                    storage: []))
        }
        return Batch.seal(
            room: founding.room, kind: .records, number: 1,
            previous: BatchID(founding.room.digest), clock: .zero,
            blocks: [block(.comment, first: 0, count), block(.delete, first: count, deletes)],
            by: identity)
    }

    @Test func `more operations on one record than a batch may hold make its body malformed`()
        throws
    {
        let limit = Limits.operationsOnRecord
        #expect(try remarks(limit - 1, deletes: 1).openBody().operationCount == limit)
        #expect(throws: BodyError.recordCount) { try remarks(limit, deletes: 1).openBody() }
        #expect(try remarks(2 * limit, deletes: 1, ids: 3).openBody().operationCount == 33)
    }
}
