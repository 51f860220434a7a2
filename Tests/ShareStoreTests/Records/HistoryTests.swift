import ShareCore
import ShareCrypto
import Testing

@testable import ShareStore

/// What a history says: who, what from what, and that it was really looked up.
struct HistoryTests {
    private func lines(_ history: [RecordHistory]) -> [String] {
        history.map { entry in
            let changes = entry.changes.map {
                "\($0.field.name) \(ConflictBench.text($0.before))->\(ConflictBench.text($0.after))"
            }
            var line = "\(entry.kind): " + changes.joined(separator: ", ")
            if let deletion = entry.deletion { line += "\(deletion.before)->\(deletion.after)" }
            if let review = entry.review {
                line += "\(review.before ?? "-")->\(review.after ?? "-")"
            }
            return line
        }
    }

    @Test func `each version is told against what its author had, on all branches`() throws {
        let room = try ConflictBench(editors: 2)
        try room.edit(0, [0: .text("Sarah"), 1: .integer(31)])
        try room.edit(1, [0: .text("Zara")])
        try room.edit(1, [0: .text("Zarah"), 2: .decimal(2)])
        try room.exchange()
        try room.edit(2, [0: .text("Sara"), 1: .absent])
        try room.change(2, .review(room.record, state: "approved", note: "good"))
        try room.change(2, .delete(room.record))
        try room.change(2, .comment(room.record, text: "twice"))
        try room.exchange()
        for device in room.devices {
            let history = try device.history(of: room.record, limit: 100)
            #expect(
                lines(history) == [
                    "put: age -->30, name -->Sara", "edit: age 30->31, name Sara->Sarah",
                    "edit: name Sara->Zara", "edit: name Zara->Zarah, weight -->2.0",
                    "edit: age 31->-, name Zarah->Sara", "review: -->approved",
                    "delete: false->true", "comment: ",
                ])
            #expect(history.map(\.parallel.count) == [0, 2, 1, 1, 0, 0, 0, 0])
            #expect(history.map(\.parents.count) == [0, 1, 1, 1, 2, 1, 1, 1])
            #expect(
                history.map(\.isHead) == [false, false, false, false, false, false, true, false])
            #expect(history.map(\.note) == [nil, nil, nil, nil, nil, "good", nil, "twice"])
            #expect(history.allSatisfy { $0.isVerified && !$0.isPending })
            #expect(
                try device.history(of: room.record, limit: 3).map(\.kind)
                    == [.review, .delete, .comment])
        }
    }

    @Test func `what is not pushed is not verified, and is after that`() throws {
        let room = try ConflictBench(editors: 0)
        let plain = try room[0].append(
            [room.bench.row(room.form, "Mary", 4)], wall: room.bench.wall)[0]
        try room.edit(0, [1: .integer(31)])
        for name in [plain, room.record] {
            let last = try #require(try room[0].history(of: name, limit: 10).last)
            #expect(last.isPending && !last.isVerified)
        }
        _ = try room[0].seal(wall: room.bench.wall)
        for name in [plain, room.record] {
            #expect(try room[0].history(of: name, limit: 10).allSatisfy(\.isVerified))
        }
    }

    /// Changes somebody can make to the file with any SQLite tool.
    enum Tampering: String, CaseIterable, CustomTestStringConvertible {
        case row = "UPDATE visit SET age = 99 WHERE name = 'Mary'"
        case version = """
            UPDATE _version SET clock = clock + 1 WHERE kind = 34
            """
        /// The last byte of a signature is at most 16.
        case signature = """
            UPDATE _batch SET bytes = CAST(substr(bytes, 1, length(bytes) - 1) || x'ff' AS BLOB)
            WHERE kind = 1
            """
        case swapped = """
            UPDATE _batch SET bytes = (SELECT bytes FROM _batch WHERE kind = 0 AND number = 2)
            WHERE kind = 1
            """
        case missing = "UPDATE _batch SET bytes = x'' WHERE kind = 1"

        var testDescription: String { "\(self)" }
    }

    @Test(arguments: Tampering.allCases)
    func `a file that was tampered with is found out`(_ tampering: Tampering) throws {
        let room = try ConflictBench(editors: 1)
        let plain = try room[0].append(
            [room.bench.row(room.form, "Mary", 4)], wall: room.bench.wall)[0]
        try room.edit(0, [1: .integer(31)])
        try room.exchange()
        #expect(try room[0].history(of: plain, limit: 10).allSatisfy(\.isVerified))
        try room[0].execute(tampering.rawValue)
        let names: [RecordName] =
            switch tampering {
            case .row: [plain]
            case .version: [room.record]
            case .signature, .swapped, .missing: [plain, room.record]
            }
        for name in names {
            let history = try room[0].history(of: name, limit: 10)
            #expect(history.contains { !$0.isVerified })
        }
    }

    @Test func `what the author may not do is shown, marked, and counts for nothing`() throws {
        let room = try ConflictBench(editors: 0, roles: [.collector])
        let collector = room[1]
        let head = try #require(try room[0].ownHead(.records))
        let parent = OperationName(batch: head.batch, index: 0)
        func block(_ kind: RecordsBlock.Kind, _ cells: [Cell], at index: Int) -> RecordsBlock {
            RecordsBlock(
                kind: kind, firstIndex: index, form: room.form,
                fields: kind == .edit ? [1] : [],
                creators: [collector.identity.key, room[0].identity.key],
                rows: [
                    RecordsBlock.Row(
                        id: room.record.id, clock: .latest, creator: 1, parents: 0..<1)
                ], parents: [parent], cells: cells, storage: [])
        }
        let forged = room.bench.sealed(
            [block(.edit, [.integer(1)], at: 0), block(.delete, [], at: 1)],
            by: collector.identity)
        let report = try room[0].merge([IncomingBatch(forged)])
        #expect(report.changes.refused.map(\.what) == ["delete", "edit"])
        #expect(report.changes.refused.allSatisfy { $0.refusal == .role && $0.count == 1 })
        #expect(report.changes.records == [])
        let history = try room[0].history(of: room.record, limit: 10)
        #expect(history.map(\.refusal) == [nil, .role, .role])
        #expect(history.map(\.isVerified) == [true, false, false])
        #expect(lines(history)[1] == "edit: age 30->1")
        #expect(try room[0].counts().conflicts == 0)

        // The same after a rebuild, and gone once the author may.
        try room[0].rebuild()
        #expect(try room[0].history(of: room.record, limit: 10).compactMap(\.refusal).count == 2)
        let key = collector.identity.key
        let after = room[0].authority.latest(about: key)
        _ = try room[0].sealControl(
            [
                .grant(
                    Grant(
                        subject: key, role: .editor, firstControl: 1, firstRecords: 1,
                        supersedes: after
                    ))
            ], wall: room.bench.wall)
        #expect(try room[0].history(of: room.record, limit: 10).compactMap(\.refusal) == [])
        #expect(try room[0].detail(of: room.record).isDeleted)
    }

    @Test func `a long history with many joins is still told`() throws {
        let room = try ConflictBench(editors: 1)
        for step in 0..<20 {
            try room.edit(0, [1: .integer(Int64(step))])
            try room.edit(1, [0: .text("\(step)")])
            try room.exchange()
        }
        let history = try room[1].history(of: room.record, limit: 100)
        #expect(history.count == 41)
        #expect(history.dropFirst(3).allSatisfy { $0.parents.count == 2 && $0.parallel.count == 1 })
        #expect(lines(history).suffix(2) == ["edit: age 18->19", "edit: name 18->19"])
    }

    @Test func `a deleted record is found by the end of its id`() async throws {
        let room = try ConflictBench(editors: 0)
        let other = try room[0].append(
            [room.bench.row(room.form, "Mary", 4)], wall: room.bench.wall)[0]
        try room.change(0, .delete(room.record))
        let reader = try RoomReader(path: room[0].path)
        let forms = room[0].forms()
        let id = room.record.id.text
        let device = room.record.creator.short
        for text in [id, String(id.suffix(8)), id.uppercased(), "\(id.suffix(12))@\(device)"] {
            #expect(try await reader.find(text, in: forms, deleted: true) == room.record)
            await #expect(throws: StoreError.unknownRecord(text)) {
                try await reader.find(text, in: forms)
            }
        }
        #expect(try await reader.find(other.id.text, in: forms, deleted: true) == other)
        for text in ["\(id.suffix(8))@aaaaaaaa", "00000000", "", "@", "xyz"] {
            await #expect(throws: StoreError.unknownRecord(text)) {
                try await reader.find(text, in: forms, deleted: true)
            }
        }
    }

    @Test func `several that end alike have to be told apart, deleted or not`() async throws {
        let room = try ConflictBench(editors: 1)
        let id = RecordID(high: 7, low: 9)
        for (place, device) in room.devices.enumerated() {
            let head = try device.ownHead(.records)
            let batch = room.bench.sealed(
                [
                    RecordsBlock(
                        kind: .put, firstIndex: 0, form: room.form, fields: [1],
                        creators: [device.identity.key],
                        rows: [
                            RecordsBlock.Row(id: id, clock: .latest, creator: 0, parents: 0..<0)
                        ], parents: [], cells: [.integer(Int64(place))], storage: [])
                ], number: (head?.number ?? 0) + 1, after: head?.batch, by: device.identity)
            try Bench.merge([batch], into: room[0])
        }
        let names = room.devices.map {
            RecordName(form: room.record.form, creator: $0.identity.key, id: id)
        }
        let reader = try RoomReader(path: room[0].path)
        let forms = room[0].forms()
        for isDeleted in [false, true] {
            if isDeleted { try room.change(0, .delete(names[1])) }
            for text in [id.text, "00000009"] {
                let error = await #expect(throws: StoreError.self) {
                    try await reader.find(text, in: forms, deleted: true)
                }
                guard case .ambiguousRecord(let found)? = error else {
                    Issue.record("\(String(describing: error))")
                    continue
                }
                #expect(Set(found) == Set(names))
                for name in names {
                    let whole = "\(text)@\(name.creator.short)"
                    #expect(try await reader.find(whole, in: forms, deleted: true) == name)
                }
            }
        }
    }
}
