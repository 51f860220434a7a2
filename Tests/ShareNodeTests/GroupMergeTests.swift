import ShareCore
import ShareCrypto
import ShareStore
import ShareTestKit
import Testing

@testable import ShareNode

@Suite struct GroupMergeTests {
    private static let wall: UInt64 = 1_700_000_000_000

    /// A batch with one new entry.
    private func entry(
        _ author: DeviceIdentity, _ form: OperationName, in room: RoomID
    ) -> IncomingBatch {
        let clock = Timestamp(milliseconds: Self.wall, counter: 0)
        let block = RecordsBlock(
            kind: .put, firstIndex: 0, form: form, fields: [0], creators: [author.key],
            rows: [
                RecordsBlock.Row(
                    id: RecordID(high: 1, low: 1), clock: clock, creator: 0, parents: 0..<0)
            ], parents: [], cells: [.integer(1)], storage: [])
        return IncomingBatch(
            Batch.seal(
                room: room, kind: .records, number: 1, previous: BatchID(room.digest),
                clock: clock, blocks: [.records(block)], by: author))
    }

    @Test func `a batch that cannot be merged declines itself, not those that came with it`()
        async throws
    {
        let folder = try ScratchFolder()
        let (owner, member) = (DeviceIdentity.generate(), DeviceIdentity.generate())
        let founding = RoomStore.found(name: "clinic", isOpen: false, wall: Self.wall, by: owner)
        let path = folder.path + "/room.sqlite"
        let store = try RoomStore(path: path, identity: owner, founding: founding)
        let form = try await store.decide(
            [
                .form(
                    FormDefinition(
                        formID: "visit", version: "1", parents: [],
                        fields: [FormField(name: "age", type: .integer)], json: "{}"))
            ], wall: Self.wall)[0]
        var authors = [member]
        for _ in 0..<3 { authors.append(.generate()) }
        for author in authors {
            _ = try await store.decide(
                [
                    .grant(
                        Grant(
                            subject: author.key, role: .collector, firstControl: 1,
                            firstRecords: 1, supersedes: []))
                ], wall: Self.wall)[0]
        }
        let batches = authors.map {
            entry($0, OperationName(batch: form.id, index: 0), in: store.room)
        }
        let service = SyncService(
            OwnDevice(identity: owner, name: "ward", formerKeys: []),
            log: Log(level: .error, hasPriorities: false) { _ in }, wall: { Self.wall }
        ) { _ in }
        try await service.add(store)

        // The file refuses one of them, as a full disk or a bug of ours might.
        let file = try Database(path: path)
        let hex = batches[1].batch.id.bytes.map { byte in
            let digits = Array("0123456789abcdef")
            return "\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
        }.joined()
        try file.execute(
            """
            CREATE TRIGGER refusal BEFORE INSERT ON _batch WHEN NEW.id = x'\(hex)'
            BEGIN SELECT RAISE(ABORT, 'refused'); END
            """)
        let group = batches.map { (incoming: $0, session: SessionID(1)) }
        await service.merge(group, store.room, store)
        #expect(try await store.counts().records == batches.count - 1)

        try file.execute("DROP TRIGGER refusal")
        await service.merge([group[1]], store.room, store)
        #expect(try await store.counts().records == batches.count)
        await service.remove(store.room)
    }
}
