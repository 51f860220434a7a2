import ShareCore
import ShareCrypto

/// What holds of every history, whatever is in it.
enum AuthorityProperties {
    static let devices = ["A", "B", "C", "D", "E", "F", "G", "R", "Z"].map {
        AuthorityHistory.key($0)
    }

    /// A property that a history breaks.
    static func broken(
        by authority: Authority, of batches: [ControlBatch], _ model: AuthorityModel
    ) -> String? {
        let room = AuthorityHistory.room
        let accepted = Set(model.items.map(\.name).filter(model.inForce))
        func isSame(_ other: Authority) -> Bool {
            other.members == authority.members
                && accepted == Set(other.verdicts.filter { $0.value == .accepted }.map(\.key))
        }
        func isSame(_ batches: [ControlBatch]) -> Bool {
            isSame(Authority(room: room, batches: batches))
        }
        if !isSame(batches.reversed() + batches) { return "order matters" }
        var grown = Authority(room: room, batches: [])
        for batch in batches.sorted(by: { $0.head.batch < $1.head.batch }) {
            grown = grown.adding([batch])
        }
        if !isSame(grown) || grown.verdicts != authority.verdicts {
            return "it matters whether batches come one by one"
        }
        let opened = opened(batches)
        if !isSame(opened) || opened.verdicts != authority.verdicts
            || opened.formerMembers != authority.formerMembers
        {
            return "it matters which batches are closed"
        }
        // What it has looked into it knows, so all may be closed again.
        let closed = opened.holding(batches.map(\.closed))
        let again = closed.adding([])
        if closed.verdicts != authority.verdicts || again.verdicts != authority.verdicts
            || !again.wanted.isEmpty
        {
            return "closing changes a verdict"
        }
        let stranger = AuthorityHistory([
            "Z1 removes A", "Z2 grants Z owner", "Z3 accepts C covering Cr9",
        ])
        if !isSame(stranger.batches + batches) { return "a stranger matters" }
        let emptied = batches.map { batch in
            ControlBatch(
                author: batch.author, head: batch.head, previous: batch.previous,
                entries: batch.entries.filter { accepted.contains(batch.name(of: $0)) })
        }
        if !isSame(emptied) { return "what is not in force matters" }
        let travelling = batches.filter { batch in
            guard let cut = authority.cut(of: LogName(author: batch.author, kind: .control)) else {
                return true
            }
            return model.isCovered(batch, by: cut)
        }
        if !isSame(travelling) {
            return "what is past a cutoff matters: \(authority.formerMembers.map(\.device.short))"
        }
        return brokenByRecovery(authority, model) ?? brokenByPromotion(authority, model)
            ?? brokenByRank(authority, model)
    }

    /// The authority of batches of which those alone are open that it wants, and these.
    private static func opened(_ batches: [ControlBatch]) -> Authority {
        var authority = Authority(room: AuthorityHistory.room, batches: batches.map(\.closed))
        while !authority.wanted.isEmpty {
            let wanted = authority.wanted
            authority = authority.opening(batches.filter { wanted.contains($0.head.batch) })
        }
        return authority
    }

    /// The recovery key has the last word about everybody.
    private static func brokenByRecovery(_ authority: Authority, _ model: AuthorityModel) -> String?
    {
        guard let key = authority.recoveryKey else { return nil }
        let last = model.byID.values.filter { $0.author == key }.map(\.head).max()
        for device in devices where device != key {
            let seen = authority.inForce(about: device).sorted()
            let none = CoveredHeads(control: [], records: [])
            let removal = ControlOperation.removal(
                Removal(subject: device, heads: none, supersedes: seen, reason: ""))
            let without = authority.adding([removal], by: key, after: last)
            if without.currentRole(of: device) != nil { return "\(device.short) cannot be removed" }
            let left = model.items.first {
                $0.author == device && !$0.isFounding && without.verdict(of: $0.name) == .accepted
            }
            if let left { return "\(AuthorityHistory.label(left.name.batch)) counts after that" }
            // What this brings to light, its own leave say, is superseded by the next one.
            var with = authority
            var next = last
            for _ in 0..<20 where with.currentRole(of: device) != .owner {
                let change = ControlOperation.roleChange(
                    RoleChange(
                        subject: device, role: .owner, heads: none,
                        supersedes: with.inForce(about: device).sorted()))
                let batch = ControlBatch(
                    author: key,
                    head: LogHead(
                        number: (next?.number ?? 0) + 1,
                        batch: AuthorityHistory.id("R\((next?.number ?? 0) + 1)next")),
                    previous: next?.batch ?? BatchID(AuthorityHistory.room.digest),
                    entries: [.init(index: 0, operation: change)])
                with = with.adding([batch])
                next = batch.head
            }
            if with.currentRole(of: device) != .owner { return "\(device.short) is no owner" }
        }
        return nil
    }

    /// What counted of a device that is made an owner goes on counting.
    private static func brokenByPromotion(
        _ authority: Authority, _ model: AuthorityModel
    ) -> String? {
        guard let key = authority.recoveryKey else { return nil }
        let last = model.byID.values.filter { $0.author == key }.map(\.head).max()
        for device in devices
        where authority.rank(of: device) == nil && authority.currentRole(of: device) != nil {
            let log = model.byID.values.filter { $0.author == device }
            let heads = log.map(\.head).filter { head in
                !log.contains { $0.head.number > 1 && $0.previous == head.batch }
            }
            let change = ControlOperation.roleChange(
                RoleChange(
                    subject: device, role: .owner,
                    heads: CoveredHeads(
                        control: heads.sorted(), records: [AuthorityModel.record(4, of: device)]),
                    supersedes: authority.superseded(about: device)))
            let promoted = authority.adding([change], by: key, after: last)
            let records = StraightLog { id in
                (1...UInt64(4)).first { AuthorityModel.record($0, of: device).batch == id }
            }
            for number in 1...UInt64(4) {
                let batch = AuthorityModel.record(number, of: device)
                func role(_ authority: Authority) -> Role? {
                    authority.standing(of: device, kind: .records, at: batch, in: records).role
                }
                if role(promoted) != role(authority) {
                    return "a promotion of \(device.short) takes record \(number) away"
                }
            }
        }
        return nil
    }

    /// Nobody is lowered by who became an owner later.
    private static func brokenByRank(_ authority: Authority, _ model: AuthorityModel) -> String? {
        let ranks = Dictionary(
            uniqueKeysWithValues: model.ranking.enumerated().map { ($1, $0) })
        for item in model.owners where item.lowers && !item.isSelf {
            guard let rank = ranks[item.author] else { return "an operation of no owner" }
            if let other = ranks[item.subject], other < rank,
                authority.currentRole(of: item.subject) == nil,
                model.owners.filter({ $0.subject == item.subject && $0.isRemoval }) == [item]
            {
                return "it removes who outranks it"
            }
        }
        for device in devices where authority.rank(of: device) != ranks[device] {
            return "\(device.short) has another rank"
        }
        return nil
    }
}
