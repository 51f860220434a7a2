import Dispatch
import ShareCore
import ShareCrypto
import Synchronization

/// Computes everything from the batches and the pending operations again.
enum Rebuild {
    /// Drops what is derived and makes it anew, inside a transaction; what a change of authority
    /// had left to do is done with it.
    ///
    /// - Parameter progress: called with how many batches of how many are done.
    static func run(
        _ room: inout Room, progress: (Int, Int) throws -> Void = { _, _ in }
    ) throws {
        try room.devices.restoreIDs()
        try room.reindex.removeAll()
        try room.policy.removeNotes()
        try room.records.removeAll()
        try room.policy.judgeAll(room.log)
        let catalog = FormCatalog(room.policy.controls, lingering: [])
        try room.forms.removeAll(catalog)
        try room.forms.install(catalog)
        try room.lists.removeAll()
        try room.lists.install(ListCatalog(room.policy.controls), room.log)
        room.pending.clock.observe(try room.policy.note(changed: [], room.forms.catalog))
        room.roomSum =
            RoomItems.sum(members: room.policy.members)
            + RoomItems.sum(forms: room.forms.catalog.plans)
            + RoomItems.sum(lists: room.lists.catalog)
        try applyAll(&room, progress)
        try room.reindex.beginQuarantined(room.log, room.policy)
    }

    /// Batches unpacked ahead of those that are applied.
    private static let ahead = 4

    private static func applyAll(
        _ room: inout Room, _ progress: (Int, Int) throws -> Void
    ) throws {
        let total = Int(
            try room.database.integer("SELECT count(*) FROM _batch WHERE kind = 1") ?? 0)
        let queue = DispatchQueue(label: "rebuild")
        let definitions = room.forms.definitions()
        var done = 0
        var page = try page(after: 0, in: room)
        var opening = BatchOpening(page.compactMap(\.bytes), definitions, on: queue)
        while let last = page.last?.held.batch {
            let next = try Self.page(after: last, in: room)
            let nextOpening = BatchOpening(next.compactMap(\.bytes), definitions, on: queue)
            var opened = opening.wait().makeIterator()
            for (held, bytes) in page {
                if bytes == nil {
                    try room.apply(held, try room.body(of: held))
                } else {
                    guard let batch = opened.next() ?? nil else {
                        throw StoreError.damaged("batch \(held.batch)")
                    }
                    try room.apply(held, batch.body, sums: batch.sums)
                }
                done += 1
                try progress(done, total)
            }
            (page, opening) = (next, nextOpening)
        }
    }

    /// The next batches of records, sealed ones with their bytes.
    private static func page(
        after batch: Int64, in room: Room
    ) throws -> [(held: HeldBatch, bytes: [UInt8]?)] {
        let page = try room.log.heldBatches(
            "WHERE b.kind = 1 AND b.batch > ?1", limit: ahead, .integer(batch))
        return try page.map { ($0, $0.isOpen ? nil : try room.log.bytes(of: $0.batch)) }
    }

}

/// Batches of the file that another thread unpacks while the writer applies those before them.
final class BatchOpening: Sendable {
    private let batches = Mutex<[IncomingBatch?]>([])
    private let isDone = DispatchSemaphore(value: 0)

    init(
        _ bytes: [[UInt8]], _ definitions: [OperationName: FormDefinition],
        on queue: DispatchQueue
    ) {
        queue.async { [self] in
            let opened = bytes.map { bytes in
                (try? Batch(trusted: bytes)).map { IncomingBatch($0, definitions: definitions) }
            }
            batches.withLock { $0 = opened }
            isDone.signal()
        }
    }

    /// The batches, nil for one that cannot be read back. To be called once.
    func wait() -> [IncomingBatch?] {
        isDone.wait()
        return batches.withLock { $0 }
    }
}
