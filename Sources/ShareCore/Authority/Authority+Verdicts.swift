import ShareCrypto

extension Authority {
    /// The verdict on the operation named in a control log; nil where it is not held.
    ///
    /// - Complexity: that of `verdicts(of:)`.
    package func verdict(of name: OperationName) -> Verdict? {
        guard let batch = room.held(name.batch)?.batch,
            let item = batch.outline.item(at: name.index)
        else { return nil }
        return verdicts(of: batch)[item]
    }

    /// Every operation of the control logs held, with its verdict.
    package var verdicts: [OperationName: Verdict] {
        var verdicts: [OperationName: Verdict] = [:]
        for batch in room.logs.flatMap({ $0.map(\.batch) }) + room.unconnected {
            for (item, verdict) in zip(batch.outline.items, self.verdicts(of: batch)) {
                verdicts[batch.name(at: item.index)] = verdict
            }
        }
        return verdicts
    }

    /// The verdicts on the operations of a control batch, open or closed, in their order.
    ///
    /// - Complexity: O(operations in force about its author), and O(operations) beside that.
    package func verdicts(of batch: ControlBatch) -> [Verdict] {
        guard let held = room.held(batch.head.batch, by: batch.author),
            let author = room.indexes[batch.author]
        else { return batch.outline.items.map { _ in .waiting(.author) } }
        let standing = controlStanding(of: author, at: held)
        return batch.outline.items.map { item in
            guard item.sort.isAboutDevice, let index = room.place(of: batch.name(at: item.index))
            else { return verdict(of: item, at: standing) }
            if force.contains(index) { return .accepted }
            return refusals[index].map { .refused($0) } ?? verdict(of: item, at: standing)
        }
    }

    /// The verdict on an operation about which the walk has decided nothing.
    private func verdict(of item: ControlOutline.Item, at standing: Standing) -> Verdict {
        guard item.sort != .found else { return .refused(.founding) }
        switch standing {
        case .unknown: return .waiting(.author)
        case .refused(let reason): return .refused(reason)
        case .member(let role, _):
            guard Authority.permits(role, item.sort) || item.isLeave else {
                return .refused(.role)
            }
            // The role that would allow it came when the log was not gone through any more.
            guard !item.isLeave else { return .refused(.tooMany) }
            return item.sort.isAboutDevice ? .refused(.late) : .accepted
        }
    }
}
