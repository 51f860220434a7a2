import Dispatch
import ShareCore
import Synchronization

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
