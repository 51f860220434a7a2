import ShareCore
import ShareCrypto

/// The rules of docs/protocol/authority.md said again as plainly as possible, without a care for
/// cost, to hold the real code against. It shares nothing with it.
struct AuthorityModel {
    struct Item: Hashable {
        let name: OperationName
        let batch: ControlBatch
        let operation: ControlOperation
        let subject: DeviceKey

        /// No two have one name.
        static func == (a: Item, b: Item) -> Bool { a.name == b.name }
        func hash(into hasher: inout Hasher) { hasher.combine(name) }

        var author: DeviceKey { batch.author }
        var isSelf: Bool { author == subject }
        var isRemoval: Bool { if case .removal = operation { true } else { false } }
        var isLeave: Bool { isSelf && isRemoval }
        var isGrant: Bool { if case .grant = operation { true } else { false } }
        var isAcceptance: Bool { if case .accept = operation { true } else { false } }
        var isFounding: Bool { if case .found = operation { true } else { false } }
        /// Nil for removals and acceptances.
        var role: Role? {
            switch operation {
            case .found: .owner
            case .grant(let grant): grant.role
            case .roleChange(let change): change.role
            default: nil
            }
        }
        var scope: Scope? {
            switch operation {
            case .grant(let grant): grant.scope
            case .roleChange(let change): change.scope
            default: nil
            }
        }
        var lowers: Bool { !isAcceptance && role != .owner }

        var supersedes: [OperationName] {
            switch operation {
            case .grant(let grant): grant.supersedes
            case .roleChange(let change): change.supersedes
            case .removal(let removal): removal.supersedes
            default: []
            }
        }

        func heads(_ kind: LogKind) -> [LogHead] {
            switch operation {
            case .roleChange(let change): change.heads.heads(in: kind)
            case .removal(let removal): removal.heads.heads(in: kind)
            case .accept(let acceptance): acceptance.heads.heads(in: kind)
            default: []
            }
        }
    }

    enum Position {
        case end
        case control(ControlBatch)
        /// Of a records log without forks, of which this many batches are held.
        case records(LogHead, held: UInt64)
    }

    enum Result: Equatable {
        case removed, left, none
        case role(Role, within: Set<Scope>)

        var height: Int {
            let ladder: [(Role, scoped: Bool)] = [
                (.viewer, false), (.reviewer, false), (.contributor, true), (.collector, true),
                (.contributor, false), (.collector, false), (.editor, false), (.owner, false),
            ]
            switch self {
            case .removed: return -3
            case .left: return -2
            case .none: return -1
            case .role(let role, let scopes):
                let isScoped = [.contributor, .collector].contains(role) && !scopes.isEmpty
                return ladder.firstIndex { $0.0 == role && $0.scoped == isScoped } ?? -9
            }
        }

        /// Whether what another result allows is allowed by this one too, and what it does not.
        func allowsMore(than other: Result) -> Bool {
            guard height > other.height else { return false }
            guard case .role(let role, let scopes) = self, case .role(let less, let bounds) = other,
                ![.editor, .owner].contains(role)
            else { return true }
            if less == .viewer { return true }
            return less != .reviewer && scopes.isSubset(of: bounds)
        }
    }

    let byID: [BatchID: ControlBatch]
    let items: [Item]
    let recovery: DeviceKey?
    /// In force, by layer, in order of coming into force.
    private(set) var owners: [Item] = []
    private(set) var editors: [Item] = []
    /// What did not come into force although its author's role allows it.
    private(set) var declined: Set<OperationName> = []
    /// Devices in the order in which they were first taken from the queue.
    private(set) var ranking: [DeviceKey] = []

    init(_ batches: [ControlBatch]) {
        var byID: [BatchID: ControlBatch] = [:]
        for batch in batches.sorted(by: { $0.head < $1.head }) {
            if batch.head.number == 1 {
                byID[batch.head.batch] = batch
            } else if let previous = byID[batch.previous], previous.author == batch.author,
                previous.head.number + 1 == batch.head.number
            {
                byID[batch.head.batch] = batch
            }
        }
        self.byID = byID
        items = byID.values.sorted { ($0.author, $0.head) < ($1.author, $1.head) }
            .flatMap(Self.items)
        if let found = items.first(where: \.isFounding), case .found(let founding) = found.operation
        {
            recovery = founding.recovery
            compute(found)
        } else {
            recovery = nil
        }
    }

    private static func items(of batch: ControlBatch) -> [Item] {
        batch.entries.compactMap { entry in
            let subject: DeviceKey
            switch entry.operation {
            case .found:
                guard batch.head.batch.digest == AuthorityHistory.room.digest,
                    batch.head.number == 1, entry.index == 0
                else { return nil }
                subject = batch.author
            case .grant(let grant): subject = grant.subject
            case .roleChange(let change): subject = change.subject
            case .removal(let removal): subject = removal.subject
            case .accept(let acceptance): subject = acceptance.subject
            case .set, .form, .part, .list: return nil
            }
            return Item(
                name: OperationName(batch: batch.head.batch, index: entry.index), batch: batch,
                operation: entry.operation, subject: subject)
        }
    }

    func inForce(_ name: OperationName) -> Bool {
        owners.contains { $0.name == name } || editors.contains { $0.name == name }
    }

    func knows(_ device: DeviceKey) -> Bool {
        device == recovery
            || (owners + editors).contains { $0.subject == device && !$0.isAcceptance }
    }

    private mutating func compute(_ found: Item) {
        owners = [found]
        var queue = [recovery, found.subject].compactMap { $0 }
        var taken: [DeviceKey: Int] = [:]
        /// What was named by what was in force about a device when it was first taken.
        var known: [DeviceKey: [OperationName]] = [:]
        while !queue.isEmpty {
            let device = queue.removeFirst()
            if taken[device] == nil {
                ranking.append(device)
                known[device] = owners.filter { $0.subject == device }.flatMap(\.supersedes)
            }
            taken[device, default: 0] += 1
            for item in operations(of: device) where !inForce(item.name) {
                let role = role(of: device, at: .control(item.batch), byOwners: true)
                guard role == .owner || role != nil && item.isLeave else { continue }
                declined.remove(item.name)
                let isOpen =
                    item.isSelf
                    ? !item.isGrant && !item.isAcceptance && !isLate(item)
                    : !item.lowers || taken[item.subject] == nil
                        || known[item.subject, default: []].contains(item.name)
                guard item.subject != recovery, isOpen,
                    owners.filter({ isLike($0, item) }).count < (item.isLeave ? 16 : 64)
                else {
                    declined.insert(item.name)
                    continue
                }
                owners.append(item)
                guard item.role == .owner, taken[item.subject, default: 0] < 16 else { continue }
                if !queue.contains(item.subject) { queue.append(item.subject) }
            }
        }
        let others = Set(items.map(\.author)).sorted().filter { $0 != recovery }
        for device in others {
            for item in operations(of: device) where !inForce(item.name) {
                switch role(of: device, at: .control(item.batch), byOwners: true) {
                case nil: continue
                case .some where item.isLeave: leave(item, byOwners: true)
                case .editor where item.isGrant && item.role.map { $0 <= .collector } == true:
                    if !item.isSelf, item.subject != recovery,
                        editors.filter({ isLike($0, item) }).count < 64
                    {
                        editors.append(item)
                    } else {
                        declined.insert(item.name)
                    }
                default: continue
                }
            }
        }
        for device in others {
            for item in operations(of: device) where item.isLeave && !inForce(item.name) {
                let place = Position.control(item.batch)
                guard role(of: device, at: place, byOwners: true) == nil else { continue }
                if role(of: device, at: place) != nil { leave(item, byOwners: false) }
            }
        }
    }

    private mutating func leave(_ item: Item, byOwners: Bool) {
        guard !isLate(item),
            (byOwners ? owners : editors).filter({ isLike($0, item) }).count < 16
        else {
            declined.insert(item.name)
            return
        }
        if byOwners { owners.append(item) } else { editors.append(item) }
        declined.remove(item.name)
    }

    /// The batches of a device's control log that count, in order, as far as is known by now.
    func countingBatches(of device: DeviceKey) -> [ControlBatch] {
        let log = byID.values.filter { $0.author == device }.sorted { $0.head < $1.head }
        let tips = log.filter { one in
            !log.contains { $0.head.number > 1 && $0.previous == one.head.batch }
        }
        guard tips.count > 8, device != recovery, !isRemoved(device) else { return log }
        let named = owners.filter { $0.subject == device && !$0.isSelf }
            .flatMap { $0.heads(.control) }.filter { isHeld($0, of: device) }
        return log.filter { batch in
            batch.head.batch.digest == AuthorityHistory.room.digest
                || named.contains { isUpTo(batch, $0.batch) }
        }
    }

    /// In order; of branches that do not count the leaves.
    private func operations(of device: DeviceKey) -> [Item] {
        let counting = countingBatches(of: device)
        return items.filter { $0.author == device && ($0.isLeave || counting.contains($0.batch)) }
    }

    private func isLike(_ one: Item, _ other: Item) -> Bool {
        one.subject == other.subject && one.isRemoval == other.isRemoval
            && one.isLeave == other.isLeave
    }

    private func isLate(_ item: Item) -> Bool {
        (owners + editors).contains {
            $0.author == item.author && $0.batch != item.batch
                && isUpTo(item.batch, $0.batch.head.batch)
        }
    }

    /// The role at a held batch; nil also where its branch does not count.
    func roleNow(at batch: ControlBatch) -> Role? {
        countingBatches(of: batch.author).contains(batch)
            ? role(of: batch.author, at: .control(batch)) : nil
    }
}
