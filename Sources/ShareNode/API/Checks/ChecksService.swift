import ShareControl
import ShareCore
import ShareCrypto
import ShareStore

/// Checks rooms' files, and makes their tables, or all of them, anew.
struct ChecksService: Sendable {
    let names: DeviceNames
    let rooms: RoomBook
    let sync: SyncService
    let faults: DeviceFaults
    let membership: Membership
    let advertising: Advertising
    let readers: RoomReaders
    let log: Log

    func verify(
        _ room: OpenRoom, progress: @escaping @Sendable (Int, Int?) -> Void
    ) async throws -> VerifyAnswer {
        // Beside the room's file, as it may become as large: a name that nobody else takes.
        let scratch = room.store.path + RoomBook.checkMark + Hex.encode(SecureRandom.bytes(8))
        let check = try await room.store.check()
        let findings = try await check.run(scratch: scratch) { progress($0, $1) }
        await room.store.setDamaged(!check.isSound)
        // A damaged file may not even tell how much it holds.
        let isSound = findings.isEmpty
        let counts = isSound ? try await room.store.counts() : try? await room.store.counts()
        let batches = isSound ? try await batches(of: room) : try? await batches(of: room)
        var answers: [Finding] = []
        for finding in findings {
            answers.append(
                Finding(
                    place: finding.place, what: await sentence(finding), hint: finding.hint,
                    follows: finding.follows, count: finding.count))
        }
        return VerifyAnswer(
            ok: isSound, findings: answers, batches: batches ?? 0, records: counts?.records ?? 0,
            digest: counts?.digest.text ?? "", forks: await faults.forks(in: room))
    }

    /// A finding in words, with the name of the author of the batch that it is about.
    private func sentence(_ finding: StoreFinding) async -> String {
        guard let batch = finding.batch else { return finding.what }
        var author = "an unknown device"
        if let key = batch.author { author = await names.called(key) }
        return "batch \(batch.number) of the \(batch.kind.name) log of \(author) \(finding.what)"
    }

    /// - Parameter earlier: what was lost already, to be told with the rest.
    func rebuild(
        _ room: OpenRoom, _ earlier: LostEntries = LostEntries(),
        progress: @escaping @Sendable (Int, Int?) -> Void
    ) async throws -> RebuildAnswer {
        let report = try await room.store.rebuild { progress($0, $1) }
        await readers.forget(room)
        try await sync.changed(room.id)
        try await rooms.withhold(room.store, hasLost: await room.store.isRefilling)
        let counts = try await room.store.counts()
        note(report.lost, in: room)
        return RebuildAnswer(
            batches: try await batches(of: room), records: counts.records,
            digest: counts.digest.text, changed: report.hasChanged,
            kept: report.kept, lost: LostAnswer(earlier.with(report.lost)),
            refilling: await room.store.isRefilling)
    }

    private func note(_ lost: LostEntries, in room: OpenRoom) {
        guard !lost.isEmpty else { return }
        room.loss.add(lost.count)
        log.error(
            "a rebuild found what was not sent damaged: it has to be entered again",
            ["room": room.id.short, "entries": "\(lost.count)"])
    }

    /// Makes a room anew that could not be opened, and shares it again.
    func mend(
        _ damaged: DamagedRoom, progress: @escaping @Sendable (Int, Int?) -> Void
    ) async throws -> RebuildAnswer {
        let (room, kept, lost) = try await rooms.mend(damaged) { progress($0, $1) }
        await membership.refresh(room)
        await advertising.refresh()
        note(lost, in: room)
        var answer = try await rebuild(room, lost, progress: progress)
        answer.changed = true
        answer.kept = kept ?? answer.kept
        return answer
    }

    /// The answer about a room that cannot be opened.
    static func answer(for room: DamagedRoom) -> VerifyAnswer {
        let problem = room.problem
        return VerifyAnswer(
            ok: false,
            findings: [
                Finding(place: room.entry.file, what: problem.detail, hint: problem.hint)
            ], batches: 0, records: 0, digest: "")
    }

    /// Batches of all who have or had a role.
    private func batches(of room: OpenRoom) async throws -> Int {
        try await room.store.view().logs.values.reduce(0) { sum, log in
            sum + Int(clamping: log.number)
        }
    }
}

extension LostAnswer {
    /// Nil where nothing is lost.
    init?(_ lost: LostEntries) {
        guard !lost.isEmpty else { return nil }
        self.init(
            count: lost.count,
            entries: lost.entries.map { LostEntry(form: $0.form, id: $0.id) })
    }
}
