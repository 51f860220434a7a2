import ShareCore
import ShareCrypto
import Testing

@testable import ShareStore

struct ForkedViewTests {
    @Test func `of a log with a dozen branches a message tells no more than it may`() throws {
        let bench = try Bench()
        let author = DeviceIdentity.generate()
        try bench.grant(.collector, to: author.key)
        let store = try bench.store()
        try Bench.merge(Bench.batches(of: bench.founder), into: store)
        let room = bench.founding.room
        var batches: [Batch] = []
        for branch in 0..<12 {
            var last = BatchID(room.digest)
            for number in 1...70 {
                let batch = Batch.seal(
                    room: room, kind: .records, number: UInt64(number), previous: last,
                    clock: Timestamp(milliseconds: 5, counter: UInt16(branch)), rawBody: [0x80],
                    by: author)
                batches.append(batch)
                last = batch.id
            }
        }
        try Bench.merge(batches, into: store)
        let view = try store.view()
        let log = LogName(author: author.key, kind: .records)
        #expect(view.logs[log]?.heads.count == Limits.headsPerLog + 1)
        _ = try WireMessage(decoding: WireMessage.have(room, view.logs).encoded())

        let unknown = LogHead(number: 71, batch: BatchID(Hash.digest([1])))
        let places = try store.find(log, [unknown]).places
        #expect(places.count == SyncLimits.places)
        _ = try WireMessage(decoding: WireMessage.want(room, log, after: places).encoded())
    }
}
