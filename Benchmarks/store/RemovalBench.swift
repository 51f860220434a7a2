import ShareCore
import ShareCrypto
import ShareStore

/// A member with many records: merged, rebuilt, removed, accepted again.
struct RemovalBench {
    let folder: String
    /// Batches in a group, as the daemon merges them when there is much.
    private static let group = 8

    func run(records: Int) async throws {
        var room = try await BenchRoom(folder: folder, name: "removal")
        let member = DeviceIdentity.generate()
        _ = try await room.grant(.collector, to: member.key)
        let mine = try await room.device(member, "member")
        let other = try await room.device(.generate(), "other")
        _ = Measure.peak()
        let chunk = 4_096
        let form = room.form
        let entering = try await Measure.seconds {
            for start in stride(from: 0, to: records, by: chunk) {
                _ = try await mine.append(
                    [.put(VisitRows.rows(start..<min(start + chunk, records), of: form))],
                    wall: BenchRoom.wall)
            }
        }
        Measure.rate("entered", records, entering.seconds, entering.cpu)
        let sealing = try await Measure.seconds {
            try await mine.seal(wall: BenchRoom.wall)
        }
        Measure.rate("sealed", records, sealing.seconds, sealing.cpu)
        Measure.line("  peak memory of the process", "\(Measure.peak()) MB")

        let definitions = await other.definitions()
        let merging = try await Measure.seconds {
            try await merge(sealing.result, definitions, other)
        }
        Measure.rate(
            "merged, unpacked on another core", records, merging.seconds, merging.cpu)
        Measure.line("  peak memory of the process", "\(Measure.peak()) MB")
        let rebuilding = try await Measure.seconds { try await other.rebuild() }
        Measure.rate(
            "rebuilt and compared (differs: \(rebuilding.result))", records, rebuilding.seconds,
            rebuilding.cpu)
        Measure.line("  peak memory of the process", "\(Measure.peak()) MB")

        let after = await other.authority().latest(about: member.key)
        let none = CoveredHeads(control: [], records: [])
        let removal = try await room.seal(
            .removal(Removal(subject: member.key, heads: none, supersedes: after, reason: "lost")))
        try await reapply(other, removal, records, "taken out")
        let heads = await other.heads(of: member.key)
        let acceptance = try await room.seal(
            .accept(Acceptance(subject: member.key, heads: heads)))
        try await reapply(other, acceptance, records, "put back")
        Measure.line("records at the end", "\(try await other.counts().records)")
    }

    private func merge(
        _ batches: [Batch], _ definitions: [OperationName: FormDefinition], _ store: RoomStore
    ) async throws {
        var next = open(batches[..<min(Self.group, batches.count)], definitions)
        for start in stride(from: 0, to: batches.count, by: Self.group) {
            let group = await next.value
            let following = min(start + Self.group, batches.count)
            let end = min(following + Self.group, batches.count)
            next = open(batches[following..<end], definitions)
            _ = try await store.merge(group)
        }
    }

    private func open(
        _ batches: ArraySlice<Batch>, _ definitions: [OperationName: FormDefinition]
    ) -> Task<[IncomingBatch], Never> {
        Task.detached { batches.map { IncomingBatch($0, definitions: definitions) } }
    }

    /// A change of authority with all that follows from it.
    private func reapply(
        _ store: RoomStore, _ batch: Batch, _ records: Int, _ what: String
    ) async throws {
        let first = try await Measure.seconds { try await store.merge([IncomingBatch(batch)]) }
        Measure.line(
            "\(what): until the change is in force", Measure.text(first.seconds * 1_000) + " ms")
        var longest = 0.0
        var transactions = 1
        let rest = try await Measure.seconds {
            var isLeft = true
            while isLeft {
                let step = try await Measure.seconds { try await store.reapply() }
                isLeft = step.result
                longest = max(longest, step.seconds)
                transactions += 1
            }
        }
        Measure.rate(
            "\(what), \(transactions) transactions", records, first.seconds + rest.seconds,
            first.cpu + rest.cpu)
        Measure.line("  the longest of them", Measure.text(longest * 1_000) + " ms")
        Measure.line("  peak memory of the process", "\(Measure.peak()) MB")
    }
}
