import ShareCore
import ShareCrypto

/// What a removed device had granted, once more in an owner's own log.
///
/// Whoever would be less than it is gets its role back. Of whoever is no less the past alone is kept:
/// what is repeated for that has seen nothing that others decided since, so that it stays in force.
struct RepeatedGrants: Sendable {
    /// In the order in which they were decided, to come behind a removal in one batch.
    private(set) var operations: [ControlOperation] = []
    /// What is repeated for members who would be less otherwise.
    private(set) var restoring: Set<OperationName> = []
    /// What is repeated for what was written before alone.
    private(set) var keeping: Set<OperationName> = []
    private let before: Authority
    private let after: Authority
    /// How those are named that repeat another one.
    private var names: [OperationName: OperationName] = [:]
    private var places: [DeviceKey: [OperationName]] = [:]

    /// - Parameters:
    ///   - void: what counts before the removal and not after it, in the order of the decisions.
    ///   - removed: the device that is removed.
    init(
        of void: [AuthorityChange], without removed: DeviceKey, before: Authority,
        after: Authority
    ) {
        self.before = before
        self.after = after
        for change in void {
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
            let standing = Set(
                before.superseded(about: subject) + after.superseded(about: subject)
            ).sorted()
            return (standing + (places[subject] ?? [])).suffix(Limits.parentsPerOperation)
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
                    subject: subject, role: role, firstControl: grant.firstControl,
                    firstRecords: grant.firstRecords, supersedes: seen(grant.supersedes)))
        case .roleChange(let change):
            guard let role = given(change.role) else { return }
            operation = .roleChange(
                RoleChange(
                    subject: subject, role: role, heads: change.heads,
                    supersedes: seen(change.supersedes)))
        case .found, .set, .form, .list, .removal, .accept: return
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
        places[subject, default: []].append(name)
    }
}
