import Foundation
import ShareCore
import ShareCrypto
import ShareTestKit
import Synchronization
import Testing

@testable import ShareStore

struct RowFollowerTests {
    @Test func `what is derived is what the rows come to, whatever happened on the way`() throws {
        var random = SeededRandom(seed: TestSeed.printed())
        for _ in 0..<6 {
            let story = try FollowedStory()
            for _ in 0..<60 { try story.act(&random) }
            try story.finish()
        }
    }

    @Test func `numbers of rows that are gone may be given out again`() throws {
        let story = try FollowedStory()
        let names = try story.add(12)
        try story.follow()
        try story.follow()
        // One in the middle; then the last two, so that the middle one's number is free as well.
        for gone in [[7, 6], [9, 8, 11, 10]] {
            try story.bench.founder.append(
                gone.map { .delete(names[$0]) }, wall: story.bench.wall)
            if gone.count == 2 { try story.follow() }
        }
        try story.add(9)
        try story.finish()
    }

    @Test func `a follower that missed changes begins anew`() throws {
        let story = try FollowedStory()
        let names = try story.add(3)
        try story.follow()
        try story.bench.founder.append([.delete(names[0])], wall: story.bench.wall)
        // As if very many rows had changed meanwhile: the line of the deleted one is not kept.
        try TouchedRows(database: story.bench.founder.file.database).beginAnew()
        #expect(try story.derived().count == 3)
        try story.finish()
        #expect(try story.derived().count == 2)
    }

    @Test func `lines of changed rows are bounded`() throws {
        let story = try FollowedStory()
        let names = try story.add(2)
        let founder = story.bench.founder
        let top = Int64(try founder.integer("SELECT max(touch) FROM _touched") ?? 0)
        try founder.execute(
            "INSERT INTO _touched VALUES(\(top + Int64(TouchedRows.kept) + 500), 1, 1)")
        try founder.append([.delete(names[0])], wall: story.bench.wall)
        #expect(
            try founder.integer(
                "SELECT max(touch) - min(touch) < \(TouchedRows.kept) FROM _touched") == 1)
        try story.finish()
    }

    @Test(arguments: [(rows: 600, bytes: 10), (rows: 14, bytes: 700_000)])
    func `however many rows have changed, some are in memory at once`(rows: Int, bytes: Int) throws
    {
        let story = try FollowedStory()
        let names = try story.add(rows)
        let founder = story.bench.founder
        let text = String(repeating: "x", count: bytes)
        func follow() throws -> (parts: [Int], most: Int) {
            let derivation = CountingDerivation()
            let files = try FollowedFiles(room: founder.path, NamesDerivation())
            while try files.step(founder.forms(), derivation) {}
            return derivation.parts.withLock { ($0.map(\.count), $0.map(\.bytes).max() ?? 0) }
        }
        #expect(try follow().parts.reduce(0, +) == rows)
        for name in names {
            try founder.append(
                [
                    .edit(
                        name,
                        definition: try #require(
                            founder.forms().first {
                                $0.formID == name.form
                            }
                        ).definition, values: [.init(field: 0, value: .text(text))])
                ], wall: story.bench.wall)
        }
        let changed = try follow()
        #expect(changed.parts.reduce(0, +) == rows && changed.parts.count > 2)
        #expect(changed.parts.allSatisfy { $0 <= FollowedFiles.rowsInMemory })
        #expect(changed.most < FollowedFiles.bytesInMemory + 800_000)
        story.close()
        RoomFiles.remove(FollowedFiles.path(besides: founder.path, "names"))
        let anew = try follow()
        #expect(anew.parts.reduce(0, +) == rows)
        #expect(anew.most < FollowedFiles.bytesInMemory + 800_000)
    }

    @Test func `new rows leave no trace in the room's file`() throws {
        let story = try FollowedStory()
        let before = try story.bench.founder.integer("SELECT count(*) FROM _touched")
        try story.add(50)
        _ = try story.bench.founder.seal(wall: story.bench.wall)
        #expect(try story.bench.founder.integer("SELECT count(*) FROM _touched") == before)
    }

    @Test func `a derived file that is damaged, or of another kind, is made anew`() async throws {
        let story = try FollowedStory()
        try story.add(5)
        try story.follow()
        story.close()
        let path = FollowedFiles.path(besides: story.bench.founder.path, "names")
        RoomFiles.remove(path)
        try Data(repeating: 7, count: 50_000).write(to: URL(fileURLWithPath: path))
        try story.finish()
        let follower = RowFollower(
            path: story.bench.founder.path, NamesDerivation(more: "CREATE TABLE other(x);"))
        while try await follower.step(story.bench.founder.forms()) {}
        #expect(
            try await follower.read { try $0.derived.integer("SELECT count(*) FROM name") } == 5)
    }

    @Test func `who reads a derived file that is damaged sees it made anew`() async throws {
        let story = try FollowedStory()
        try story.add(5)
        try story.follow()
        story.close()
        let path = FollowedFiles.path(besides: story.bench.founder.path, "names")
        // The header stays, so that it opens.
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        let size = try file.seekToEnd()
        try file.seek(toOffset: 100)
        try file.write(contentsOf: Data(repeating: 7, count: Int(size) - 100))
        try file.close()
        let follower = RowFollower(path: story.bench.founder.path, NamesDerivation())
        let count = try await follower.read {
            try $0.derived.integer("SELECT count(*) FROM name")
        }
        #expect(count == 0)
        while try await follower.step(story.bench.founder.forms()) {}
        #expect(
            try await follower.read { try $0.derived.integer("SELECT count(*) FROM name") } == 5)
    }
}

/// The name field of each row.
struct NamesDerivation: RowDerivation {
    var more = ""
    let suffix = "names"
    var tables: String {
        "CREATE TABLE name(form INTEGER, row INTEGER, text TEXT, PRIMARY KEY(form, row));" + more
    }

    func basis(of form: FormInfo) -> String { "\(form.definition)" }

    func add(_ rows: [FollowedRow], of form: FormInfo, to file: Database) throws {
        for row in rows {
            try file.run(
                "INSERT INTO name VALUES(?1, ?2, ?3)", .integer(form.number), .integer(row.row),
                .text("\(row.record.values)"))
        }
    }

    func remove(_ rows: [Int64], of form: Int64, from file: Database) throws {
        for row in rows {
            try file.run(
                "DELETE FROM name WHERE form = ?1 AND row = ?2", .integer(form), .integer(row))
        }
    }

    func removeAll(of form: Int64, from file: Database) throws {
        try file.run("DELETE FROM name WHERE form = ?1", .integer(form))
    }
}

/// Notes how many rows it is given at once.
private struct CountingDerivation: RowDerivation {
    final class Parts: Sendable {
        private let parts = Mutex<[(count: Int, bytes: Int)]>([])

        func withLock<R: Sendable>(_ body: ([(count: Int, bytes: Int)]) -> R) -> R {
            parts.withLock { body($0) }
        }
        func note(_ rows: [FollowedRow]) {
            parts.withLock { $0.append((rows.count, rows.reduce(0) { $0 + $1.bytes })) }
        }
    }

    let parts = Parts()
    private let names = NamesDerivation()
    var suffix: String { names.suffix }
    var tables: String { names.tables }

    func basis(of form: FormInfo) -> String { names.basis(of: form) }
    func add(_ rows: [FollowedRow], of form: FormInfo, to file: Database) throws {
        parts.note(rows)
    }
    func remove(_ rows: [Int64], of form: Int64, from file: Database) throws {}
    func removeAll(of form: Int64, from file: Database) throws {}
}

/// Rows that change while somebody follows them.
final class FollowedStory {
    let bench: Bench
    private var forms: [OperationName]
    /// What the member knows of: no version of a form that came later.
    private let first: [OperationName]
    private let member: TestRoom
    private var names: [RecordName] = []
    private var deleted: [RecordName] = []
    private var version = 1
    private var count = 0
    private var files: FollowedFiles?
    private let path: String

    init() throws {
        bench = try Bench()
        forms = [try bench.addForm(), try bench.addForm("other")]
        first = forms
        member = try bench.device(.collector)
        try Bench.merge(Bench.batches(of: bench.founder), into: member)
        path = FollowedFiles.path(besides: bench.founder.path, "names")
    }

    func close() { files = nil }

    @discardableResult
    func add(_ many: Int, by room: TestRoom? = nil) throws -> [RecordName] {
        bench.wall += 1
        let rows = (0..<many).map { _ in
            count += 1
            return bench.row((room == nil ? forms : first)[count % 2], "n\(count)", Int64(count))
        }
        return try (room ?? bench.founder).append(rows, wall: bench.wall)
    }

    func follow() throws {
        let open = try files ?? FollowedFiles(room: bench.founder.path, NamesDerivation())
        files = open
        _ = try open.step(bench.founder.forms(), NamesDerivation())
    }

    func act(_ random: inout SeededRandom) throws {
        let founder = bench.founder
        bench.wall += 1
        switch Int.random(in: 0..<14, using: &random) {
        case 0...2: names += try add(Int.random(in: 1...5, using: &random))
        case 3:
            guard let name = names.randomElement(using: &random) else { return }
            let definition = name.form == "visit" ? forms[0] : forms[1]
            count += 1
            try founder.append(
                [
                    .edit(
                        name, definition: definition,
                        values: [.init(field: 0, value: .text("e\(count)"))])
                ], wall: bench.wall)
        case 4...5:
            guard let place = names.indices.randomElement(using: &random) else { return }
            // Often the last row, whose number is free then.
            let index = Bool.random(using: &random) ? names.count - 1 : place
            deleted.append(names.remove(at: index))
            try founder.append([.delete(deleted[deleted.count - 1])], wall: bench.wall)
        case 6:
            guard let place = deleted.indices.randomElement(using: &random) else { return }
            names.append(deleted.remove(at: place))
            try founder.append([.restore(names[names.count - 1])], wall: bench.wall)
        case 7:
            try add(Int.random(in: 1...40, using: &random), by: member)
            _ = try member.seal(wall: bench.wall)
            try Bench.merge(Bench.batches(of: member), into: founder)
        case 8:
            let isRemoved = founder.isRemoved(member.identity.key)
            if isRemoved {
                try bench.grant(.collector, to: member.identity.key)
            } else {
                try bench.remove(member.identity.key)
            }
            while try founder.reapply() {}
        case 9:
            version += 1
            let extra = FormField(name: "extra\(version)", type: .text)
            forms[0] = try bench.addForm(
                "visit", Bench.fields + [extra], version: "\(version)")
        case 10: if Int.random(in: 0..<4, using: &random) == 0 { try founder.rebuild() }
        case 11:
            // As a power cut may leave it: an earlier state of the derived file.
            close()
            let kept = path + ".kept"
            if FileManager.default.fileExists(atPath: kept) {
                RoomFiles.remove(path)
                try FileManager.default.moveItem(atPath: kept, toPath: path)
            } else if FileManager.default.fileExists(atPath: path) {
                try FileManager.default.copyItem(atPath: path, toPath: kept)
            }
        default: try follow()
        }
    }

    func derived() throws -> [[SQLValue]] {
        let open = try files ?? FollowedFiles(room: bench.founder.path, NamesDerivation())
        files = open
        return try open.derived.rows("SELECT form, row, text FROM name ORDER BY 1, 2")
    }

    /// Follows to the end; what is derived is then what the rows come to.
    func finish() throws {
        let open = try files ?? FollowedFiles(room: bench.founder.path, NamesDerivation())
        files = open
        let forms = bench.founder.forms()
        while try open.step(forms, NamesDerivation()) {}
        var expected: [[SQLValue]] = []
        for form in forms.sorted(by: { $0.number < $1.number }) {
            #expect(try open.behind(form) == 0)
            for row in try open.unfollowed(form, after: 0, limit: 100_000).rows {
                expected.append(
                    [
                        .integer(form.number), .integer(row.row),
                        .text("\(row.record.values)"),
                    ])
            }
        }
        let found = try derived()
        #expect(found == expected)
    }
}
