import ShareControl
import ShareCore
import ShareCrypto
import ShareStore

/// The consequences of removing a device, before it is done.
struct RemovalPlan: Sendable {
    struct Wanted: Sendable {
        let reason: String
        /// From when on nothing counts; nil: all counts that is here.
        let before: WallTime?
        let grants: RemoveRequest.Grants
    }

    let extent: DeviceExtent
    /// The decisions that count now and would be revoked, in the order in which they were made.
    let revoked: [AuthorityChange]
    /// Operations of other devices that go with a form among these.
    let entries: [OperationName: Int]
    /// Those of them that are repeated.
    let repeated: Set<OperationName>
    /// The removal, and what is repeated.
    let operations: [ControlOperation]
    /// By what the device lowered others, and would go on doing so.
    let lowerings: [AuthorityChange]
    /// The verdict that every device would give over it.
    let verdict: Verdict

    /// Whether anything would be revoked that people may want back; a removal is not among that.
    var hasAtStake: Bool { revoked.contains { !$0.operation.isRemoval } }

    init(
        _ wanted: Wanted, of subject: DeviceKey, by decider: MembersService.Decider,
        in store: isolated RoomStore
    ) throws {
        let authority = store.authority()
        extent = try store.extent(of: subject, before: wanted.before)
        let removal = ControlOperation.removal(
            Removal(
                subject: subject, heads: extent.heads,
                supersedes: authority.superseded(about: subject),
                reason: wanted.reason))
        let last = try decider.head(in: store)
        let after = authority.adding([removal], by: decider.key, after: last)
        let name = OperationName(batch: Authority.trial, index: 0)
        verdict = after.verdict(of: name) ?? .waiting(.author)
        lowerings = after.lowerings(by: subject)
        var times: [OperationName: Timestamp] = [:]
        // Rows of a list go with it.
        let changes = authority.changes(voidIn: after).filter { !$0.operation.isPart }
        for change in changes { times[change.name] = store.entry(of: change.name)?.clock }
        let lost = changes.sorted {
            (times[$0.name] ?? .zero, $0.name) < (times[$1.name] ?? .zero, $1.name)
        }
        var entries: [OperationName: Int] = [:]
        for case let change in lost where change.operation.isForm {
            entries[change.name] = try store.uses(of: change.name, without: subject)
        }
        self.entries = entries
        let again =
            wanted.grants == .again
            ? RepeatedGrants(of: lost, without: subject, before: authority, after: after) : nil
        operations = [removal] + (again?.operations ?? [])
        guard let again else {
            revoked = lost
            repeated = []
            return
        }
        let final = authority.adding(operations, by: decider.key, after: last)
        let gone = Set(authority.changes(voidIn: final).map(\.name)).subtracting(again.keeping)
        revoked = lost.filter { gone.contains($0.name) }
        repeated = again.restoring
    }
}

extension ControlOperation {
    fileprivate var isForm: Bool { if case .form = self { true } else { false } }
    fileprivate var isPart: Bool { if case .part = self { true } else { false } }
    fileprivate var isRemoval: Bool { if case .removal = self { true } else { false } }
    static let removalWord = OperationSort.removal.word

    /// The role that it gives a device.
    var givesRole: Role? {
        switch self {
        case .grant(let grant): grant.role
        case .roleChange(let change): change.role
        case .found, .set, .form, .part, .list, .removal, .accept: nil
        }
    }

    /// The form, list or setting that it is about.
    var label: String? {
        switch self {
        case .form(let form): form.formID
        case .list(let list): list.name
        case .set(let setting): setting.key
        case .found, .part, .grant, .roleChange, .removal, .accept: nil
        }
    }
}

/// The grants of a removed device, made once more in an owner's own log.
///
/// Whoever would be less than it is gets its role back. Of whoever is no less the past alone is kept:
/// what is repeated for that has seen nothing that others decided since, so that it stays in force.
struct RepeatedGrants: Sendable {
    /// In the order in which they were decided, to come behind a removal in one batch.
    private(set) var operations: [ControlOperation] = []
    /// Grants repeated for members who would be less otherwise.
    private(set) var restoring: Set<OperationName> = []
    /// Grants repeated for the sake of entries written before alone.
    private(set) var keeping: Set<OperationName> = []
    private let before: Authority
    private let after: Authority
    /// How those are named that repeat another one.
    private var names: [OperationName: OperationName] = [:]
    private var repeats: [DeviceKey: [OperationName]] = [:]

    /// - Parameters:
    ///   - revoked: what counts before the removal and not after it, in the order of the decisions.
    ///   - removed: the device that is removed.
    init(
        of revoked: [AuthorityChange], without removed: DeviceKey, before: Authority,
        after: Authority
    ) {
        self.before = before
        self.after = after
        for change in revoked {
            guard let subject = change.operation.subject, subject != removed else { continue }
            add(change, about: subject)
        }
    }

    private mutating func add(_ change: AuthorityChange, about subject: DeviceKey) {
        let role = before.currentRole(of: subject)
        let left = after.currentRole(of: subject)
        let falls = role.map { role in left.map { $0 < role } ?? true } ?? false
        let latest = before.latest(about: subject)
        let isRestoring = falls && latest.contains(change.name)
        func seen(_ original: [OperationName]) -> [OperationName] {
            guard isRestoring else { return original.compactMap { names[$0] } }
            let lowerings = Set(
                before.superseded(about: subject) + after.superseded(about: subject)
            ).sorted()
            return (lowerings + (repeats[subject] ?? [])).suffix(Limits.parentsPerOperation)
        }
        func given(_ original: Role) -> Role? {
            guard let role else { return original }
            if isRestoring { return min(original, role) }
            // Beside what others decided the least role holds.
            return falls || original >= role ? original : nil
        }
        let operation: ControlOperation
        switch change.operation {
        case .grant(let grant):
            guard let role = given(grant.role) else { return }
            operation = .grant(
                Grant(
                    subject: subject, role: role, scope: role.takesScope ? grant.scope : nil,
                    firstControl: grant.firstControl, firstRecords: grant.firstRecords,
                    supersedes: seen(grant.supersedes)))
        case .roleChange(let change):
            guard let role = given(change.role) else { return }
            operation = .roleChange(
                RoleChange(
                    subject: subject, role: role, scope: role.takesScope ? change.scope : nil,
                    heads: change.heads,
                    supersedes: seen(change.supersedes)))
        case .found, .set, .form, .part, .list, .removal, .accept: return
        }
        operations.append(operation)
        if falls {
            restoring.insert(change.name)
        } else {
            keeping.insert(change.name)
        }
        // The removal is the batch's first operation.
        let name = OperationName(batch: .thisBatch, index: operations.count)
        names[change.name] = name
        repeats[subject, default: []].append(name)
    }
}
