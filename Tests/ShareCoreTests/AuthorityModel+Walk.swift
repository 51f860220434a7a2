import ShareCore
import ShareCrypto

/// The walk, and what follows from it (docs/protocol/authority.md §4 and §5).
extension AuthorityModel {
    private func log(of device: DeviceKey) -> [ControlBatch] {
        byID.values.filter { $0.author == device && !ignored.contains($0.head.batch) }
            .sorted { $0.head < $1.head }
    }

    private func items(in batch: ControlBatch) -> [Item] {
        items.filter { $0.batch.head.batch == batch.head.batch }
    }

    private func walk() -> Walk {
        var walk = Walk()
        guard let founding = items.first(where: isFounding) else { return walk }
        walk.strong = [founding.name]
        walk.ranking = [founding.subject]
        var queue = [founding.subject]
        var done: Set<DeviceKey> = []
        while !queue.isEmpty {
            let device = queue.removeFirst()
            done.insert(device)
            for batch in log(of: device) {
                guard
                    case .role(let role) = result(
                        of: device, at: batch, strong: walk.strong, weak: nil)
                else { continue }
                for item in items(in: batch) where !isFounding(item) {
                    guard role == .owner || item.isLeave else { continue }
                    if item.isSelf, item.lowers, staying == device { continue }
                    guard !walk.strong.contains(item.name), !walk.setAside.contains(item) else {
                        continue
                    }
                    let takesBack =
                        item.isSelf
                        ? walk.counted.contains { id in
                            byID[id].map { $0.author == device && acts(item, at: $0) } ?? false
                        } : done.contains(item.subject)
                    walk.counted.insert(batch.head.batch)
                    if item.lowers, takesBack {
                        walk.setAside.append(item)
                        continue
                    }
                    walk.strong.insert(item.name)
                    let hasRank = walk.ranking.contains(item.subject)
                    guard item.role == .owner || item.isAcceptance && hasRank else { continue }
                    if !hasRank { walk.ranking.append(item.subject) }
                    if !queue.contains(item.subject) { queue.append(item.subject) }
                }
            }
        }
        return walk
    }

    /// What of a walk is in force with some of what it set aside: what lowers its owners, and
    /// what their authors may still write.
    private func rest(of walk: Walk, holding held: [Item]) -> Set<OperationName> {
        let stands = items.filter {
            walk.strong.contains($0.name)
                && ($0.lowers && walk.ranking.contains($0.subject) || isFounding($0))
        }
        var strong = Set(stands.map(\.name) + held.map(\.name))
        var isGrowing = true
        while isGrowing {
            isGrowing = false
            for item in items where walk.strong.contains(item.name) {
                guard !strong.contains(item.name), mayWrite(item, strong: strong) else { continue }
                strong.insert(item.name)
                isGrowing = true
            }
        }
        return strong
    }

    /// Whether a device is removed by another, in the end and in each walk in which it was an
    /// owner: then nobody asks for more of its control log than operations name.
    func isCut(_ device: DeviceKey) -> Bool {
        var early = self
        early.silent = []
        return resultNow(device) == .removed
            && walks.filter { $0.ranking.contains(device) }.allSatisfy {
                early.result(of: device, at: nil, strong: $0.strong, weak: nil) == .removed
            }
    }

    private func mayWrite(_ item: Item, strong: Set<OperationName>) -> Bool {
        switch result(of: item.author, at: item.batch, strong: strong, weak: nil) {
        case .role(let role): role == .owner || item.isLeave
        case .none, .removed, .left: false
        }
    }

    mutating func compute() {
        staying = nil
        let ranking = computeOnce()
        guard items.contains(where: isFounding), !hasOwner else { return }
        let lowered = ranking.filter { device in
            items.contains {
                $0.isSelf && $0.author == device && $0.lowers && strong.contains($0.name)
            }
        }
        for device in lowered {
            staying = device
            _ = computeOnce()
            if hasOwner { return }
        }
        staying = nil
        _ = computeOnce()
    }

    private var hasOwner: Bool {
        Set(items.map(\.subject)).contains { resultNow($0) == .role(.owner) }
    }

    private mutating func computeOnce() -> [DeviceKey] {
        silent = []
        let walk = walk()
        walks.append(walk)
        walked.formUnion(walk.strong)
        walked.formUnion(walk.setAside.map(\.name))
        enforced.formUnion(walk.strong)
        // What was set aside can make its author's word about itself wait, held or not.
        for own in walk.setAside where own.isSelf {
            for item in walk.setAside where item.author == own.author && acts(own, at: item.batch) {
                enforced.insert(item.name)
            }
        }
        var held: [Item] = []
        strong = walk.strong
        for item in walk.setAside where mayWrite(item, strong: strong) {
            let other = rest(of: walk, holding: held + [item])
            guard mayWrite(item, strong: other) else { continue }
            held.append(item)
            strong = other
            enforced.insert(item.name)
        }
        while let next = items.first(where: {
            strong.contains($0.name) && $0.lowers && walk.ranking.contains($0.subject)
                && !silent.contains($0.name) && !mayWrite($0, strong: strong)
        }) { silent.insert(next.name) }
        weak = []
        let everybody = Set(byID.values.map(\.author)).sorted()
        for device in everybody where device != staying {
            for batch in log(of: device) {
                for item in items(in: batch)
                where item.isLeave && !strong.contains(item.name) && !walk.setAside.contains(item) {
                    let takesBack = log(of: device).contains { other in
                        acts(item, at: other)
                            && items(in: other).contains { strong.contains($0.name) }
                    }
                    if walk.ranking.contains(device), takesBack { continue }
                    if case .role = result(of: device, at: batch, strong: strong, weak: nil) {
                        strong.insert(item.name)
                    }
                }
            }
        }
        for device in everybody {
            for batch in log(of: device)
            where result(of: device, at: batch, strong: strong, weak: nil) == .role(.editor) {
                for item in items(in: batch) where !strong.contains(item.name) {
                    if case .grant(let grant) = item.operation, grant.role <= .collector {
                        weak.insert(item.name)
                    }
                }
            }
        }
        for device in everybody where device != staying {
            for batch in log(of: device) {
                for item in items(in: batch) where item.isLeave && !strong.contains(item.name) {
                    if case .role = result(of: device, at: batch, strong: strong, weak: weak) {
                        weak.insert(item.name)
                    }
                }
            }
        }
        return walk.ranking
    }
}
