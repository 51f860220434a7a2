internal import Dispatch

/// Work that blocks for long, on a thread of its own: small machines have two in the shared pool.
enum OffPool {
    static func run<Result: Sendable>(
        _ work: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue(label: "long work").async {
                continuation.resume(with: Swift.Result { try work() })
            }
        }
    }
}
