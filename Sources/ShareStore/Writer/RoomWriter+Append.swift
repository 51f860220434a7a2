import ShareCore
import ShareCrypto

/// Operations made here, up to sealing.
extension RoomWriter {
    /// Bytes of operations in a batch that is being filled: what is left of `Limits.rawBody`
    /// covers the tables at the head of each block.
    static let openBatchSize = 900 << 10

    /// Enters changes, all or none; on return they are on the disk and in the form tables.
    ///
    /// - Returns: the record of each row and change, in order.
    @discardableResult
    func append(_ changes: [LocalChange], wall: UInt64) throws -> [RecordName] {
        try change {
            var ids = RecordIDSource()
            return try changes.flatMap { try appendOne($0, wall: wall, &ids) }
        }
    }

    /// Enters changes as `next` hands them over, until it returns nil, all or none.
    ///
    /// - Returns: how many rows and changes there were.
    func append(wall: UInt64, next: () throws -> [LocalChange]?) throws -> Int {
        try change {
            var ids = RecordIDSource()
            var count = 0
            while let changes = try next() {
                for change in changes {
                    count += try appendOne(change, wall: wall, &ids).count
                }
            }
            return count
        }
    }

    private func appendOne(
        _ change: LocalChange, wall: UInt64, _ ids: inout RecordIDSource
    ) throws -> [RecordName] {
        switch change {
        case .put(let rows): return try appendPuts(rows, wall: wall, &ids)
        case .edit(let name, let definition, let values):
            let values = values.sorted { $0.field < $1.field }
            var storage: [UInt8] = []
            let cells = values.map { Cell($0.value, storage: &storage) }
            return [
                try appendOther(
                    .edit, name, definition, fields: values.map(\.field), cells, storage, wall)
            ]
        case .delete(let name):
            return [try appendOther(.delete, name, nil, fields: [], [], [], wall)]
        case .restore(let name):
            return [try appendOther(.restore, name, nil, fields: [], [], [], wall)]
        case .review(let name, let state, let note):
            var storage: [UInt8] = []
            let cells = [
                Cell(.text(state), storage: &storage),
                note.map { Cell(.text($0), storage: &storage) } ?? .absent,
            ]
            return [try appendOther(.review, name, nil, fields: [], cells, storage, wall)]
        case .comment(let name, let text):
            var storage: [UInt8] = []
            let cells = [Cell(.text(text), storage: &storage)]
            return [try appendOther(.comment, name, nil, fields: [], cells, storage, wall)]
        }
    }

    private func appendPuts(
        _ new: NewRows, wall: UInt64, _ ids: inout RecordIDSource
    ) throws -> [RecordName] {
        guard let definition = state.catalog.definitions[new.definition], definition.isAccepted,
            let form = state.catalog.forms[definition.form.formID]
        else { throw StoreError.unknownForm("") }
        guard (new.fields.last ?? -1) < definition.form.fields.count,
            new.cells.count == new.count * new.fields.count
        else { throw StoreError.unknownField("") }
        let width = new.fields.count
        var names: [RecordName] = []
        names.reserveCapacity(new.count)
        var place = 0
        while place < new.count {
            let first = place
            let held = try openBatch(for: try size(of: new, row: place))
            try require(.put, own: true, at: held)
            var rows: [RecordsBlock.Row] = []
            while place < new.count, var open = state.open,
                open.count < Limits.operationsPerBatch
            {
                let size = try size(of: new, row: place)
                guard open.size + size <= RoomWriter.openBatchSize else { break }
                open.count += 1
                open.size += size
                state.open = open
                let clock = state.clock.issue(wall: wall)
                let id = ids.next(milliseconds: clock.milliseconds)
                rows.append(RecordsBlock.Row(id: id, clock: clock, creator: 0, parents: 0..<0))
                names.append(RecordName(form: form.formID, creator: identity.key, id: id))
                place += 1
            }
            guard let open = state.open, !rows.isEmpty else { throw StoreError.tooLarge }
            let block = RecordsBlock(
                kind: .put, firstIndex: open.count - rows.count, form: new.definition,
                fields: new.fields, creators: [identity.key], rows: rows, parents: [],
                cells: Array(new.cells[first * width..<place * width]), storage: new.storage)
            guard try applyPuts(block, of: held, definition, form) else {
                let fields = new.fields.map { definition.form.fields[$0] }
                let misfit = rows.indices.lazy.compactMap { block.misfit(row: $0, fields) }.first
                throw StoreError.wrongType(field: misfit ?? "")
            }
            try keepPending(block, held)
        }
        return names
    }

    private func appendOther(
        _ kind: RecordsBlock.Kind, _ name: RecordName, _ definition: OperationName?,
        fields: [Int], _ cells: [Cell], _ storage: [UInt8], _ wall: UInt64
    ) throws -> RecordName {
        guard let form = state.catalog.forms[name.form],
            let definition = state.catalog.definitions[definition ?? form.inForce.name],
            definition.isAccepted, definition.form.formID == form.formID
        else { throw StoreError.unknownForm(name.form) }
        guard (fields.last ?? -1) < definition.form.fields.count else {
            throw StoreError.unknownField("")
        }
        guard try devices.find(name.creator) != nil else {
            throw StoreError.unknownRecord(name.id.text)
        }
        let record = try sideRecord(making: name, in: form)
        let versions = try versions(of: record).versions
        guard (0..<versions.count).contains(where: { versions.kind(of: $0) == .put }) else {
            throw StoreError.unknownRecord(name.id.text)
        }
        let parents = RecordGraph(versions).headNames(upTo: Limits.parentsPerOperation)
        let creators = name.creator == identity.key ? [name.creator] : [identity.key, name.creator]
        let size = 256 + storage.count + cells.count * 10 + parents.count * 70
        let held = try openBatch(for: size, on: record)
        try require(kind, own: name.creator == identity.key, at: held)
        guard var open = state.open else { throw StoreError.tooLarge }
        let clock = state.clock.issue(wall: wall)
        let block = RecordsBlock(
            kind: kind, firstIndex: open.count, form: definition.name, fields: fields,
            creators: creators,
            rows: [
                RecordsBlock.Row(
                    id: name.id, clock: clock, creator: Int32(creators.count - 1),
                    parents: 0..<Int32(parents.count))
            ], parents: parents, cells: cells, storage: storage)
        open.count += 1
        open.size += size
        state.open = open
        if let field = block.misfit(row: 0, fields.map { definition.form.fields[$0] }) {
            throw StoreError.wrongType(field: field)
        }
        try addVersion(
            held.local(block.firstIndex), kind: kind, clock: clock, parents: parents,
            content: VersionContent(block, row: 0, definition: definition.form), to: name,
            in: form)
        try keepPending(block, held)
        return name
    }

    // MARK: The open batch

    /// The batch that takes an operation of this size: the one being filled, or a new one.
    ///
    /// - Parameter record: which it is about, unless it creates one.
    private func openBatch(for size: Int, on record: Int64? = nil) throws -> HeldBatch {
        guard size <= RoomWriter.openBatchSize else { throw StoreError.tooLarge }
        if let open = state.open, open.count < Limits.operationsPerBatch,
            open.size + size <= RoomWriter.openBatchSize,
            try record.map({ try operations(on: $0, in: open.batch) }) ?? 0
                < Limits.operationsOnRecord
        {
            return try openHeld(open.batch)
        }
        let held = try addOpenBatch()
        state.open = RoomState.OpenBatch(batch: held.batch, count: 0, size: 0)
        return held
    }

    /// A new batch behind all others.
    func addOpenBatch() throws -> HeldBatch {
        let author = try devices.number(of: identity.key)
        try database.run(
            "INSERT INTO _batch(author, kind, operations, state) VALUES(?1, 1, 0, 1)",
            .integer(author))
        return try openHeld(database.lastRowID)
    }

    private func operations(on record: Int64, in batch: Int64) throws -> Int {
        let range = LocalName.range(of: batch)
        return Int(
            try database.integer(
                """
                SELECT count(*) FROM _version WHERE record = ?1 AND version BETWEEN ?2 AND ?3
                """, .integer(record), .integer(range.first), .integer(range.last)) ?? 0)
    }

    func openHeld(_ batch: Int64) throws -> HeldBatch {
        guard let held = try heldBatches("WHERE b.batch = ?1", .integer(batch)).first else {
            throw StoreError.damaged("batch \(batch)")
        }
        return held
    }

    /// - Throws: `StoreError.notAllowed` or `.refused` for what every receiver would refuse.
    private func require(_ kind: RecordsBlock.Kind, own: Bool, at held: HeldBatch) throws {
        switch try standing(of: held) {
        case .unknown: throw StoreError.notAllowed("not a member")
        case .refused(let refusal): throw StoreError.refused(refusal)
        case .member(let role):
            guard RecordPermission.allows(role, kind, own: own) else {
                throw StoreError.notAllowed("\(role.phrase) may not \(kind.word)")
            }
        }
    }

    func keepPending(_ block: RecordsBlock, _ held: HeldBatch) throws {
        try noteUse(of: block.form, by: held)
        try database.run(
            "INSERT INTO _pending(operation, count, block) VALUES(?1, ?2, ?3)",
            .integer(held.local(block.firstIndex).rawValue), .integer(Int64(block.rows.count)),
            .blob(PendingBlock.encode(block)))
    }

    /// Bytes that a row takes in a batch at most.
    private func size(of new: NewRows, row: Int) throws -> Int {
        let width = new.fields.count
        var size = 32
        for cell in new.cells[row * width..<(row + 1) * width] {
            switch cell {
            case .absent: size += 1
            case .integer, .decimal: size += 9
            case .text(let offset, let length):
                guard Int(offset) + Int(length) <= new.storage.count else {
                    throw StoreError.damaged("a cell outside its storage")
                }
                size += 5 + Int(length)
            }
        }
        return size
    }

    /// The operations of an open batch, block by block, with names of open batches in them.
    func pendingBlocks(of batch: Int64) throws -> [RecordsBlock] {
        let range = LocalName.range(of: batch)
        let statement = try database.prepare(
            "SELECT operation, block FROM _pending WHERE operation BETWEEN ?1 AND ?2 ORDER BY 1")
        try statement.bind([.integer(range.first), .integer(range.last)])
        var blocks: [RecordsBlock] = []
        while try statement.step() {
            blocks.append(
                try PendingBlock.decode(
                    statement.blob(1),
                    firstIndex: LocalName(rawValue: statement.integer(0)).index))
        }
        return blocks
    }
}
