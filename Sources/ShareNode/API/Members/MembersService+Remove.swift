import ShareControl
import ShareCore
import ShareCrypto
import ShareStore

/// Removing a device (docs/operations.md, "A lost device").
extension MembersService {
    /// Removes a member: nothing that it wrote past the heads named counts any more.
    func remove(_ request: RemoveRequest, in room: OpenRoom) async throws -> RemovedAnswer {
        let removal = try Self.wanted(request)
        let subject = try await find(request.device, in: room)
        let named = await names.named(subject)
        guard subject != own.key else {
            throw Problem(
                .ownDevice, "this device cannot remove itself",
                hint: "To leave the room: `shared leave \(room.name)`.")
        }
        let decider = try await decider(request.recovery, in: room)
        if decider.recovery == nil { try await requireOwner(Self.removing, in: room) }
        let authority = await room.store.authority()
        // Whoever is out already can be taken out from an earlier moment on.
        let isMember = removal.before == nil || !authority.knows(subject)
        guard !isMember || authority.currentRole(of: subject) != nil else {
            throw await noMember(named, subject, in: room, code: .alreadySo)
        }
        let plan = try await room.store.perform { store in
            try RemovalPlan(removal, of: subject, by: decider, in: store)
        }
        // Its own clock may be ahead of this one.
        if let since = removal.before, since.milliseconds > wall(),
            plan.extent.last.map({ since > $0 }) ?? true
        {
            throw Problem(
                .badRequest, "the time of --since has not come yet",
                hint: "Name an earlier one; without --since all counts that is here of"
                    + " \(named.name).")
        }
        var answer = RemovedAnswer(
            device: named, room: room.named, reason: removal.reason, done: false,
            counted: plan.extent.operations, refused: plan.extent.pastHeads,
            last: plan.extent.last.map { WallClock.text($0.milliseconds) },
            revoked: await answers(plan.revoked, plan.repeated, plan.entries),
            unsent: await unsent(of: subject, in: room))
        if plan.verdict != .accepted {
            throw await refused(plan.verdict, named, subject, in: room)
        }
        if request.dryRun { return answer }
        if decider.recovery != nil, removal.before == nil, !plan.lowerings.isEmpty {
            throw await removalsAtStake(plan.lowerings, named, in: room)
        }
        if removal.grants == .ask, plan.hasAtStake { throw atStake(answer.revoked, named) }
        let batch = try await decide(
            to: Self.removing, about: subject, in: room, by: decider, isMember: isMember
        ) { store in
            // Made anew, from the room as it is now; what has come meanwhile is asked about too.
            let now = try RemovalPlan(removal, of: subject, by: decider, in: store)
            guard removal.grants != .ask || !now.hasAtStake else {
                throw Problem(
                    .busy, "\(named.name) has decided more meanwhile", hint: "Try again.")
            }
            if case .refused(let refusal) = now.verdict { throw StoreError.refused(refusal) }
            return now.operations
        }
        answer.done = true
        answer.notified = await sync.hasBeenTold(
            subject, of: room.id, within: Self.hearingTime)
        (answer.heard, answer.notHeard) = await hearing(of: batch, in: room)
        return answer
    }

    private static let removing = "remove devices"

    /// - Throws: `Problem` of `bad_request`.
    private static func wanted(_ request: RemoveRequest) throws -> RemovalPlan.Wanted {
        let reason = request.reason ?? ""
        guard reason.utf8.count <= Limits.shortText else {
            throw Problem(
                .badRequest, "a reason has at most \(Limits.shortText) bytes",
                hint: "Everybody in the room reads it: keep it short.")
        }
        var before: WallTime?
        if let since = request.sinceMilliseconds {
            guard let milliseconds = UInt64(exactly: since) else {
                throw Problem(
                    .badRequest, "a time before 1970", hint: "Name a later one: --since 3h.")
            }
            before = WallTime(milliseconds: milliseconds)
        }
        return RemovalPlan.Wanted(reason: reason, before: before, grants: request.grants)
    }

    /// The decisions, in words for people; `entries` of other devices go with forms.
    func answers(
        _ revoked: [AuthorityChange], _ repeated: Set<OperationName> = [],
        _ entries: [OperationName: Int] = [:]
    ) async -> [RevokedAnswer] {
        var answers: [RevokedAnswer] = []
        for change in revoked {
            var answer = RevokedAnswer(
                what: change.operation.word, repeated: repeated.contains(change.name))
            if let subject = change.operation.subject { answer.device = await names.named(subject) }
            answer.role = change.operation.givesRole?.name
            answer.name = change.operation.label
            answer.entries = entries[change.name] ?? 0
            answers.append(answer)
        }
        return answers
    }

    /// The removals by a stolen owner's device, which its own removal leaves as they are.
    private func removalsAtStake(
        _ lowerings: [AuthorityChange], _ named: NamedDevice, in room: OpenRoom
    ) async -> Problem {
        var lowered: [String] = []
        var first: WallTime?
        for change in lowerings {
            guard let subject = change.operation.subject else { continue }
            let name = await names.named(subject).name
            if !lowered.contains(name) { lowered.append(name) }
            if let time = await room.store.entry(of: change.name)?.wall {
                first = min(first ?? time, time)
            }
        }
        let when = first.map { WallClock.words($0.milliseconds) } ?? ""
        return Problem(
            .removalsAtStake,
            "\(named.name) has removed others, or lowered their roles, and that would go on counting: "
                + EntryWords.some(lowered.prefix(8), of: lowered.count)
                + (when.isEmpty ? "" : "; first at \(when)"),
            hint: "--since TIME takes back what it did from then on; --since now lets all of it"
                + " count.")
    }

    private func atStake(_ all: [RevokedAnswer], _ named: NamedDevice) -> Problem {
        let revoked = all.filter { $0.what != ControlOperation.removalWord }
        let listed = revoked.prefix(8).map { item in
            let about = item.device.map { " to \($0.name)" } ?? item.name.map { " \($0)" } ?? ""
            return item.what + (item.role.map { " of \($0)" } ?? "") + about
                + (item.entries == 0
                    ? ""
                    : " (with \(item.entries) \(item.entries == 1 ? "entry" : "entries") of other devices)")
        }
        let more = revoked.count - listed.count
        return Problem(
            .grantsAtStake,
            "what \(named.name) decided after that would be revoked: "
                + listed.joined(separator: ", ") + (more > 0 ? ", and \(more) more" : ""),
            hint: "--repeat-grants gives these devices their roles again;"
                + " --drop-grants lets it all be revoked; --dry-run shows the whole list.")
    }
}
