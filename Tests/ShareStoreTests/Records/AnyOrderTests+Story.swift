import ShareCore
import ShareCrypto
import ShareTestKit

@testable import ShareStore

/// Random histories of a room.
extension AnyOrderTests {
    /// Some devices that enter, edit, delete, review and push, partly in ignorance of each
    /// other, with members that come, change and go; in a war three owners remove, lower, admit
    /// and accept each other and everybody else, whatever the others do meanwhile.
    func story(
        _ bench: Bench, isWar: Bool = false, _ random: inout SeededRandom
    ) throws -> [Batch] {
        let founder = bench.founder
        let forms = [try bench.addForm(), try bench.addForm("Visit", [Bench.fields[0]])]
        var devices = [founder]
        let roles: [Role] =
            isWar
            ? [.owner, .owner, .editor, .collector, .reviewer]
            : [.editor, .collector, .collector, .contributor, .reviewer]
        for role in roles {
            devices.append(try bench.device(role))
        }
        var definitions = forms
        var all: [Batch] = []
        func exchange(_ random: inout SeededRandom) throws {
            for device in devices {
                for other in devices.shuffled(using: &random).prefix(2) where other !== device {
                    try deliver(try Bench.batches(of: other), to: device)
                }
            }
        }
        try exchange(&random)
        for step in 0..<(isWar ? 45 : 30) {
            bench.wall += UInt64.random(in: 0...3, using: &random)
            let device = devices[Int.random(in: 0..<devices.count, using: &random)]
            if Int.random(in: 0..<8, using: &random) == 0 { bench.wall += 86_400_000 }
            if Int.random(in: 0..<6, using: &random) == 0 {
                try limit(devices[Int.random(in: 0...2, using: &random)], bench, &random)
            }
            switch Int.random(in: 0..<(isWar ? 32 : 22), using: &random) {
            case 0..<5: try enter(device, definitions, bench, &random)
            case 5..<11: try change(device, bench, &random)
            case 11..<15: _ = try? device.seal(wall: bench.wall)
            case 15: try exchange(&random)
            case 16 where step > 5:
                let type: StorageType = Bool.random(using: &random) ? .decimal : .text
                try deliver(try Bench.batches(of: founder), to: devices[1])
                // Who is no editor any more may not.
                let definition = try? bench.addForm(
                    "visit",
                    [
                        Bench.fields[0], FormField(name: "age", type: type),
                        FormField(name: "NAME", type: .text),
                    ], by: Bool.random(using: &random) ? founder : devices[1],
                    version: "\(step)")
                if let definition { definitions.append(definition) }
            case 17 where step > 10, 20 where step > 10, 21 where step > 20:
                let subject = devices[Int.random(in: 1...4, using: &random)]
                try judge(subject.identity.key, by: founder, bench, &random)
            case 22...:
                let author = devices[Int.random(in: 0...2, using: &random)]
                let subject = devices[Int.random(in: 0..<devices.count, using: &random)]
                try judge(subject.identity.key, by: author, bench, &random)
            case 18: all += try forge(device, definitions, bench, &random)
            default: try deliver(try Bench.batches(of: device), to: founder)
            }
        }
        for device in devices { _ = try? device.seal(wall: bench.wall) }
        for device in devices { all += try Bench.batches(of: device) }
        var seen: Set<BatchID> = []
        return all.filter { seen.insert($0.id).inserted }
    }

    /// Bounds how much members may write, or lifts what bounded it; who is no owner may not.
    private func limit(
        _ device: TestRoom, _ bench: Bench, _ random: inout SeededRandom
    ) throws {
        func limit(_ range: ClosedRange<UInt64>) -> UInt64? {
            Int.random(in: 0..<3, using: &random) == 0
                ? UInt64.random(in: range, using: &random) : nil
        }
        let quota = Quota(
            operations: limit(1...40), operationsADay: limit(1...12), bytes: limit(300...6_000),
            bytesADay: limit(300...2_000))
        _ = try? device.sealControl(
            [
                .set(
                    Setting(
                        key: Authority.quotaSetting, value: quota.text,
                        parents: device.heads(ofSetting: Authority.quotaSetting)))
            ], wall: bench.wall)
    }

    private func enter(
        _ device: TestRoom, _ definitions: [OperationName], _ bench: Bench,
        _ random: inout SeededRandom
    ) throws {
        guard let form = definitions.randomElement(using: &random),
            let definition = device.catalog.definitions[form]
        else { return }
        let rows = (0..<Int.random(in: 1...5, using: &random)).map { number -> [FieldValue] in
            definition.form.fields.map { value($0.type, number, &random) }
        }
        _ = try? device.append(
            [
                .put(
                    NewRows(
                        definition: form, fields: Array(definition.form.fields.indices),
                        rows: rows))
            ], wall: bench.wall)
    }

    private func value(
        _ type: StorageType, _ number: Int, _ random: inout SeededRandom
    ) -> FieldValue {
        if Int.random(in: 0..<4, using: &random) == 0 { return .absent }
        switch type {
        case .integer: return .integer(Int64.random(in: .min ... .max, using: &random))
        case .decimal: return .decimal(Double(Int.random(in: 0...9, using: &random)) / 4)
        case .date: return .text("2026-11-2\(Int.random(in: 0...9, using: &random))")
        default: return .text("text \(Int.random(in: 0...99, using: &random)) é\0🦋")
        }
    }

    private func change(
        _ device: TestRoom, _ bench: Bench, _ random: inout SeededRandom
    ) throws {
        guard let form = device.catalog.forms.values.randomElement(using: &random) else {
            return
        }
        var names: [RecordName] = []
        for row in try device.rows(
            "SELECT _id, \(DeviceTable.authorID) FROM \(form.quoted) ORDER BY 1, 2")
        {
            guard case .text(let id) = row[0], case .text(let author) = row[1],
                let id = RecordID(text: id), let creator = DeviceKey(text: author)
            else { continue }
            names.append(RecordName(form: form.formID, creator: creator, id: id))
        }
        guard let name = names.randomElement(using: &random) else { return }
        let fields = form.inForce.form.fields
        let place = Int.random(in: 0..<fields.count, using: &random)
        let changes: [LocalChange] = [
            .edit(
                name, definition: form.inForce.name,
                values: [.init(field: place, value: value(fields[place].type, 1, &random))]),
            .delete(name), .restore(name), .review(name, state: "ok", note: ""),
            .comment(name, text: "seen"),
            .edit(
                name, definition: form.inForce.name,
                values: [.init(field: 0, value: .text("\(place)"))]),
        ]
        guard let change = changes.randomElement(using: &random) else { return }
        _ = try? device.append([change], wall: bench.wall)
    }

    /// Lowers, removes, accepts or admits again, from the last batches or from any before.
    private func judge(
        _ key: DeviceKey, by owner: TestRoom, _ bench: Bench, _ random: inout SeededRandom
    ) throws {
        let after = owner.authority.latest(about: key)
        let author = try owner.number(of: key)
        let held = owner.heads(of: key)
        func heads(_ kind: LogKind) throws -> [LogHead] {
            let heads = held.heads(in: kind)
            guard let last = heads.map(\.number).max(), Bool.random(using: &random) else {
                return heads
            }
            return try owner.rows(
                "SELECT number, id FROM _batch WHERE author = ?1 AND kind = ?2 AND number = ?3 LIMIT 1",
                .integer(author), .integer(Int64(kind.rawValue)),
                .integer(Int64(UInt64.random(in: 0...last, using: &random)))
            ).compactMap { row in
                guard case .integer(let number) = row[0], case .blob(let id) = row[1],
                    let digest = Digest(id)
                else { return nil }
                return LogHead(number: UInt64(number), batch: BatchID(digest))
            }
        }
        let covered = CoveredHeads(control: try heads(.control), records: try heads(.records))
        let roles: [Role] = [.owner, .owner, .editor, .collector, .viewer]
        guard let role = roles.randomElement(using: &random),
            let granted = roles.randomElement(using: &random)
        else { return }
        let operations: [ControlOperation] = [
            .removal(Removal(subject: key, heads: covered, supersedes: after, reason: "lost")),
            .roleChange(
                RoleChange(subject: key, role: role, heads: covered, supersedes: after)),
            .accept(Acceptance(subject: key, heads: covered)),
            .accept(
                Acceptance(
                    subject: key,
                    heads: CoveredHeads(
                        control: [], records: try owner.refusals(of: key).heads))),
            .grant(
                Grant(
                    subject: key, role: granted, firstControl: 1, firstRecords: 1,
                    supersedes: after)),
        ]
        guard let operation = operations.randomElement(using: &random) else { return }
        _ = try? owner.sealControl([operation], wall: bench.wall)
    }

    /// A batch that its author signed and no honest program makes.
    private func forge(
        _ device: TestRoom, _ definitions: [OperationName], _ bench: Bench,
        _ random: inout SeededRandom
    ) throws -> [Batch] {
        guard let form = definitions.first, let head = try device.ownHead(.records) else {
            return []
        }
        let other = bench.founder.identity.key
        let mine = device.identity.key
        let parent = OperationName(batch: head.batch, index: 0)
        let clock = Timestamp.latest
        let id = RecordID(high: 1, low: UInt64.random(in: 0...3, using: &random))
        func block(
            _ kind: RecordsBlock.Kind, _ creator: Int32, _ cells: [Cell], fields: [Int], at: Int
        ) -> Body.Block {
            .records(
                RecordsBlock(
                    kind: kind, firstIndex: at, form: form, fields: fields,
                    creators: [mine, other].count == 2 && mine != other ? [mine, other] : [mine],
                    rows: [
                        RecordsBlock.Row(
                            id: id, clock: clock, creator: mine == other ? 0 : creator,
                            parents: kind == .put ? 0..<0 : 0..<1)
                    ], parents: kind == .put ? [] : [parent], cells: cells, storage: []))
        }
        var blocks = [
            block(.put, 0, [.integer(Int64.random(in: 0...9, using: &random))], fields: [1], at: 0),
            block(.edit, 1, [.integer(7)], fields: [1], at: 1),
            block(.put, 0, [.integer(1)], fields: [0], at: 2),
            block(.edit, 0, [.integer(5)], fields: [1], at: 3),
            block(.delete, 0, [], fields: [], at: 4),
        ].shuffled(using: &random)
        blocks.removeLast(Int.random(in: 0...3, using: &random))
        let fork = Bool.random(using: &random)
        let number = fork ? max(head.number, 1) : head.number + 1
        var previous = head.batch
        if fork {
            guard
                case .blob(let bytes)? = try device.row(
                    "SELECT previous FROM _batch WHERE id = ?1", .blob(head.batch.bytes))?.first,
                let digest = Digest(bytes)
            else { return [] }
            previous = BatchID(digest)
            blocks = blocks.filter { block in
                if case .records(let block) = block { return block.kind == .put }
                return false
            }
            if blocks.isEmpty { return [] }
        }
        return [
            Batch.seal(
                room: bench.founding.room, kind: .records, number: number, previous: previous,
                clock: clock, blocks: blocks, by: device.identity)
        ]
    }
}
