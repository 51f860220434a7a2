import Foundation
import ShareCrypto

@testable import ShareCore

/// Batches in the words of the vectors.
extension VectorFile.Entry {
    init(name: String, _ batch: Batch) {
        let frame = Array(batch.bytes[batch.compressedBody])
        let raw = try? frame.withUnsafeBytes { frame in
            try Zstd.decompress(frame, length: batch.rawLength)
        }
        self.init(
            name: name, bytes: VectorFile.hex(batch.bytes), id: VectorFile.hex(batch.id.bytes),
            room: VectorFile.hex(batch.room.bytes), author: VectorFile.hex(batch.author.bytes),
            log: batch.kind == .control ? "control" : "records", number: batch.number,
            previous: VectorFile.hex(batch.previous.bytes), clock: "\(batch.clock.rawValue)",
            wall: batch.wall.milliseconds, body: raw.map { VectorFile.hex($0) },
            blocks: (try? batch.openBody())?.blocks.map { VectorFile.Block($0) })
    }
}

extension VectorFile.Block {
    init(_ block: Body.Block) {
        switch block {
        case .unknown(let kind, let firstIndex, let count):
            self.init(kind: kind, reading: "unknown", firstIndex: firstIndex, count: count)
        case .misplaced(let kind, let firstIndex, let count):
            self.init(kind: kind, reading: "misplaced", firstIndex: firstIndex, count: count)
        case .control(let block):
            self.init(
                kind: ControlKind(block.entries[0].operation).rawValue, reading: "control",
                firstIndex: block.firstIndex, count: block.entries.count,
                operations: block.entries.map { VectorFile.Operation($0) })
        case .records(let block):
            self.init(
                kind: block.kind.rawValue, reading: "records", firstIndex: block.firstIndex,
                count: block.rows.count, form: VectorFile.Name(block.form),
                fields: block.fields,
                rows: block.rows.indices.map { VectorFile.Row(block, $0) })
        }
    }
}

extension VectorFile.Name {
    init(_ name: OperationName) {
        self.init(batch: VectorFile.hex(name.batch.bytes), index: name.index)
    }
}

extension VectorFile.Row {
    init(_ block: RecordsBlock, _ place: Int) {
        let row = block.rows[place]
        self.init(
            id: VectorFile.hex(row.id.bytes),
            creator: VectorFile.hex(block.creators[Int(row.creator)].bytes),
            clock: "\(row.clock.rawValue)", wall: row.wall.milliseconds,
            parents: block.parents(of: row).map { VectorFile.Name($0) },
            values: (0..<block.width).map {
                VectorFile.Value(block.value(row: place, column: $0))
            })
    }
}

extension VectorFile.Value {
    init?(_ value: FieldValue) {
        switch value {
        case .absent: return nil
        case .integer(let value): self.init(integer: "\(value)")
        case .decimal(let value):
            let bits = withUnsafeBytes(of: value.bitPattern.bigEndian) { Array($0) }
            self.init(decimal: VectorFile.hex(bits))
        case .text(let value): self.init(text: value)
        }
    }
}

extension VectorFile.Operation {
    init(_ entry: ControlBlock.Entry) {
        self.init(clock: "\(entry.clock.rawValue)", wall: entry.wall.milliseconds)
        switch entry.operation {
        case .found(let founding):
            name = founding.name
            nonce = VectorFile.hex(founding.nonce)
            open = founding.isOpen
            recovery = VectorFile.hex(founding.recovery.bytes)
        case .set(let setting):
            key = setting.key
            value = setting.value
            parents = setting.parents.map { VectorFile.Name($0) }
        case .form(let form):
            formID = form.formID
            version = form.version
            parents = form.parents.map { VectorFile.Name($0) }
            fields = form.fields.map { VectorFile.Field(name: $0.name, type: $0.type.rawValue) }
            json = form.json
        case .list(let list):
            name = list.name
            parents = list.parents.map { VectorFile.Name($0) }
            columns = list.columns
            parts = list.parts.map { VectorFile.Name($0) }
        case .part(let part):
            width = part.width
            cells = []
            try? part.forEachRow { _, row in
                for range in row {
                    cells?.append(String(decoding: part.cells[range], as: UTF8.self))
                }
            }
        case .grant(let grant):
            subject = VectorFile.hex(grant.subject.bytes)
            role = grant.role.rawValue
            scope = VectorFile.ScopeForm.list(grant.scope)
            firstControl = grant.firstControl
            firstRecords = grant.firstRecords
            supersedes = grant.supersedes.map { VectorFile.Name($0) }
        case .roleChange(let change):
            subject = VectorFile.hex(change.subject.bytes)
            role = change.role.rawValue
            scope = VectorFile.ScopeForm.list(change.scope)
            take(change.heads)
            supersedes = change.supersedes.map { VectorFile.Name($0) }
        case .removal(let removal):
            subject = VectorFile.hex(removal.subject.bytes)
            take(removal.heads)
            supersedes = removal.supersedes.map { VectorFile.Name($0) }
            reason = removal.reason
        case .accept(let acceptance):
            subject = VectorFile.hex(acceptance.subject.bytes)
            take(acceptance.heads)
        }
    }

    private mutating func take(_ heads: CoveredHeads) {
        control = heads.control.map {
            VectorFile.Head(number: $0.number, batch: VectorFile.hex($0.batch.bytes))
        }
        records = heads.records.map {
            VectorFile.Head(number: $0.number, batch: VectorFile.hex($0.batch.bytes))
        }
    }
}
