import ShareCore
import ShareCrypto

/// Sealing control operations.
extension RoomWriter {
    /// Seals control operations at once, in as many batches as they take; on return these are on the
    /// disk. In the names of operations `BatchID.thisBatch` stands for all of them, counted through.
    ///
    /// - Parameter recovery: the room's recovery key, where that decides and not this device.
    /// - Throws: `StoreError.refused`, and nothing is kept, for what would be refused;
    ///   `StoreError.sealingBlocked` while batches of our own are missing here.
    func decide(
        _ operations: [ControlOperation], as recovery: DeviceIdentity? = nil, wall: UInt64
    ) throws -> [Batch] {
        if recovery == nil { try requireSealing(.control) }
        return try change {
            var batches: [Batch] = []
            let wasSettled = state.settling.isEmpty
            // What each operation is called once it is sealed.
            var sealed: [OperationName] = []
            while sealed.count < operations.count {
                let start = sealed.count
                let part = Self.part(of: operations[start...]).map {
                    $0.renaming { name in
                        guard name.batch == .thisBatch else { return name }
                        return name.index < start
                            ? sealed[name.index]
                            : OperationName(batch: .thisBatch, index: name.index - start)
                    }
                }
                let batch = try sealPart(part, by: recovery ?? identity, wall: wall)
                sealed += part.indices.map { OperationName(batch: batch.id, index: $0) }
                batches.append(batch)
            }
            if wasSettled { try settleSome() }
            return batches
        }
    }

    /// The first operations, as many as one batch holds.
    private static func part(
        of operations: ArraySlice<ControlOperation>
    ) -> ArraySlice<ControlOperation> {
        var names = 0
        return operations.prefix(Limits.operationsPerControlBatch).prefix { operation in
            names += operation.names.count
            return names <= Limits.namesPerControlBatch
        }
    }

    private func sealPart(
        _ operations: [ControlOperation], by author: DeviceIdentity, wall: UInt64
    ) throws -> Batch {
        var blocks: [Body.Block] = []
        var entries: [ControlBlock.Entry] = []
        var first = 0
        for operation in operations {
            if let last = entries.last, last.operation.word != operation.word {
                blocks.append(.control(ControlBlock(firstIndex: first, entries: entries)))
                first += entries.count
                entries = []
            }
            entries.append(
                ControlBlock.Entry(clock: state.clock.issue(wall: wall), operation: operation))
        }
        blocks.append(.control(ControlBlock(firstIndex: first, entries: entries)))
        let last = try longestHead(.control, of: author.key)
        let clock = state.clock.issue(wall: wall)
        let raw = BodyEncoder.encode(blocks, author: author.key, clock: clock)
        guard raw.count <= Limits.rawBody else { throw StoreError.tooLarge }
        let batch = Batch.seal(
            room: room, kind: .control, number: (last?.number ?? 0) + 1,
            previous: last?.batch ?? BatchID(room.digest), clock: clock, rawBody: raw, by: author)
        _ = try mergeGroup([IncomingBatch(batch)])
        switch state.controls.last(where: { $0.head.batch == batch.id })?.outcome?.notes.first?
            .verdict
        {
        case .refused(let refusal, _): throw StoreError.refused(refusal)
        case .waiting(let waiting, _): throw StoreError.notAllowed(waiting.rawValue)
        case nil: break
        }
        return batch
    }

    /// The founding batch of a new room.
    ///
    /// - Parameter recovery: what is written on paper; its key is named in the founding.
    static func found(
        name: String, isOpen: Bool, isHidden: Bool = false,
        recovery: RecoveryCode = .generate(), wall: UInt64, by identity: DeviceIdentity
    ) -> Batch {
        var clock = HybridClock()
        let nonce = SecureRandom.bytes(16)
        var operations: [ControlOperation] = [
            .found(
                Founding(
                    name: name, nonce: nonce, isOpen: isOpen,
                    recovery: recovery.identity(nonce: nonce).key))
        ]
        // In the founding batch itself, so that nobody ever knows the room without it.
        if isHidden {
            operations.append(
                .set(Setting(key: Authority.hiddenSetting, value: "true", parents: [])))
        }
        let blocks = operations.enumerated().map { index, operation in
            let entry = ControlBlock.Entry(clock: clock.issue(wall: wall), operation: operation)
            return Body.Block.control(ControlBlock(firstIndex: index, entries: [entry]))
        }
        return Batch.seal(
            room: .unfounded, kind: .control, number: 1, previous: BatchID(.zero),
            clock: clock.issue(wall: wall), blocks: blocks, by: identity)
    }
}
