import ShareCrypto

extension Authority {
    /// What the operation named in a control log comes to; nil where no such is held.
    ///
    /// - Complexity: that of `verdicts(of:)`.
    package func verdict(of name: OperationName) -> ControlVerdict? {
        guard let batch = room.held(name.batch)?.batch,
            batch.entries.contains(where: { $0.index == name.index })
        else { return nil }
        return verdicts(of: batch).first { $0.places.contains(name.index) }?.verdict
    }

    /// Every operation of the control logs held, with its verdict.
    package var verdicts: [OperationName: ControlVerdict] {
        var verdicts: [OperationName: ControlVerdict] = [:]
        for batch in batches {
            let runs = self.verdicts(of: batch)
            for entry in batch.entries {
                verdicts[batch.name(of: entry)] =
                    runs.first { $0.places.contains(entry.index) }?.verdict
            }
        }
        return verdicts
    }

    /// What the operations of a control batch come to, in the order of their places.
    ///
    /// - Complexity: O(operations in force about its author), where the author has no role that
    ///   lets any of them count, and O(operations that may) beside that.
    package func verdicts(of batch: ControlBatch) -> [VerdictRun] {
        guard batch.count > 0 else { return [] }
        guard let held = room.held(batch.head.batch) else {
            return batch.runs(of: .waitingForAuthor)
        }
        let standing = controlStanding(of: batch.author, at: batch.head)
        let special = decided(in: held)
        let isStaying =
            engine.walk.staying.map { room.devices[$0] == batch.author } == true
            && batch.has(where: \.isAboutDevice)
        if special.isEmpty, !isStaying, let verdict = commonVerdict(of: batch, at: standing),
            verdict != .accepted
        {
            return batch.runs(of: verdict)
        }
        guard isStaying, standing.role != nil else {
            return batch.runs.flatMap { run in
                pieces(of: run, special, else: verdict(of: run.sort, at: standing))
            }
        }
        // Only what its author says of itself has a verdict of its own.
        return batch.entries.map { entry in
            let sort = OperationSort(entry.operation)
            let isAboutItself = entry.operation.subject == batch.author
            let verdict =
                special[entry.index]
                ?? (isAboutItself ? .refused(.lastOwner) : verdict(of: sort, at: standing))
            return VerdictRun(
                sort: sort, places: entry.index..<entry.index + 1, verdict: verdict)
        }
    }

    /// A run with the verdicts of those in it that were decided on.
    private func pieces(
        of run: OperationRun, _ special: [Int: ControlVerdict], else verdict: ControlVerdict
    ) -> [VerdictRun] {
        guard !special.isEmpty else {
            return [VerdictRun(sort: run.sort, places: run.places, verdict: verdict)]
        }
        var pieces: [VerdictRun] = []
        for place in run.places {
            let verdict = special[place] ?? verdict
            let first =
                pieces.last?.verdict == verdict ? pieces.removeLast().places.lowerBound : place
            pieces.append(
                VerdictRun(sort: run.sort, places: first..<place + 1, verdict: verdict))
        }
        return pieces
    }

    /// The batches in which an operation may come to something else than by another authority.
    package func batchesJudgedAnew(by other: Authority) -> [ControlBatch] {
        let all = !judgesLike(other)
        let authors = devicesJudgedAnew(since: other)
        let touched = batchesWithDecided.union(other.batchesWithDecided)
        return batches.filter { batch in
            all || authors.contains(batch.author) || touched.contains(batch.head.batch)
                || other.room.held(batch.head.batch) == nil
        }
    }

    /// Whether the rules that go by whole logs come to the same in both.
    package func judgesLike(_ other: Authority) -> Bool {
        engine.walk.ignored == other.engine.walk.ignored && staying == other.staying
    }

    /// The batches that hold an operation in force or set aside.
    package var batchesWithDecided: Set<BatchID> {
        var batches: Set<BatchID> = []
        for index in engine.force.operations { batches.insert(room.operations[index].batch.batch) }
        for index in engine.walk.setAside { batches.insert(room.operations[index].batch.batch) }
        return batches
    }

    /// The places of the operations of a batch that are accepted.
    func accepted(in batch: ControlBatch) -> Set<Int> {
        var accepted: Set<Int> = []
        for run in verdicts(of: batch) where run.verdict == .accepted {
            accepted.formUnion(run.places)
        }
        return accepted
    }

    /// All control batches.
    private var batches: [ControlBatch] {
        room.logs.flatMap { $0.map(\.batch) } + room.unconnected
    }

    private var staying: DeviceKey? { engine.walk.staying.map { room.devices[$0] } }

    /// By their places the operations of a batch that are in force or were set aside.
    private func decided(in held: AuthorityRoom.HeldBatch) -> [Int: ControlVerdict] {
        var decided: [Int: ControlVerdict] = [:]
        for index in room.operations(takenOf: held) {
            let place = room.operations[index].name.index
            if engine.force.contains(index) {
                decided[place] = .accepted
            } else if room.operations[index].kind != .found, engine.walk.hasSetAside(index) {
                decided[place] = .refused(.outranked)
            }
        }
        return decided
    }

    /// What an operation comes to that nobody decided on.
    private func verdict(of sort: OperationSort, at standing: Standing) -> ControlVerdict {
        guard sort != .found else { return .refused(.notTheFounding) }
        switch standing {
        case .unknown: return .waitingForAuthor
        case .refused(let reason): return .refused(.standing(reason))
        case .member(let role):
            guard Authority.permits(role, sort) else { return .refused(.roleTooLow(role)) }
            return sort.isAboutDevice ? .refused(.tooMany) : .accepted
        }
    }

    /// The verdict on all operations of a batch that nobody decided on, where it is the same.
    private func commonVerdict(of batch: ControlBatch, at standing: Standing) -> ControlVerdict? {
        var common: ControlVerdict?
        for sort in OperationSort.allCases where batch.has(sort) {
            let verdict = verdict(of: sort, at: standing)
            guard common == nil || common == verdict else { return nil }
            common = verdict
        }
        return common
    }
}
