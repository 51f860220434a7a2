import ShareStore
import Synchronization

/// Leads a match past all records of a form, on the reader's own queue.
final class ImportMatching: Sendable {
    private let match: Mutex<ImportMatcher>

    init(_ match: ImportMatcher) { self.match = Mutex(match) }

    /// - Throws: `CancellationError` where nobody waits any more.
    /// - Parameter isWhole: whether records come with the rows of their repeats.
    func run(
        _ reader: RoomReader, _ info: FormInfo, isWhole: Bool = false
    ) async throws -> ImportMatcher {
        try await reader.list(info, isWhole: isWhole) { [self] record in
            try match.withLock { try $0.take(record) }
            return !Task.isCancelled
        }
        try Task.checkCancellation()
        return match.withLock { $0 }
    }
}
