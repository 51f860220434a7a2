import ShareControl
import ShareCore
import ShareCrypto
import ShareStore

/// Letting count what is refused of a device (docs/operations.md, "A lost device").
extension MembersWork {
    private static let accepting = "accept what is refused"
    /// The records that follow are waited for so long.
    private static let settlingTime = Duration.seconds(10)

    /// Lets count what is refused of a device for where it stands in its log, here or at peers in
    /// reach: its entries, and where it is asked for what it decided.
    ///
    /// What peers hold is fetched before: a head that nobody holds would let count whatever comes
    /// before it.
    func accept(_ request: AcceptRequest) async throws -> AcceptedAnswer {
        let subject = try await find(request.device)
        try await requireOwner(Self.accepting)
        let named = await node.named(subject)
        let missing = try await missing(of: subject)
        // What is written meanwhile, by whoever has the device, was shown to nobody.
        let refused = try await room.store.refusals(of: subject).heads
        func shown(_ kind: LogKind) -> [LogHead] {
            refused.heads(in: kind)
                + missing.filter { $0.log.kind == kind }.flatMap(\.state.heads)
        }
        let ends = CoveredHeads(control: shown(.control), records: shown(.records))
        try await fetch(missing.filter { request.decisions || $0.log.kind == .records })
        try Task.checkCancellation()
        let own = node.identity.key
        let before = try await room.store.perform { try Effects(of: subject, in: $0) }
        let hint = await hintBeside(subject, request, missing)
        let holder = try await held(self.missing(of: subject), request).first?.by
        let batch = try await decide(to: Self.accepting, about: named) { store in
            let all = try store.refusals(of: subject)
            let refusals = try store.refusals(of: subject, upTo: ends)
            let heads = CoveredHeads(
                control: request.decisions ? refusals.heads.control : [],
                records: refusals.heads.records)
            guard !heads.control.isEmpty || !heads.records.isEmpty else {
                let came = all.records + (request.decisions ? all.control : 0)
                if came > 0 {
                    throw Problem(
                        .nothingRefused,
                        "what is refused of \(named.name) has not all come, so nothing of it was"
                            + " accepted",
                        hint: "What has come is kept, and in `shared refused`: accept it again.")
                }
                if let holder {
                    throw Problem(
                        .nothingRefused,
                        "what \(holder.name) holds of \(named.name) has not all come, so nothing of"
                            + " it was accepted",
                        hint: "Accept it again as long as \(holder.name) is in reach.")
                }
                throw Problem(
                    .nothingRefused,
                    "nothing of \(named.name) is refused for where it stands in its log",
                    hint: hint)
            }
            let operation = ControlOperation.accept(Acceptance(subject: subject, heads: heads))
            let trial = store.authority().adding(
                [operation], by: own, after: try store.ownHead(.control))
            let after = try store.refusals(of: subject, under: trial)
            guard after.records < all.records || after.control < all.control else {
                throw Problem(
                    .nothingRefused,
                    "accepting what is refused of \(named.name) would change nothing: it was"
                        + " written before the device had a role here",
                    hint: hint)
            }
            if after.control == all.control,
                try !Self.isAnyUsable(refusals.definitions, trial, store)
            {
                throw Problem(
                    .formRefused,
                    "what is refused of \(named.name) is of forms that do not count themselves",
                    hint: hint)
            }
            return [operation]
        }
        let hasSettled = await node.sync.hasSettled(room.id, within: Self.settlingTime)
        let after = try await room.store.perform { try Effects(of: subject, in: $0) }
        let (heard, notHeard) = await hearing(of: batch)
        let decided = after.authority.changes(voidIn: before.authority).filter {
            $0.name.batch != batch.id
        }
        let accepted = max(before.own - after.own, 0)
        return AcceptedAnswer(
            device: named, room: room.named, accepted: accepted, refused: after.refused,
            others: max(before.all - after.all - accepted, 0),
            decisions: await answers(decided), blocked: await blocked(after.blocking),
            held: await held(try await self.missing(of: subject), request), settling: !hasSettled,
            heard: heard, notHeard: notHeard)
    }

    /// Whether any entry would count by its form: it is accepted, or not here yet.
    private static func isAnyUsable(
        _ definitions: Set<OperationName>, _ authority: Authority, _ store: isolated RoomStore
    ) throws -> Bool {
        try definitions.isEmpty
            || definitions.contains {
                try authority.verdict(of: $0) == .accepted || !store.holds($0)
            }
    }

    // MARK: What others hold

    /// What peers in reach hold of a device beyond a cut, and this device does not.
    func missing(of subject: DeviceKey? = nil) async throws -> [SyncEngine.HeldBeyond] {
        var missing: [SyncEngine.HeldBeyond] = []
        let authority = await room.store.authority()
        for held in await node.sync.heldBeyond(in: room.id)
        where subject.map({ $0 == held.log.author }) ?? true && authority.cut(of: held.log) != nil {
            guard try await !room.store.find(held.log, held.state.heads).missing.isEmpty else {
                continue
            }
            missing.append(held)
        }
        return missing
    }

    private func fetch(_ missing: [SyncEngine.HeldBeyond]) async throws {
        guard !missing.isEmpty else { return }
        var logs: [LogName: [LogHead]] = [:]
        for held in missing where logs[held.log] == nil {
            logs[held.log] = try await room.store.find(held.log, held.state.heads).places
        }
        await node.sync.fetchBeyond(logs, in: room.id)
    }

    private func held(
        _ missing: [SyncEngine.HeldBeyond], _ request: AcceptRequest
    ) async -> [HeldAnswer] {
        var answers: [HeldAnswer] = []
        for held in missing where request.decisions || held.log.kind == .records {
            answers.append(
                HeldAnswer(
                    by: await node.named(held.peer), log: held.log.kind.name,
                    count: max(Int(clamping: held.state.operations), 1)))
        }
        return answers
    }

    private func blocked(_ forms: [BlockingForm]) async -> [BlockedAnswer] {
        var answers: [BlockedAnswer] = []
        for form in forms {
            var device: NamedDevice?
            if let author = form.author { device = await node.named(author) }
            answers.append(BlockedAnswer(form: form.formID, device: device, count: form.entries))
        }
        return answers
    }

    /// What else might be meant.
    private func hintBeside(
        _ subject: DeviceKey, _ request: AcceptRequest, _ missing: [SyncEngine.HeldBeyond]
    ) async -> String {
        let decided = (try? await room.store.refusals(of: subject).control) ?? 0
        if !request.decisions, decided > 0 || missing.contains(where: { $0.log.kind == .control }) {
            return "To let count what it decided as well (forms that it added, devices that it let"
                + " in): shared accept \(subject.short) --decisions"
        }
        if let grantor = await room.store.voidGrantor(of: subject) {
            return "\(await node.named(grantor).name), which let it in, might not any more. To let"
                + " count what that device decided: shared accept \(grantor.short) --decisions"
        }
        return "`shared refused` says why each entry is refused."
    }

    /// What has no effect, at one moment.
    private struct Effects: Sendable {
        let authority: Authority
        /// Operations on records without effect, of the device and of all.
        let own: Int
        let all: Int
        /// Such of the device that are refused for where they stand.
        let refused: Int
        let blocking: [BlockingForm]

        init(of subject: DeviceKey, in store: isolated RoomStore) throws {
            authority = store.authority()
            own = try store.withoutEffect(of: subject)
            all = try store.withoutEffect()
            refused = try store.refusals(of: subject).records
            blocking = try store.blockingForms(of: subject)
        }
    }
}
