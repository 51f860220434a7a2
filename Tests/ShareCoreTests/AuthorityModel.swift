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

        var author: DeviceKey { batch.author }
        var isSelf: Bool { author == subject }

        var isLeave: Bool { if case .removal = operation { isSelf } else { false } }

        var isRemoval: Bool { if case .removal = operation { true } else { false } }

        /// Nil for removals and acceptances.
        var role: Role? {
            switch operation {
            case .found: .owner
            case .grant(let grant): grant.role
            case .roleChange(let change): change.role
            default: nil
            }
        }

        var isAcceptance: Bool { if case .accept = operation { true } else { false } }
        var lowers: Bool { !isAcceptance && role != .owner }

        var after: [OperationName] {
            switch operation {
            case .grant(let grant): grant.after
            case .roleChange(let change): change.after
            case .removal(let removal): removal.after
            default: []
            }
        }

        var heads: [LogHead] {
            switch operation {
            case .roleChange(let change): change.heads.control
            case .removal(let removal): removal.heads.control
            case .accept(let acceptance): acceptance.heads.control
            default: []
            }
        }
    }

    enum Result: Equatable {
        case none
        case role(Role)
        case removed
        /// Removed by its own leave.
        case left

        var height: Int {
            switch self {
            case .removed, .left: -1
            case .none: 0
            case .role(let role): Int(role.rawValue)
            }
        }
    }

    /// What a walk has found.
    struct Walk {
        var strong: Set<OperationName> = []
        var ranking: [DeviceKey] = []
        var setAside: [Item] = []
        /// Batches with an operation that is in force or set aside.
        var counted: Set<BatchID> = []
    }

    let byID: [BatchID: ControlBatch]
    let items: [Item]
    var strong: Set<OperationName> = []
    var weak: Set<OperationName> = []
    /// Operations that drop nothing.
    var silent: Set<OperationName> = []
    /// What any of the walks put in force or set aside.
    var walked: Set<OperationName> = []
    /// What any of the walks put in force, what was then found to hold, and what made a device's
    /// word about itself wait.
    var enforced: Set<OperationName> = []
    var walks: [Walk] = []
    var ignored: Set<BatchID> = []
    var staying: DeviceKey?

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
        items = byID.values.sorted { ($0.author, $0.head) < ($1.author, $1.head) }.flatMap(
            Self.items)
        compute()
        var unnamed: Set<BatchID> = []
        for author in Set(byID.values.map(\.author)) {
            let log = byID.values.filter { $0.author == author }
            let tips = log.filter { one in
                !log.contains { $0.head.number > 1 && $0.previous == one.head.batch }
            }
            guard tips.count > 8, !isCut(author) else { continue }
            let named = items.filter { $0.subject == author && inForce($0.name) }.flatMap(\.heads)
            for batch in log where !named.contains(where: { isExactly(batch, upTo: $0) }) {
                unnamed.insert(batch.head.batch)
            }
        }
        if !unnamed.isEmpty {
            ignored = unnamed
            compute()
        }
    }

    func inForce(_ name: OperationName) -> Bool { strong.contains(name) || weak.contains(name) }

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
            case .set, .form, .list: return nil
            }
            return Item(
                name: OperationName(batch: batch.head.batch, index: entry.index), batch: batch,
                operation: entry.operation, subject: subject)
        }
    }

    // MARK: Ancestry

    private func isExactly(_ batch: ControlBatch, upTo head: LogHead) -> Bool {
        var next = byID[head.batch]
        guard next?.head.number == head.number, next?.author == batch.author else { return false }
        while let one = next {
            if one.head == batch.head { return true }
            next = one.head.number > 1 ? byID[one.previous] : nil
        }
        return false
    }

    func isCovered(_ batch: ControlBatch?, by heads: [LogHead]) -> Bool {
        guard let batch else { return false }
        return heads.contains { head in
            if let held = byID[head.batch], held.author == batch.author, held.head == head {
                return isExactly(batch, upTo: head)
            }
            return batch.head.number < head.number
        }
    }

    // MARK: One subject

    func acts(_ item: Item, at batch: ControlBatch?) -> Bool {
        if let batch, item.isSelf, item.role != .owner || !isFounding(item),
            isExactly(batch, upTo: item.batch.head)
        {
            return false
        }
        switch item.operation {
        case .found: return true
        case .grant(let grant): return batch.map { $0.head.number >= grant.firstControl } ?? true
        case .roleChange, .removal: return !isCovered(batch, by: item.heads)
        default: return false
        }
    }

    func isFounding(_ item: Item) -> Bool {
        if case .found = item.operation { true } else { false }
    }

    /// Whether an operation has seen another, directly or through others of its layer.
    private func hasSeen(_ a: Item, _ b: Item, strong: Set<OperationName>, weak: Set<OperationName>)
        -> Bool
    {
        if a.after.contains(b.name) {
            if strong.contains(a.name) { return strong.contains(b.name) }
            return weak.contains(b.name) || b.isLeave && strong.contains(b.name)
        }
        let layer = strong.contains(a.name) ? strong : weak
        return items.contains { middle in
            middle.subject == a.subject && layer.contains(middle.name)
                && a.after.contains(middle.name)
                && hasSeen(middle, b, strong: strong, weak: weak)
        }
    }

    /// The role of a device at a batch, or now; by owners' operations alone where `weak` is nil.
    func result(
        of device: DeviceKey, at batch: ControlBatch?, strong: Set<OperationName>,
        weak: Set<OperationName>?
    ) -> Result {
        let weakNames = weak ?? []
        let mine = items.filter {
            $0.subject == device && (strong.contains($0.name) || weakNames.contains($0.name))
        }
        func seen(_ a: Item, _ b: Item) -> Bool { hasSeen(a, b, strong: strong, weak: weakNames) }
        let acceptances = mine.filter { $0.isAcceptance && isCovered(batch, by: $0.heads) }
        func plain(lifting: Bool) -> Result {
            let acting = mine.filter { item in
                var canBeLifted = item.lowers
                if case .grant = item.operation { canBeLifted = false }
                let names = strong.contains(item.name) ? Set(item.after) : []
                if lifting, canBeLifted, acceptances.contains(where: { !names.contains($0.name) }) {
                    return false
                }
                return acts(item, at: batch)
            }
            let owners = acting.filter { strong.contains($0.name) }
            let editors = acting.filter { weakNames.contains($0.name) }
            let left = owners.filter { one in
                !owners.contains { !silent.contains($0.name) && seen($0, one) }
            }
            let removals = left.filter { $0.role == nil }
            if removals.contains(where: { !$0.isLeave }) { return .removed }
            if removals.isEmpty, let role = left.compactMap(\.role).min() { return .role(role) }
            for leave in removals where !editors.contains(where: { seen($0, leave) }) {
                return .left
            }
            let rest = editors.filter { one in !editors.contains { seen($0, one) } }
            if rest.contains(where: \.isLeave) { return .left }
            return rest.compactMap(\.role).min().map(Result.role) ?? .none
        }
        let without = plain(lifting: false)
        guard !acceptances.isEmpty else { return without }
        let with = plain(lifting: true)
        return with.height > without.height ? with : without
    }

    func resultNow(_ device: DeviceKey) -> Result {
        result(of: device, at: nil, strong: strong, weak: weak)
    }

    /// An operation in force whose author may not write it where it stands, and that does not
    /// merely stand. There must be none, but a leave that another branch's leave came after.
    var unfounded: Item? {
        items.first { item in
            guard inForce(item.name), !silent.contains(item.name), !isFounding(item) else {
                return false
            }
            let isLeftTwice = items.contains {
                $0.isLeave && $0.author == item.author && $0 != item && inForce($0.name)
                    && acts($0, at: item.batch)
            }
            if item.isLeave, isLeftTwice { return false }
            if case .accept = item.operation, ignored.contains(item.batch.head.batch) {
                return true
            }
            let isWeak = weak.contains(item.name)
            switch result(
                of: item.author, at: item.batch, strong: strong, weak: isWeak ? weak : nil)
            {
            case .role(let role):
                return !(role == .owner || item.isLeave || isWeak && role == .editor)
            case .none, .removed, .left: return true
            }
        }
    }
}
