import ShareControl
import ShareCore
import ShareCrypto
import ShareStore

/// Changing roles.
extension MembersService {
    private static let changing = "change roles"

    /// Gives a member another role from what it writes next on.
    func setRole(_ request: RoleRequest, in room: OpenRoom) async throws -> RoleAnswer {
        let role = try Role(typed: request.role)
        let subject = try await find(request.device, in: room)
        let decider = try await decider(request.recovery, in: room)
        if decider.recovery == nil { try await requireOwner(Self.changing, in: room) }
        let named = await names.named(subject)
        let authority = await room.store.authority()
        let before = authority.currentRole(of: subject)
        let scopesBefore = authority.currentScopes(of: subject)
        guard let before else { throw await noMember(named, subject, in: room) }
        let scope = try await ScopeReading.scope(
            request.scope, for: role, in: room.store, schemas)
        let own = own.key
        let unsent = await unsent(of: subject, in: room)
        let batch = try await decide(to: Self.changing, about: subject, in: room, by: decider) {
            store in
            let authority = store.authority()
            // Where a log has too many branches, the same role says which of them count.
            let isForked = try store.forks().contains {
                $0.isRefused && $0.log == LogName(author: subject, kind: .control)
            }
            let isSame =
                authority.currentRole(of: subject) == role
                && authority.currentScopes(of: subject) == (scope.map { [$0] } ?? [])
            if isSame, !isForked {
                throw Problem(
                    .alreadySo, "\(named.name) is \(role.name) in \(room.name) already")
            }
            if subject == own, authority.owners == [own] { throw Leaving.lastOwner(of: room) }
            return [try Self.change(of: subject, to: role, within: scope, in: store)]
        }
        let (heard, notHeard) = await hearing(of: batch, in: room)
        return RoleAnswer(
            device: named, room: room.named, role: role.name, before: before.name,
            scopes: await ScopeReading.answers(scope.map { [$0] } ?? [], in: room.store, schemas),
            scopesBefore: await ScopeReading.answers(scopesBefore, in: room.store, schemas),
            unsent: unsent, heard: heard, notHeard: notHeard)
    }

    /// The operation that gives a member a role for what it writes next.
    private static func change(
        of subject: DeviceKey, to role: Role, within scope: Scope?, in store: isolated RoomStore
    ) throws -> ControlOperation {
        let authority = store.authority()
        let isLowering = authority.currentRole(of: subject).map { role < $0 } ?? false
        guard authority.wasRemoved(subject) else {
            let extent = try store.extent(of: subject).heads
            let branches = store.heads(of: subject).control
            let heads =
                branches.count > Limits.headsPerLog
                ? CoveredHeads(
                    control: Array(branches.suffix(Limits.parentsPerOperation)),
                    records: extent.records) : extent
            return .roleChange(
                RoleChange(
                    subject: subject, role: role, scope: scope, heads: heads,
                    supersedes: authority.superseded(about: subject)))
        }
        // What supersedes a removal does so wherever it acts. A role change acts at all that its heads
        // do not cover, so what the device wrote while it was removed would count when it arrives.
        if isLowering {
            return .roleChange(
                RoleChange(
                    subject: subject, role: role, scope: scope,
                    heads: try store.extent(of: subject).heads, supersedes: []))
        }
        func first(_ kind: LogKind) throws -> UInt64 {
            let log = LogName(author: subject, kind: kind)
            let next = try store.lastCounting(of: subject, kind) + 1
            return min(max(next, authority.nextNumber(in: log)), Limits.largestNumber)
        }
        return .grant(
            Grant(
                subject: subject, role: role, scope: scope, firstControl: try first(.control),
                firstRecords: try first(.records), supersedes: authority.superseded(about: subject))
        )
    }
}
