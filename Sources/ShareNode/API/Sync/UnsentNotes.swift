import ShareControl
import ShareCore
import ShareStore

/// Remembers when people were told last that something is not sent, so that a burst of entries is
/// told of once.
actor UnsentNotes {
    private var told: [RoomID: (pending: Int, at: ContinuousClock.Instant)] = [:]

    private static let pause = Duration.seconds(60)

    /// What is not sent in a room; where it pushes by itself, nothing.
    func look(at room: OpenRoom) async throws -> UnsentAnswer {
        let counts = try await room.store.counts()
        let pending = room.autopush ? 0 : counts.unsealed
        let last = told[room.id]
        // Fewer than before means that there was a push between.
        let isNews =
            pending > 0
            && last.map { pending <= $0.pending || .now - $0.at >= Self.pause } ?? true
        if isNews {
            told[room.id] = (pending, .now)
        } else if let last {
            told[room.id] = pending > 0 ? (pending, last.at) : nil
        }
        return UnsentAnswer(room: room.named, pending: pending, news: isNews)
    }
}
