import ShareCrypto

extension Authority {
    /// The verdict on the operation named in a control log; nil where it is not held.
    ///
    /// - Complexity: that of `verdicts(of:)`.
    package func verdict(of name: OperationName) -> Verdict? {
        guard let batch = room.held(name.batch)?.batch,
            let place = batch.entries.firstIndex(where: { $0.index == name.index })
        else { return nil }
        return verdicts(of: batch)[place]
    }

    /// Every operation of the control logs held, with its verdict.
    package var verdicts: [OperationName: Verdict] {
        var verdicts: [OperationName: Verdict] = [:]
        for batch in room.logs.flatMap({ $0.map(\.batch) }) + room.unconnected {
            for (entry, verdict) in zip(batch.entries, self.verdicts(of: batch)) {
                verdicts[batch.name(of: entry)] = verdict
            }
        }
        return verdicts
    }

    /// The verdicts on the operations of a control batch, in their order.
    ///
    /// - Complexity: O(operations in force about its author), and O(operations) beside that.
    package func verdicts(of batch: ControlBatch) -> [Verdict] {
        guard let held = room.held(batch.head.batch), let author = room.indexes[batch.author]
        else { return batch.entries.map { _ in .waiting(.author) } }
        let standing = controlStanding(of: author, at: held)
        return batch.entries.map { entry in
            guard let index = room.place(of: batch.name(of: entry)) else {
                return verdict(of: entry, by: batch.author, at: standing)
            }
            if force.contains(index) { return .accepted }
            return refusals[index].map { .refused($0) }
                ?? verdict(of: entry, by: batch.author, at: standing)
        }
    }

    /// The verdict on an operation about which the walk has decided nothing.
    private func verdict(
        of entry: ControlBatch.Entry, by author: DeviceKey, at standing: Standing
    ) -> Verdict {
        let sort = OperationSort(entry.operation)
        guard sort != .found else { return .refused(.founding) }
        switch standing {
        case .unknown: return .waiting(.author)
        case .refused(let reason): return .refused(reason)
        case .member(let role, _):
            guard Authority.permits(role, sort) || entry.isLeave(of: author) else {
                return .refused(.role)
            }
            // The role that would allow it came when the log was not gone through any more.
            guard !entry.isLeave(of: author) else { return .refused(.tooMany) }
            return sort.isAboutDevice ? .refused(.late) : .accepted
        }
    }
}
