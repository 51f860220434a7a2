import ShareCore
import ShareCrypto

/// An entry's way out: into the batch that is being filled, and into the tables.
extension Room {

    /// Enters changes.
    ///
    /// - Returns: the record of each row and change, in order.
    @discardableResult
    mutating func append(_ changes: [LocalChange], wall: UInt64) throws -> [RecordName] {
        var ids = RecordIDSource()
        var names: [RecordName] = []
        if changes.count > 1 { keepTogether(changes) }
        var rows = RowChanges(in: forms.catalog)
        let start = try nextOperation()
        for change in changes {
            let made = try appendOne(change, wall: wall, &ids)
            rows.note(change, form: made.first?.form)
            names += made
        }
        try gather(&rows)
        try noteEntries(of: rows, since: start, wall: wall)
        return names
    }

    /// What the next operation that is entered is called, or less.
    private func nextOperation() throws -> LocalName {
        if let open = pending.open { return LocalName(batch: open.batch, index: open.count) }
        return LocalName(
            batch: try database.integer("SELECT max(batch) + 1 FROM _batch") ?? 0, index: 0)
    }

    mutating func appendOne(_ change: LocalChange, wall: UInt64) throws -> [RecordName] {
        var ids = RecordIDSource()
        return try appendOne(change, wall: wall, &ids)
    }

    /// Begins a batch for changes that are one for people, where one takes them all and the one
    /// that is being filled does not.
    private mutating func keepTogether(_ changes: [LocalChange]) {
        guard let open = pending.open else { return }
        let count = changes.reduce(0) { $0 + $1.operations }
        let size = changes.reduce(0) { $0 + $1.sizeAtMost }
        let most = policy.batchSize
        let fits = { (count: Int, size: Int) in count <= most.operations && size <= most.bytes }
        guard fits(count, size), !fits(open.count + count, open.size + size) else { return }
        pending.open = nil
    }

    /// Enters changes as `next` hands them over, until it returns nil.
    ///
    /// - Returns: how many rows and changes there were.
    mutating func append(wall: UInt64, next: () throws -> [LocalChange]?) throws -> Int {
        var ids = RecordIDSource()
        var count = 0
        var rows = RowChanges(in: forms.catalog)
        while let changes = try next() {
            for change in changes {
                // An import may be long, and nobody asks for the names.
                if case .put(let new) = change {
                    let put = try appendPuts(new, wall: wall, &ids)
                    rows.note(change, form: put.form)
                    count += put.ids.count
                } else {
                    rows.note(change, form: nil)
                    count += try appendOne(change, wall: wall, &ids).count
                }
            }
            try gather(&rows)
        }
        // At the end alone: an entry is changed once, in whatever steps it and its rows come.
        try noteEntries(of: rows, since: nil, wall: wall)
        return count
    }

    private mutating func appendOne(
        _ change: LocalChange, wall: UInt64, _ ids: inout RecordIDSource
    ) throws -> [RecordName] {
        switch change {
        case .put(let rows):
            let put = try appendPuts(rows, wall: wall, &ids)
            return put.ids.map { RecordName(form: put.form, creator: identity.key, id: $0) }
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

    private mutating func appendPuts(
        _ new: NewRows, wall: UInt64, _ ids: inout RecordIDSource
    ) throws -> (form: String, ids: [RecordID]) {
        guard let definition = forms.catalog.definitions[new.definition], definition.isAccepted,
            let form = forms.catalog.forms[definition.form.formID]
        else { throw StoreError.unknownForm("") }
        guard (new.fields.last ?? -1) < definition.form.fields.count,
            new.cells.count == new.count * new.fields.count,
            !definition.form.isRepeat || new.fields.starts(with: [0, 1])
        else { throw StoreError.unknownField("") }
        let width = new.fields.count
        let most = policy.batchSize
        var added: [RecordID] = []
        added.reserveCapacity(new.count)
        var position = 0
        while position < new.count {
            let first = position
            let head = BodyEncoder.headSize(fields: width, batches: 1, creators: 0)
            let held = try openBatch(for: head + (try size(of: new, row: position)))
            pending.open?.size += head
            let permit = try policy.require(.put, own: true, at: held, in: log)
            var rows: [RecordsBlock.Row] = []
            rows.reserveCapacity(min(new.count - first, most.operations))
            while position < new.count, var open = pending.open, open.count < most.operations {
                let size = try size(of: new, row: position)
                guard open.size + size <= most.bytes || rows.isEmpty else { break }
                open.count += 1
                open.size += size
                pending.open = open
                let clock = pending.clock.issue(wall: wall)
                let id =
                    position < new.ids.count
                    ? new.ids[position] : ids.next(wall: WallTime(milliseconds: wall))
                rows.append(
                    RecordsBlock.Row(
                        id: id, clock: clock, wall: WallTime(ofPut: id, clock: clock), creator: 0,
                        parents: 0..<0))
                added.append(id)
                position += 1
            }
            guard let open = pending.open, !rows.isEmpty else { throw StoreError.tooLarge }
            let block = RecordsBlock(
                kind: .put, firstIndex: open.count - rows.count, form: new.definition,
                fields: new.fields, creators: [identity.key], rows: rows, parents: [],
                cells: rows.count == new.count
                    ? new.cells : Array(new.cells[first * width..<position * width]),
                storage: new.storage)
            try require(block, inside: permit.scopes, definition.form)
            let put = try records.addPuts(
                block, of: held, as: permit.role, definition, form, &forms)
            if let refused = put.refused.first {
                guard refused.refusal == .type else {
                    throw StoreError.notAllowed(
                        "\(permit.role.phrase) may not add to others' entries")
                }
                throw StoreError.wrongType(field: refused.what)
            }
            try keepPending(block, held)
        }
        return (form.formID, added)
    }

    private mutating func appendOther(
        _ kind: RecordsBlock.Kind, _ name: RecordName, _ definition: OperationName?,
        fields: [Int], _ cells: [Cell], _ storage: [UInt8], _ wall: UInt64
    ) throws -> RecordName {
        guard let form = forms.catalog.forms[name.form],
            let definition = forms.catalog.definitions[definition ?? form.inForce.name],
            definition.isAccepted, definition.form.formID == form.formID
        else { throw StoreError.unknownForm(name.form) }
        guard (fields.last ?? -1) < definition.form.fields.count else {
            throw StoreError.unknownField("")
        }
        guard try devices.find(name.creator) != nil else {
            throw StoreError.unknownRecord(name.id.text)
        }
        let record = try records.sideRecord(making: name, in: form)
        let versions = try records.versions.all(of: record).versions
        guard (0..<versions.count).contains(where: { versions.kind(of: $0) == .put }) else {
            throw StoreError.unknownRecord(name.id.text)
        }
        let parents = RecordGraph(versions).headNames(upTo: Limits.parentsPerOperation)
        let creators = name.creator == identity.key ? [name.creator] : [identity.key, name.creator]
        let size =
            BodyEncoder.headSize(fields: fields.count, batches: 1 + parents.count, creators: 1)
            + BodyEncoder.changeSize(parents: parents.count)
            + cells.reduce(0) { $0 + BodyEncoder.size(of: $1) }
        let held = try openBatch(for: size, on: record)
        let permit = try policy.require(
            kind, own: name.creator == identity.key, at: held, in: log)
        guard var open = pending.open else { throw StoreError.tooLarge }
        let clock = pending.clock.issue(wall: wall)
        let block = RecordsBlock(
            kind: kind, firstIndex: open.count, form: definition.name, fields: fields,
            creators: creators,
            rows: [
                RecordsBlock.Row(
                    id: name.id, clock: clock, wall: WallTime(milliseconds: wall),
                    creator: Int32(creators.count - 1), parents: 0..<Int32(parents.count))
            ], parents: parents, cells: cells, storage: storage)
        try require(block, inside: permit.scopes, definition.form)
        open.count += 1
        open.size += size
        pending.open = open
        let misfit = block.misfit(row: 0, fields.map { definition.form.fields[$0] })
        if let field = misfit ?? (definition.form.isRepeat ? block.repeatMisfit(row: 0) : nil) {
            throw StoreError.wrongType(field: field)
        }
        if definition.form.isRepeat, !block.listsRepeatFields { throw StoreError.unknownField("") }
        try records.addVersion(0, of: block, in: held, definition.form, form)
        try keepPending(block, held)
        return name
    }

    /// Refuses what every receiver would refuse as outside this device's scopes.
    ///
    /// - Throws: `StoreError.outsideScope`.
    private func require(
        _ block: RecordsBlock, inside scopes: [Scope], _ form: FormDefinition
    ) throws {
        guard !scopes.isEmpty else { return }
        for row in block.rows.indices {
            switch block.fault(row: row, outside: scopes, form) {
            case nil: continue
            case .form:
                throw StoreError.outsideScope(form: form.formID, field: nil, allowed: [])
            case .field(let condition):
                throw StoreError.outsideScope(
                    form: form.formID, field: condition.field, allowed: condition.values)
            }
        }
    }

    // MARK: The batch that is being filled

    /// The batch that takes an operation of this size: the one being filled, or a new one.
    ///
    /// - Parameter record: which it is about, unless it creates one.
    private mutating func openBatch(for size: Int, on record: Int64? = nil) throws -> HeldBatch {
        guard size <= PendingEntries.batchSize else { throw StoreError.tooLarge }
        let most = policy.batchSize
        if let open = pending.open, open.count < most.operations,
            open.size + size <= max(most.bytes, size),
            try record.map({ try records.versions.operations(on: $0, in: open.batch) }) ?? 0
                < Limits.operationsOnRecord
        {
            return try log.openHeld(open.batch)
        }
        let held = try log.addOpen(by: identity.key)
        pending.open = PendingEntries.OpenBatch(batch: held.batch, count: 0, size: 0)
        return held
    }

    /// Keeps operations of a batch that is being filled.
    mutating func keepPending(_ block: RecordsBlock, _ held: HeldBatch) throws {
        try policy.noteUse(of: block.form, by: held)
        try pending.keep(block, held)
    }

    /// Bytes that a row takes in a batch at most.
    private func size(of new: NewRows, row: Int) throws -> Int {
        let width = new.fields.count
        var size = BodyEncoder.putSize
        for cell in new.cells[row * width..<(row + 1) * width] {
            if case .text(let offset, let length) = cell {
                guard Int(offset) + Int(length) <= new.storage.count else {
                    throw StoreError.damaged("a cell outside its storage")
                }
            }
            size += BodyEncoder.size(of: cell)
        }
        return size
    }

}
