import ShareCrypto

@testable import ShareCore

/// The room of the vectors, made anew from fixed keys, ids and clocks.
///
/// Batches that are pinned stand for those made here wherever they are named, as the compressed
/// bytes, and with them the ids, may differ between releases of zstd.
struct VectorRoom {
    struct Made {
        let name: String
        let batch: Batch
        /// The body as it was encoded here.
        let body: [UInt8]
    }

    enum Writer: UInt8, CaseIterable {
        case founder = 1
        case collector, reviewer, viewer, leaver, stranger, team

        /// Milliseconds by which its own clock differs from the hybrid one of the room, in which one
        /// device is ten years ahead.
        var lag: Int64 {
            switch self {
            case .founder, .leaver, .stranger, .team: 0
            case .collector: -315_576_000_000
            case .reviewer: -5
            case .viewer: 7_200_000
            }
        }

        func wall(_ clock: Timestamp) -> WallTime {
            guard let wall = WallTime(lag, after: clock) else {
                preconditionFailure("a lag that leads before 1970")
            }
            return wall
        }

        var identity: DeviceIdentity { TestBatches.identity(rawValue) }
        var key: DeviceKey { identity.key }
    }

    /// The code whose key stands in the founding.
    static let recovery = RecoveryCode(secret: [UInt8](0..<16))

    private(set) var made: [Made] = []
    private let pinned: [String: Batch]
    private var batches: [String: Batch] = [:]
    var clock = TestBatches.clock

    init(pinned: [String: Batch] = [:]) {
        self.pinned = pinned
        makeControl()
        makeValues()
        makeVersions()
        makeRefused()
        makeForks()
        makeOddBodies()
        makeDepartures()
        makeRepeats()
        makeScopes()
    }

    subscript(name: String) -> Batch {
        guard let batch = batches[name] else { preconditionFailure("\(name) is made later") }
        return batch
    }

    func name(_ batch: String, _ index: Int) -> OperationName {
        OperationName(batch: self[batch].id, index: index)
    }

    func head(_ batch: String) -> LogHead { self[batch].head }

    // MARK: Tools

    mutating func tick() -> Timestamp {
        clock = clock.successor
        return clock
    }

    mutating func seal(
        _ name: String, by writer: Writer, _ kind: LogKind = .records, after previous: String?,
        _ blocks: [Body.Block]
    ) {
        let clock = tick()
        let body = BodyEncoder.encode(blocks, author: writer.key, clock: clock)
        seal(name, by: writer, kind, after: previous, clock: clock, body: body)
    }

    mutating func seal(
        _ name: String, by writer: Writer, _ kind: LogKind, after previous: String?,
        clock: Timestamp, body: [UInt8]
    ) {
        let founding = batches["founding"]
        let last = previous.map { self[$0] }
        let batch = Batch.seal(
            room: founding?.room ?? .unfounded, kind: kind, number: (last?.number ?? 0) + 1,
            previous: last?.id ?? founding?.id ?? BatchID(.zero), clock: clock,
            wall: writer.wall(clock), rawBody: body, by: writer.identity)
        made.append(Made(name: name, batch: batch, body: body))
        batches[name] = pinned[name] ?? batch
    }

    /// - Parameter lag: milliseconds by which its author's own clock differs from the other.
    func cell(_ text: String) -> [UInt8] { Array(text.utf8) }

    mutating func control(_ operations: ControlOperation..., lag: Int64 = 0) -> Body.Block {
        .control(
            ControlBlock(
                firstIndex: 0,
                entries: operations.map {
                    let clock = tick()
                    return .init(clock: clock, wall: WallTime(lag, after: clock), operation: $0)
                }))
    }

    struct Row {
        var id: UInt64
        var creator: Int32 = 0
        var parents: [OperationName] = []
        var values: [FieldValue] = []
    }

    /// Those from 1,000 on have no time: of another version, of another variant, or of one that
    /// lies too late.
    static func id(_ number: UInt64) -> RecordID {
        let random: (UInt16, UInt64) = (7, number % 100)
        switch number {
        case 1_000: return RecordID(high: 0x018b_cfe5_6800_4007, low: 1 << 63)
        case 1_001: return RecordID(high: 0x018b_cfe5_6800_7007, low: 1)
        case 1_002: return RecordID(milliseconds: 7_258_118_400_001, random: random)
        case 1_003: return RecordID(milliseconds: 7_258_118_400_000, random: random)
        case 1_004: return RecordID(milliseconds: 0, random: random)
        default: break
        }
        return RecordID(milliseconds: 1_700_000_000_000 + number / 100, random: random)
    }

    mutating func records(
        _ kind: RecordsBlock.Kind, _ form: OperationName, _ fields: [Int], by writer: Writer,
        also others: [DeviceKey] = [], _ rows: [Row]
    ) -> Body.Block {
        var block = RecordsBlock(
            kind: kind, firstIndex: 0, form: form, fields: fields,
            creators: [writer.key] + others, rows: [], parents: [], cells: [], storage: [])
        for row in rows {
            let first = Int32(block.parents.count)
            block.parents += row.parents
            block.rows.append(
                RecordsBlock.Row(
                    id: VectorRoom.id(row.id), clock: tick(), wall: writer.wall(clock),
                    creator: row.creator, parents: first..<Int32(block.parents.count)))
            for value in row.values {
                switch value {
                case .absent: block.cells.append(.absent)
                case .integer(let value): block.cells.append(.integer(value))
                case .decimal(let value): block.cells.append(.decimal(value))
                case .text(let value):
                    block.cells.append(
                        .text(
                            offset: UInt32(block.storage.count),
                            length: UInt32(value.utf8.count)))
                    block.storage += value.utf8
                }
            }
        }
        return .records(block)
    }

    // MARK: The room

    private mutating func makeControl() {
        seal(
            "founding", by: .founder, .control, after: nil,
            [
                control(
                    .found(
                        Founding(
                            name: "clinic", nonce: [UInt8](0..<16), isOpen: false,
                            recovery: VectorRoom.recovery.identity(nonce: [UInt8](0..<16)).key)))
            ])
        let fields = [
            FormField(name: "name", type: .text), FormField(name: "age", type: .integer),
            FormField(name: "weight", type: .decimal), FormField(name: "seen", type: .date),
            FormField(name: "at", type: .time), FormField(name: "taken", type: .dateTime),
            FormField(name: "note", type: .text),
        ]
        seal(
            "form-1", by: .founder, .control, after: "founding",
            [
                control(
                    .form(
                        FormDefinition(
                            formID: "visit", version: "1", parents: [], fields: fields,
                            json: #"{"id":"visit"}"#)))
            ])
        func grant(_ writer: Writer, _ role: Role) -> ControlOperation {
            .grant(
                Grant(
                    subject: writer.key, role: role, firstControl: 1, firstRecords: 1,
                    supersedes: []))
        }
        seal(
            "grants", by: .founder, .control, after: "form-1",
            [
                control(
                    grant(.collector, .collector), grant(.reviewer, .reviewer),
                    grant(.viewer, .viewer), grant(.leaver, .collector))
            ])
        // The second version has a field of another type, so another field, under an old name.
        let changed = [
            FormField(name: "name", type: .text), FormField(name: "age", type: .text),
            FormField(name: "site", type: .text),
            // Two fields: names are compared by their bytes.
            FormField(name: "n\u{e9}", type: .text), FormField(name: "ne\u{301}", type: .text),
        ]
        let unsound = [FormField(name: "a", type: .text), FormField(name: "a", type: .integer)]
        seal(
            "form-2", by: .founder, .control, after: "grants",
            [
                control(
                    .form(
                        FormDefinition(
                            formID: "visit", version: "2", parents: [name("form-1", 0)],
                            fields: changed, json: #"{"id":"visit","version":"2"}"#)),
                    .form(
                        FormDefinition(
                            formID: "bad", version: "1", parents: [], fields: unsound,
                            json: "{}")),
                    .form(
                        FormDefinition(
                            formID: "café", version: "1", parents: [], fields: fields,
                            json: "{}"))),
                control(
                    .part(ListPart([[cell("n"), cell("Nord")], [cell("s"), cell("")]])),
                    .part(ListPart([[cell("x")]]))),
                control(
                    .list(
                        ListDefinition(
                            name: "area", parents: [], columns: ["name", "label"],
                            parts: [OperationName(batch: .thisBatch, index: 3)])),
                    // The second part has one column, so this one is not in force.
                    .list(
                        ListDefinition(
                            name: "area", parents: [OperationName(batch: .thisBatch, index: 5)],
                            columns: ["name", "label"],
                            parts: [
                                OperationName(batch: .thisBatch, index: 3),
                                OperationName(batch: .thisBatch, index: 4),
                            ])),
                    .list(
                        ListDefinition(
                            name: "twice", parents: [], columns: ["name", "name"], parts: []))),
                control(
                    .set(Setting(key: "name", value: "clinique né", parents: [])), lag: -86_400_000),
                control(
                    .accept(
                        Acceptance(
                            subject: Writer.stranger.key,
                            heads: CoveredHeads(control: [], records: [])))),
            ])
    }

    private mutating func makeValues() {
        let form = name("form-1", 0)
        seal(
            "values", by: .founder, after: nil,
            [
                records(
                    .put, form, [0, 1, 2, 3, 4, 5, 6], by: .founder,
                    [
                        Row(
                            id: 0,
                            values: [
                                .text("Ana\u{0}Maria"), .integer(.max), .decimal(1.5),
                                .text("2024-02-29"), .text("23:59:59.123456789+05:30"),
                                .text("2026-11-21T00:00Z"), .text("🦋 né à Zürich"),
                            ]),
                        Row(
                            id: 1,
                            values: [
                                .text("Zoe\u{308}"), .integer(.min),
                                .decimal(5.960464477539063e-08),
                                .text("0000-02-29"), .text("00:00"),
                                .text("2026-11-21T10:00:01-03:00"), .text(""),
                            ]),
                        Row(
                            id: 2,
                            values: [
                                .text("Zoë"), .integer(-1), .decimal(1e-7), .absent, .absent,
                                .absent,
                                .absent,
                            ]),
                    ]),
                records(
                    .put, form, [1, 2], by: .founder,
                    [
                        Row(id: 3, values: [.integer(23), .decimal(16_777_216)]),
                        Row(
                            id: 4,
                            values: [.integer(24), .decimal(Double(Float.leastNonzeroMagnitude))]),
                        Row(id: 5, values: [.integer(255), .decimal(0.1)]),
                        Row(id: 6, values: [.integer(256), .decimal(.leastNonzeroMagnitude)]),
                        Row(id: 7, values: [.integer(65_536), .decimal(0)]),
                        Row(
                            id: 8,
                            values: [
                                .integer(4_294_967_296), .decimal(.greatestFiniteMagnitude),
                            ]),
                        Row(id: 300, values: [.integer(-4_294_967_297), .decimal(65_504)]),
                        Row(id: 299, values: [.absent, .decimal(-65_520)]),
                        Row(id: 1_000, values: [.integer(0), .absent]),
                        Row(id: 1_001, values: [.integer(1), .absent]),
                        Row(id: 1_002, values: [.integer(2), .absent]),
                        Row(id: 1_003, values: [.integer(3), .absent]),
                        Row(id: 1_004, values: [.integer(4), .absent]),
                    ]),
            ])
    }
}
