import ShareCrypto

/// Decodes one body and checks all of it (docs/protocol.md, "Body").
struct BodyDecoder {
    let batch: Batch
    /// The same bytes that the reader walks over; blocks keep them for their texts.
    let storage: [UInt8]
    private var operationCount = 0
    /// The batches that the block at hand refers to, the batch itself first.
    var references: [BatchID] = []
    /// The keys that the block at hand refers to, the author first.
    var keys: [DeviceKey] = []

    init(batch: Batch, storage: [UInt8]) {
        self.batch = batch
        self.storage = storage
    }

    mutating func decode(_ buffer: UnsafeRawBufferPointer) throws(BodyError) -> Body {
        var reader = CBORReader(buffer)
        var blocks: [Body.Block] = []
        do {
            let count = try reader.readArray(upTo: Limits.operationsPerBatch)
            for _ in 0..<count { blocks.append(try decodeBlock(&reader)) }
            try reader.finish()
        } catch let error as CBORError {
            throw .cbor(error)
        } catch let error as BodyError {
            throw error
        } catch {
            throw .cbor(.malformed)
        }
        guard operationCount > 0 else { throw .operationCount }
        try checkFounding(blocks)
        try checkNames(blocks)
        try checkRecords(blocks)
        return Body(blocks: blocks, operationCount: operationCount)
    }

    private mutating func decodeBlock(_ reader: inout CBORReader) throws -> Body.Block {
        let length = try reader.readArray(upTo: 64)
        guard length >= 2 else { throw BodyError.cbor(.unexpected) }
        let kind = try reader.readUnsigned()
        let count = try reader.readCount(upTo: Limits.operationsPerBatch)
        let firstIndex = operationCount
        operationCount += count
        guard count > 0, operationCount <= Limits.operations(in: batch.kind) else {
            throw BodyError.operationCount
        }
        let records = RecordsBlock.Kind(rawValue: kind)
        let control = ControlKind(rawValue: kind)
        if let records, batch.kind == .records {
            try readTables(&reader)
            guard length == RecordsBlock.elements else { throw BodyError.cbor(.unexpected) }
            return .records(
                try decodeRecords(records, count: count, firstIndex: firstIndex, from: &reader))
        }
        if let control, batch.kind == .control {
            try readTables(&reader)
            guard length == ControlKind.elements else { throw BodyError.cbor(.unexpected) }
            return .control(
                try decodeControl(control, count: count, firstIndex: firstIndex, from: &reader))
        }
        for _ in 2..<length { try reader.skip(depth: Limits.unknownDepth) }
        return records == nil && control == nil
            ? .unknown(kind: kind, firstIndex: firstIndex, count: count)
            : .misplaced(kind: kind, firstIndex: firstIndex, count: count)
    }

    private mutating func readTables(_ reader: inout CBORReader) throws {
        references = [batch.id]
        for _ in 0..<(try reader.readArray(upTo: Limits.referencesPerBlock)) {
            references.append(BatchID(try reader.readDigest()))
        }
        keys = [batch.author]
        for _ in 0..<(try reader.readArray(upTo: Limits.referencesPerBlock)) {
            keys.append(DeviceKey(try reader.readDigest().value))
        }
        guard Set(references).count == references.count, Set(keys).count == keys.count else {
            throw BodyError.reference
        }
    }

    /// A name as two numbers; a name in this very batch must lie before `index`.
    func readName(_ reader: inout CBORReader, before index: Int) throws -> OperationName {
        let reference = try reader.readCount(upTo: references.count - 1)
        let position = try reader.readCount(upTo: Limits.operationsPerBatch - 1)
        guard reference > 0 || position < index else { throw BodyError.reference }
        return OperationName(batch: references[reference], index: position)
    }

    /// A flat array of names.
    func readNames(_ reader: inout CBORReader, before index: Int) throws -> [OperationName] {
        let count = try reader.readArray(upTo: 2 * Limits.parentsPerOperation)
        guard count.isMultiple(of: 2) else { throw BodyError.cbor(.unexpected) }
        var names: [OperationName] = []
        for _ in 0..<count / 2 { names.append(try readName(&reader, before: index)) }
        return names
    }

    /// The clock of an operation, as counts from the one before it.
    func readClock(
        _ reader: inout CBORReader, after previous: inout Timestamp
    ) throws -> Timestamp {
        guard let clock = previous.advanced(by: try reader.readInteger()) else {
            throw BodyError.clock
        }
        previous = clock
        return clock
    }

    /// The wall clock of an operation, as milliseconds from its other one.
    func readWall(_ reader: inout CBORReader, beside clock: Timestamp) throws -> WallTime {
        guard let wall = WallTime(try reader.readInteger(), after: clock) else {
            throw BodyError.clock
        }
        return wall
    }

    /// A founding is the first operation of a founding batch, and stands nowhere else.
    private func checkFounding(_ blocks: [Body.Block]) throws(BodyError) {
        var positions: [Int] = []
        for case .control(let block) in blocks {
            for (offset, entry) in block.entries.enumerated() {
                if case .found = entry.operation { positions.append(block.firstIndex + offset) }
            }
        }
        guard positions == (batch.isFounding ? [0] : []) else { throw .founding }
        guard batch.isFounding, case .control(let block)? = blocks.first,
            case .found(let found)? = block.entries.first?.operation
        else { return }
        // A device that is the recovery key could neither be a member nor cease to be an owner.
        guard found.recovery != batch.author else { throw .founding }
    }

    /// A name takes two bytes where it is written and forty where it is held, so that nobody makes
    /// others hold many.
    private func checkNames(_ blocks: [Body.Block]) throws(BodyError) {
        var names = 0
        for case .control(let block) in blocks {
            for entry in block.entries { names += entry.operation.names.count }
        }
        guard names <= Limits.namesPerControlBatch else { throw .reference }
    }

    /// No record stands in too many rows, whatever they do to it. Forms are not told apart: a
    /// definition may not be held yet.
    private func checkRecords(_ blocks: [Body.Block]) throws(BodyError) {
        guard operationCount > Limits.operationsOnRecord else { return }
        // An import is one block of new records, each with a greater id than the one before.
        if blocks.count == 1, case .records(let block) = blocks[0], block.kind == .put,
            zip(block.rows, block.rows.dropFirst()).allSatisfy({ $0.id < $1.id })
        {
            return
        }
        var counts: [RecordKey: Int] = [:]
        for case .records(let block) in blocks {
            for row in block.rows {
                let key = RecordKey(creator: block.creators[Int(row.creator)], id: row.id)
                counts[key, default: 0] += 1
                guard counts[key, default: 0] <= Limits.operationsOnRecord else {
                    throw .recordCount
                }
            }
        }
    }

    private struct RecordKey: Hashable {
        let creator: DeviceKey
        let id: RecordID
    }
}
