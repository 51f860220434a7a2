import ShareControl
import ShareCore
import ShareCrypto
import ShareStore

/// Checking a room's file, and making its tables anew.
struct ChecksWork: Sendable {
    let node: Node
    let room: OpenRoom
    let readers: RecordsReaders

    func verify(
        progress: @escaping @Sendable (Int, Int?) -> Void
    ) async throws -> VerifyAnswer {
        // Beside the room's file, as it may become as large: a name that nobody else takes.
        let scratch = room.store.path + RoomBook.checkMark + Hex.encode(SecureRandom.bytes(8))
        let check = try await room.store.check()
        let findings = try await check.run(scratch: scratch) { progress($0, $1) }
        let counts = try await room.store.counts()
        var told: [Finding] = []
        for finding in findings {
            told.append(
                Finding(
                    place: finding.place, what: await sentence(finding), hint: finding.hint,
                    follows: finding.follows, count: finding.count))
        }
        return VerifyAnswer(
            ok: findings.isEmpty, findings: told, batches: try await batches(),
            records: counts.records,
            digest: counts.digest.text, forks: await node.forks(in: room))
    }

    /// What was found, with the name of whoever wrote the batch that it is about.
    private func sentence(_ finding: StoreFinding) async -> String {
        guard let batch = finding.batch else { return finding.what }
        var author = "an unknown device"
        if let key = batch.author { author = await node.called(key) }
        return "batch \(batch.number) of the \(batch.kind.name) log of \(author) \(finding.what)"
    }

    func rebuild(
        progress: @escaping @Sendable (Int, Int?) -> Void
    ) async throws -> RebuildAnswer {
        let report = try await room.store.rebuild { progress($0, $1) }
        await readers.forget(room)
        try await node.sync.changed(room.id)
        if await room.store.isRefilling { try await node.rooms.noteLost(room.id) }
        let counts = try await room.store.counts()
        return RebuildAnswer(
            batches: try await batches(), records: counts.records,
            digest: counts.digest.text, changed: report.hasChanged,
            kept: report.kept)
    }

    /// What there is to say of a room that cannot be opened.
    static func answer(for room: DamagedRoom) -> VerifyAnswer {
        let problem = room.problem
        return VerifyAnswer(
            ok: false,
            findings: [
                Finding(place: room.entry.file, what: problem.detail, hint: problem.hint)
            ], batches: 0, records: 0, digest: "")
    }

    /// Batches of all who have or had a role.
    private func batches() async throws -> Int {
        try await room.store.view().logs.values.reduce(0) { sum, log in
            sum + Int(clamping: log.number)
        }
    }
}
