import ShareControl
import ShareCore
import ShareCrypto
import ShareStore

/// Letting refused entries of a device count (docs/operations.md, "Letting entries count again").
extension MembersService {
    private static let accepting = "accept entries that are refused"
    /// The records that follow are waited for so long.
    private static let reapplyTime = Duration.seconds(10)

    /// Lets the entries count that are held here of a device and are refused for where they stand
    /// in its log.
    func accept(_ request: AcceptRequest, in room: OpenRoom) async throws -> AcceptedAnswer {
        let subject = try await find(request.device, in: room)
        let decider = try await decider(request.recovery, in: room)
        if decider.recovery == nil { try await requireOwner(Self.accepting, in: room) }
        let named = await names.named(subject)
        let hint = hint(to: own.key, subject)
        // Whoever has the device may write more meanwhile, which was shown to nobody.
        let ends = try await room.store.refusals(of: subject).heads
        let before = try await room.store.perform { try Effects(of: subject, in: $0) }
        let batch = try await decide(
            to: Self.accepting, about: subject, in: room, by: decider, isMember: false
        ) { store in
            let refusals = try store.refusals(of: subject, upTo: ends)
            guard !refusals.isEmpty else {
                let others = try store.withoutEffect(of: subject)
                guard others == 0 else { throw Self.notToBeAccepted(others, of: named, subject) }
                throw Problem(
                    .nothingRefused,
                    "nothing of \(named.name) waits here to be accepted",
                    hint: hint)
            }
            let operation = ControlOperation.accept(
                Acceptance(
                    subject: subject,
                    heads: CoveredHeads(control: [], records: refusals.heads)))
            let trial = store.authority().adding(
                [operation], by: decider.key, after: try decider.head(in: store))
            guard
                try store.refusals(of: subject, under: trial).operations
                    < store.refusals(of: subject).operations
            else {
                throw Problem(
                    .nothingRefused,
                    "accepting the entries of \(named.name) would change nothing: they were"
                        + " written before the device had a role here",
                    hint: hint)
            }
            guard try Self.isAnyUsable(refusals.definitions, trial, store) else {
                throw Problem(
                    .formRefused,
                    "the refused entries of \(named.name) are in forms that do not count"
                        + " themselves",
                    hint: "`shared forms` lists the forms that count: enter them again in one.")
            }
            return [operation]
        }
        let hasReapplied = await sync.hasReapplied(room.id, within: Self.reapplyTime)
        let after = try await room.store.perform { try Effects(of: subject, in: $0) }
        let (heard, notHeard) = await hearing(of: batch, in: room)
        let accepted = max(before.own - after.own, 0)
        return AcceptedAnswer(
            device: named, room: room.named, accepted: accepted, refused: after.refused,
            others: max(before.all - after.all - accepted, 0),
            blocked: after.blocking.map { BlockedAnswer(form: $0.formID, count: $0.entries) },
            reapplying: !hasReapplied, heard: heard, notHeard: notHeard)
    }

    /// What is refused for what it says, and not for where it stands, counts under no decision.
    private static func notToBeAccepted(
        _ count: Int, of named: NamedDevice, _ subject: DeviceKey
    ) -> Problem {
        let changes = count == 1 ? "1 change" : "\(count) changes"
        return Problem(
            .nothingRefused,
            "nothing of \(named.name) waits here to be accepted; \(changes) of it"
                + " \(count == 1 ? "is" : "are") refused for another reason",
            hint: "Which, why, and what they say: `shared refused --answers`. What the device was"
                + " not assigned it can enter again once it is: `shared role \(subject.short) ROLE"
                + " --forms FORM --where FIELD=VALUE`.")
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

    /// How entries come here that only another member holds.
    private func hint(to owner: DeviceKey, _ subject: DeviceKey) -> String {
        "Entries that another member holds come in a file: there `shared bundle write FILE --for"
            + " \(owner.short)`, here `shared bundle read FILE`, then `shared accept"
            + " \(subject.short)`. `shared refused` lists the entries that are held here."
    }

    /// The operations without effect, at one moment.
    private struct Effects: Sendable {
        /// Operations on records without effect, of the device and of all.
        let own: Int
        let all: Int
        /// Such of the device that are refused for where they stand.
        let refused: Int
        let blocking: [BlockingForm]

        init(of subject: DeviceKey, in store: isolated RoomStore) throws {
            own = try store.withoutEffect(of: subject)
            all = try store.withoutEffect()
            refused = try store.refusals(of: subject).operations
            blocking = try store.blockingForms(of: subject)
        }
    }
}
