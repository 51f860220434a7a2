import ShareStore
import Synchronization

/// Leads a match past all records of a form, on the reader's own queue.
final class ImportMatching: Sendable {
    private let match: Mutex<ImportMatcher>

    init(_ match: ImportMatcher) { self.match = Mutex(match) }

    /// Looks which entries have keys of choices that are not offered any more.
    ///
    /// - Throws: `CancellationError` where nobody waits any more.
    func nameKeys(_ reader: RoomReader, _ info: FormInfo) async throws -> ImportMatcher {
        let match = match.withLock { $0 }
        let there = Mutex<Set<RowDigest>>([])
        try await reader.list(info) { record in
            if let key = match.keyByName(of: record) { there.withLock { _ = $0.insert(key) } }
            return !Task.isCancelled
        }
        try Task.checkCancellation()
        var named = match
        try named.nameKeys(there.withLock { $0 })
        return named
    }

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
