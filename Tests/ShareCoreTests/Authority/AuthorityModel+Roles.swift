import ShareCore
import ShareCrypto

/// Which batches a decision covers, and the role of a device at a place of the logs.
extension AuthorityModel {
    /// Whether a batch is another one or an ancestor of it.
    func isUpTo(_ batch: ControlBatch, _ last: BatchID) -> Bool {
        var next = byID[last]
        while let one = next {
            if one.head == batch.head { return true }
            next = one.head.number > 1 ? byID[one.previous] : nil
        }
        return false
    }

    func isHeld(_ head: LogHead, of device: DeviceKey) -> Bool {
        byID[head.batch].map { $0.author == device && $0.head == head } ?? false
    }

    func isCovered(_ batch: ControlBatch, by heads: [LogHead]) -> Bool {
        heads.contains { head in
            isHeld(head, of: batch.author)
                ? isUpTo(batch, head.batch) : batch.head.number < head.number
        }
    }

    private func covers(_ item: Item, _ place: Position) -> Bool {
        switch place {
        case .end: false
        case .control(let batch): isCovered(batch, by: item.heads(.control))
        case .records(let batch, let held):
            item.heads(.records).contains { head in
                let isHeld =
                    head == Self.record(head.number, of: item.subject) && head.number <= held
                return isHeld ? batch.number <= head.number : batch.number < head.number
            }
        }
    }

    /// Batches of records logs are called `Br4`.
    static func record(_ number: UInt64, of device: DeviceKey) -> LogHead {
        let letter = AuthorityHistory.label(BatchID(Digest(device.value)))
        return AuthorityHistory.head("\(letter)r\(number)")
    }

    private func acts(_ item: Item, at place: Position) -> Bool {
        if case .end = place { return true }
        switch item.operation {
        case .found: return true
        case .grant(let grant):
            switch place {
            case .end: return true
            case .control(let batch): return batch.head.number >= grant.firstControl
            case .records(let batch, _): return batch.number >= grant.firstRecords
            }
        case .roleChange, .removal:
            if item.isSelf, case .control(let batch) = place {
                return batch != item.batch && isUpTo(item.batch, batch.head.batch)
            }
            if item.isSelf, case .records(let batch, _) = place {
                return item.heads(.records).allSatisfy { batch.number > $0.number }
            }
            return !covers(item, place)
        default: return false
        }
    }

    private func supersedes(_ a: Item, _ b: Item) -> Bool {
        let layer = owners.contains(a) ? owners : editors
        let isAllowed = layer.contains(b) || editors.contains(a) && b.isLeave && owners.contains(b)
        if a.supersedes.contains(b.name), isAllowed { return true }
        return layer.contains { middle in
            middle != a && middle.subject == a.subject && a.supersedes.contains(middle.name)
                && supersedes(middle, b)
        }
    }

    /// - Parameter byOwners: by the owners' layer alone.
    func result(of device: DeviceKey, at place: Position, byOwners: Bool = false) -> Result {
        func plain(_ lifted: Set<OperationName>) -> Result {
            func left(_ layer: [Item]) -> [Item] {
                let acting = layer.filter {
                    $0.subject == device && acts($0, at: place) && !lifted.contains($0.name)
                }
                return acting.filter { one in !acting.contains { supersedes($0, one) } }
            }
            let strong = left(owners)
            if strong.contains(where: { $0.isRemoval && !$0.isLeave }) { return .removed }
            let leaves = strong.filter(\.isLeave)
            func least(_ items: [Item]) -> Result? {
                items.compactMap(\.role).min().map {
                    .role($0, within: Set(items.compactMap(\.scope)))
                }
            }
            if leaves.isEmpty, let role = least(strong) { return role }
            let otherwise: Result = leaves.isEmpty ? .none : .left
            guard !byOwners else { return otherwise }
            let weak = left(editors)
            if weak.contains(where: \.isLeave) { return .left }
            let grants = weak.filter { grant in leaves.allSatisfy { supersedes(grant, $0) } }
            return least(grants) ?? otherwise
        }
        let without = plain([])
        guard !byOwners, case .records = place else { return without }
        let acceptances = owners.filter {
            $0.subject == device && $0.isAcceptance && covers($0, place)
        }
        let lifted = (owners + editors).filter { item in
            item.subject == device && item.lowers && !item.isGrant
                && acceptances.contains { !supersedes(item, $0) }
        }
        let names = Set(lifted.map(\.name))
        let alone = lifted.filter { !$0.isRemoval }.sorted { $0.name < $1.name }
            .map { names.subtracting([$0.name]) }
        return ([names] + alone).map(plain).reduce(without) { best, other in
            other.height > best.height && other.allowsMore(than: without) ? other : best
        }
    }

    func role(of device: DeviceKey, at place: Position, byOwners: Bool = false) -> Role? {
        if device == recovery, case .control = place { return .owner }
        guard device != recovery else { return nil }
        if case .role(let role, _) = result(of: device, at: place, byOwners: byOwners) {
            return role
        }
        return nil
    }

    func scopes(of device: DeviceKey, at place: Position) -> Set<Scope> {
        guard device != recovery, case .role(_, let scopes) = result(of: device, at: place) else {
            return []
        }
        return scopes
    }

    func isRemoved(_ device: DeviceKey) -> Bool {
        device != recovery && result(of: device, at: .end, byOwners: true) == .removed
    }
}
