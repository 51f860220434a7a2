import ShareControl
import ShareCore
import ShareCrypto
import ShareStore

/// Changing roles.
extension MembersWork {
    private static let changing = "change roles"

    /// Gives a member another role from what it writes next on.
    func setRole(_ request: RoleRequest) async throws -> RoleAnswer {
        let role = try Role(typed: request.role)
        let subject = try await find(request.device)
        try await requireOwner(Self.changing)
        let named = await node.named(subject)
        let before = await room.store.authority().currentRole(of: subject)
        guard let before else { throw await noMember(named, subject) }
        let own = node.identity.key
        let room = room
        let batch = try await decide(to: Self.changing, about: named, subject) { store in
            let authority = store.authority()
            if authority.currentRole(of: subject) == role {
                throw Problem(
                    .sameRole, "\(named.name) is \(role.name) in \(room.name) already")
            }
            if subject == own, authority.owners == [own] { throw Self.lastOwner(of: room) }
            let plan = try RolePlan(role, for: subject, by: own, in: store)
            // What is refused as such is said by sealing.
            guard plan.outcome == role || !plan.holds else {
                throw Self.unreached(role, plan.outcome, named, room)
            }
            return [plan.operation]
        }
        let (heard, notHeard) = await hearing(of: batch)
        return RoleAnswer(
            device: named, room: room.named, role: role.name, before: before.name, heard: heard,
            notHeard: notHeard)
    }

    private static func unreached(
        _ wanted: Role, _ outcome: Role?, _ named: NamedDevice, _ room: OpenRoom
    ) -> Problem {
        Problem(
            .outranked,
            "\(named.name) would be \(outcome?.phrase ?? "no member") in \(room.name) and not"
                + " \(wanted.phrase): another owner decided otherwise, and goes before this device",
            hint: "Nothing was changed. Ask the first owner of `shared members` to do it;"
                + " docs/security.md says which owner goes before which.")
    }
}

/// What gives a member a role, and what comes of it.
struct RolePlan: Sendable {
    let operation: ControlOperation
    /// What everybody takes the member for then.
    let outcome: Role?
    /// Whether the change as such would be accepted.
    let holds: Bool

    /// Each look finds what the one before brought back into force; one is enough in nearly all
    /// rooms.
    private static let looks = 4

    init(
        _ role: Role, for subject: DeviceKey, by own: DeviceKey, in store: isolated RoomStore
    ) throws {
        let authority = store.authority()
        let heads = try store.extent(of: subject).heads
        let last = try store.ownHead(.control)
        // A change drops what it has seen wherever its heads do not cover, a removal as well: what
        // was written while the device was removed would count when it arrives.
        let wasRemoved = authority.wasRemoved(subject)
        let isLowering = authority.currentRole(of: subject).map { role < $0 } ?? false
        func first(_ kind: LogKind) throws -> UInt64 {
            let log = LogName(author: subject, kind: kind)
            let next = try store.lastCounting(of: subject, kind) + 1
            return min(max(next, authority.nextNumber(in: log)), Limits.largestNumber)
        }
        let begin = wasRemoved ? (control: try first(.control), records: try first(.records)) : nil
        func change(_ seen: [OperationName]) -> ControlOperation {
            if let begin, !isLowering {
                return .grant(
                    Grant(
                        subject: subject, role: role, firstControl: begin.control,
                        firstRecords: begin.records, after: seen))
            }
            return .roleChange(
                RoleChange(subject: subject, role: role, heads: heads, after: seen))
        }
        var seen = wasRemoved && isLowering ? [] : authority.latest(about: subject)
        var look = 1
        while true {
            let change = change(seen)
            let then = authority.adding([change], by: own, after: last)
            let outcome = then.currentRole(of: subject)
            // Who becomes an owner gets a rank, and with it what was decided about it and was void
            // so far can count again: the change has to have seen that too.
            let more = then.latest(about: subject)
                .filter { $0.batch != Authority.trial && !seen.contains($0) }
            guard outcome != role, !more.isEmpty, look < Self.looks,
                seen.count + more.count <= Limits.basesPerOperation
            else {
                operation = change
                self.outcome = outcome
                holds =
                    then.verdict(of: OperationName(batch: Authority.trial, index: 0)) == .accepted
                return
            }
            seen = (seen + more).sorted()
            look += 1
        }
    }
}
