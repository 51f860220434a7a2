import ShareCore
import ShareCrypto
import Synchronization

/// Batches with fixed keys and clocks, so that their bytes are always the same.
enum TestBatches {
    static let clock = Timestamp(milliseconds: 1_700_000_000_000, counter: 7)

    private static let identities = Mutex<[UInt8: DeviceIdentity]>([:])

    /// Made once each: keys cost, and some tests sign a hundred thousand times.
    static func identity(_ number: UInt8) -> DeviceIdentity {
        identities.withLock { known in
            if let identity = known[number] { return identity }
            guard let identity = DeviceIdentity(seed: [UInt8](repeating: number, count: 32)) else {
                preconditionFailure("32 bytes are a seed")
            }
            known[number] = identity
            return identity
        }
    }

    static func control(_ operations: ControlOperation...) -> Body.Block {
        .control(
            ControlBlock(
                firstIndex: 0, entries: operations.map { .init(clock: clock, operation: $0) }))
    }

    static let foundBlock = control(
        .found(
            Founding(
                name: "clinic", nonce: [UInt8](0..<16), isOpen: false,
                recovery: identity(99).key)))

    static func founding(by identity: DeviceIdentity) -> Batch {
        Batch.seal(
            room: .unfounded, kind: .control, number: 1, previous: BatchID(.zero), clock: clock,
            blocks: [foundBlock], by: identity)
    }

    /// Batch 1 of the records log with `count` puts of two fields.
    static func puts(_ count: Int, after founding: Batch, by identity: DeviceIdentity) -> Batch {
        let name = Array("Isabella".utf8)
        let first = RecordID(milliseconds: clock.milliseconds, random: (1, 1 << 40))
        var rows: [RecordsBlock.Row] = []
        var cells: [Cell] = []
        for place in 0..<count {
            rows.append(
                .init(
                    id: first.advanced(by: UInt64(place)) ?? first,
                    clock: clock.advanced(by: Int64(place - count)) ?? clock, creator: 0,
                    parents: 0..<0))
            cells += [.integer(Int64(place)), .text(offset: 0, length: UInt32(name.count))]
        }
        return Batch.seal(
            room: founding.room, kind: .records, number: 1,
            previous: BatchID(founding.room.digest), clock: clock,
            blocks: [
                .records(
                    RecordsBlock(
                        kind: .put, firstIndex: 0,
                        form: OperationName(batch: founding.id, index: 1), fields: [0, 1],
                        creators: [identity.key], rows: rows, parents: [], cells: cells,
                        storage: name))
            ], by: identity)
    }

    /// One batch for each kind of operation, beside what a reader must find in it.
    static func oneOfEach(
        after founding: Batch, by identity: DeviceIdentity
    ) -> [(sealed: Batch, expected: String)] {
        let other = Self.identity(2).key
        let name = OperationName(batch: BatchID(Hash.digest([9])), index: 3)
        let own = OperationName(batch: .thisBatch, index: 0)
        let heads = CoveredHeads(
            control: [LogHead(number: 3, batch: name.batch)],
            records: [
                LogHead(number: 7, batch: name.batch), LogHead(number: 8, batch: founding.id),
            ])
        let form = FormDefinition(
            formID: "visit", version: "1", parents: [name],
            fields: [
                FormField(name: "site", type: .text), FormField(name: "n", type: .integer),
            ], json: "{}")
        let operations: [ControlOperation] = [
            .set(Setting(key: "open", value: "no", parents: [name, own])),
            .form(form),
            .part(ListPart([[Array("name".utf8), Array("north".utf8)], [[], Array("né".utf8)]])),
            .list(
                ListDefinition(
                    name: "area", parents: [name], columns: ["name", "label"], parts: [name, own])),
            .grant(
                Grant(
                    subject: other, role: .collector, firstControl: 1, firstRecords: 5,
                    supersedes: [name])),
            .roleChange(
                RoleChange(subject: other, role: .viewer, heads: heads, supersedes: [name, own])),
            .removal(
                Removal(subject: other, heads: heads, supersedes: [], reason: "lost on the ferry")),
            .removal(Removal(subject: identity.key, heads: heads, supersedes: [], reason: "")),
            .accept(Acceptance(subject: other, heads: heads)),
        ]
        // The first operation of each batch is a setting, for the others to name.
        var sealed = operations.map { operation in
            Batch.seal(
                room: founding.room, kind: .control, number: 2,
                previous: BatchID(founding.room.digest), clock: clock,
                blocks: [
                    control(.set(Setting(key: "a", value: "b", parents: []))),
                    .control(
                        ControlBlock(
                            firstIndex: 1,
                            entries: [.init(clock: Timestamp.zero, operation: operation)])),
                ], by: identity)
        }
        var expected = zip(sealed, operations).map { batch, operation in
            let named = "\(operation)".replacing(
                "\(BatchID.thisBatch)", with: "\(batch.id)")
            return "1 \(Timestamp.zero.rawValue) \(named)"
        }
        for kind in RecordsBlock.Kind.allCases where kind != .put {
            let text = Array("né à Zürich 🦋".utf8)
            let width = kind == .edit ? 2 : kind == .review ? 2 : kind == .comment ? 1 : 0
            let cells: [Cell] = [.text(offset: 0, length: UInt32(text.count)), .absent]
            let batch = Batch.seal(
                room: founding.room, kind: .records, number: 1,
                previous: BatchID(founding.room.digest), clock: clock,
                blocks: [
                    .records(
                        RecordsBlock(
                            kind: kind, firstIndex: 0, form: name,
                            fields: kind == .edit ? [4, 9] : [], creators: [identity.key, other],
                            rows: [
                                .init(
                                    id: RecordID(high: 1, low: 2), clock: clock, creator: 1,
                                    parents: 0..<1),
                                .init(
                                    id: RecordID(high: 1, low: 2), clock: clock, creator: 0,
                                    parents: 1..<3),
                            ], parents: [name, own, name],
                            cells: Array((cells + cells).prefix(2 * width)), storage: text))
                ], by: identity)
            sealed.append(batch)
            let values = Array(["né à Zürich 🦋", "absent"].prefix(width))
            let again = width == 1 ? values.map { _ in "absent" } : values
            expected.append(
                "\(kind) \(other.short) \(values) 1; \(kind) \(identity.key.short) \(again) 2")
        }
        return Array(zip(sealed, expected))
    }

    static func describe(_ body: Body, of batch: Batch) -> String {
        switch body.blocks.last {
        case .control(let block):
            let entry = block.entries[0]
            return "\(block.firstIndex) \(entry.clock.rawValue) \(entry.operation)"
        case .records(let block):
            return block.rows.indices.map { place in
                let row = block.rows[place]
                let values = (0..<block.width).map { column in
                    switch block.value(row: place, column: column) {
                    case .text(let text): text
                    case .absent: "absent"
                    case .integer(let value): "\(value)"
                    case .decimal(let value): "\(value)"
                    }
                }
                let creator = block.creators[Int(row.creator)].short
                return "\(block.kind) \(creator) \(values) \(block.parents(of: row).count)"
            }.joined(separator: "; ")
        default: return "?"
        }
    }
}
