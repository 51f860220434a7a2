import ShareStore
import Synchronization

/// Leads a match past all records of a form, on the reader's own queue.
final class TransferMatcher: Sendable {
    private let match: Mutex<TransferMatch>

    init(_ match: TransferMatch) { self.match = Mutex(match) }

    /// - Throws: `CancellationError` where nobody waits any more.
    func run(_ reader: RoomReader, _ info: FormInfo) async throws -> TransferMatch {
        try await reader.list(info) { [self] record in
            match.withLock { $0.take(record) }
            return !Task.isCancelled
        }
        try Task.checkCancellation()
        return match.withLock { $0 }
    }
}
