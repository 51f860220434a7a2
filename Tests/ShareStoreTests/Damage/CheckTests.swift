import Foundation
import ShareCore
import ShareCrypto
import ShareTestKit
import Testing

@testable import ShareStore

/// Every kind of damage to a room's file is found, and what the finding says to do mends it.
struct CheckTests {
    static func check(_ store: TestRoom) async throws -> [StoreFinding] {
        let findings = try await RoomCheck(
            path: store.path, room: store.room, identity: store.identity
        ).run(scratch: store.path + ".check") { _, _ in }
        for finding in findings.prefix(8) { print("finding: \(finding.place): \(finding.what)") }
        return findings
    }

    @Test func `a sound room has no findings, whatever happened in it`() async throws {
        let ward = try CheckWard()
        let counts = try ward.store.counts()
        #expect(counts.conflicts > 0 && counts.refused > 0 && counts.waiting > 0)
        #expect(try await ward.check() == [])
        for round in 0..<6 {
            var random = SeededRandom(seed: AnyOrderTests.seed &+ UInt64(round))
            let bench = try Bench()
            let batches = try AnyOrderTests().story(bench, &random)
            for _ in 0..<3 {
                try Bench.merge(batches.shuffled(using: &random), into: bench.founder)
            }
            let findings = try await CheckTests.check(bench.founder)
            #expect(findings == [], "seed \(AnyOrderTests.seed) round \(round): \(findings)")
        }
    }

    /// Damage to what follows from the batches, and where it must be found.
    static let derived: [(sql: String, place: String)] = [
        ("UPDATE visit SET age = age + 1 WHERE rowid = 2", "visit "),
        ("UPDATE visit SET name = NULL WHERE rowid = 1", "visit "),
        ("UPDATE visit SET _updated = _updated + 1 WHERE rowid = 1", "visit "),
        ("DELETE FROM visit WHERE rowid = 3", "visit "),
        (
            "INSERT INTO visit(_id, _author, _created, _updated, _version, _clock, name)"
                + " VALUES('x', 1, 1, 1, 1, 1, 'nobody')", "visit x"
        ),
        ("DROP TABLE visit", "visit"),
        ("DROP VIEW visit_view; ALTER TABLE visit DROP COLUMN weight", "visit"),
        ("DROP VIEW visit_view", "visit_view"),
        ("UPDATE visit SET _author = _author + 1", "visit "),
        ("UPDATE _device SET id = 'dev:x' WHERE device = 1", "_device "),
        ("UPDATE _refused SET reason = 'forked' WHERE reason = 'role'", "_refused "),
        ("DELETE FROM _refused", "_refused "), ("DELETE FROM _waiting", "_waiting "),
        ("UPDATE _waiting SET reason = 'author'", "_waiting "),
        ("UPDATE _member SET role = 6", "_member "), ("DELETE FROM _member", "_member "),
        ("UPDATE _definition SET in_force = 1 - in_force", "_definition "),
        ("UPDATE _definition SET verdict = 'role'", "_definition "),
        ("UPDATE _judged SET standing = 'owner'", "_judged "),
        ("DELETE FROM _uses", "_uses "), ("UPDATE _form SET records = 0", "_form "),
        ("UPDATE _form SET table_name = table_name || 'x'", "_form "),
        ("DELETE FROM _form", "_form "), ("DELETE FROM _field", "_field "),
        ("DELETE FROM _conflict", "_conflict "),
        ("UPDATE _version SET clock = clock + 1", "_version "),
        ("DELETE FROM _version", "_version "), ("DELETE FROM _record", "_record "),
        ("UPDATE _meta SET value = zeroblob(32) WHERE key = 'records_digest'", "_meta"),
        ("UPDATE _meta SET value = 1 WHERE key = 'clock'", "_meta"),
        ("DELETE FROM _meta", "_meta"),
    ]

    /// Damage to what notes the batches: heads, numbers, indexes.
    static let noted: [(sql: String, place: String)] = [
        ("UPDATE _head SET number = number + 1", "_head "), ("DELETE FROM _head", "_head "),
        ("UPDATE _log SET operations = 0", "_log "), ("DELETE FROM _log", "_log "),
        ("DROP INDEX _batch_log", "_batch_log"), ("DROP INDEX _record_name", "_record_name"),
        ("DROP TABLE _conflict", "_conflict"),
        ("UPDATE _batch SET number = 7 WHERE number = 3 AND kind = 1", "_batch "),
        ("UPDATE _batch SET clock = 5 WHERE number = 3", "_batch "),
        ("UPDATE _batch SET operations = 5 WHERE number = 3", "_batch "),
        ("UPDATE _batch SET id = randomblob(32) WHERE number = 3 AND kind = 1", "_batch "),
        ("UPDATE _batch SET author = 1 WHERE kind = 1", "_batch "),
        ("UPDATE _batch SET batch = batch + (1 << 60) WHERE number = 3 AND kind = 1", "_batch "),
        ("UPDATE _batch SET batch = -batch WHERE kind = 0", "_batch "),
        ("UPDATE _device SET key = randomblob(32) WHERE device = 2", "_"),
        ("UPDATE _delivered SET number = 5", "_delivered"),
        ("UPDATE _quarantine SET bytes = x'00'", "_quarantine"),
        (
            "CREATE TRIGGER planted AFTER INSERT ON _meta BEGIN DELETE FROM _refused; END",
            "trigger planted"
        ),
    ]

    @Test(arguments: derived + noted)
    func `changed tables and wrong notes are found, and a rebuild mends them`(
        _ damage: (sql: String, place: String)
    ) async throws {
        let ward = try CheckWard()
        let digest = ward.store.digest
        try ward.store.damageFile(damage.sql)
        let findings = try await ward.check()
        #expect(findings.contains { $0.place.hasPrefix(damage.place) }, "\(findings)")
        #expect(findings.allSatisfy { $0.hint.contains("shared rebuild") }, "\(findings)")
        let store = try await ward.store.rebuilt()
        #expect(try await CheckTests.check(store) == [])
        #expect(store.digest == digest)
        #expect(try store.counts().pending == 1)
    }

    @Test func `a check that is cancelled ends, and leaves no file`() async throws {
        let ward = try CheckWard()
        let check = try RoomCheck(
            path: ward.store.path, room: ward.store.room, identity: ward.store.identity)
        let scratch = ward.store.path + ".check"
        let task = Task { try await check.run(scratch: scratch) { _, _ in } }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(!FileManager.default.fileExists(atPath: scratch))
    }

    @Test func `a check sees one moment, whatever is written meanwhile`() async throws {
        let ward = try CheckWard()
        let check = try RoomCheck(
            path: ward.store.path, room: ward.store.room, identity: ward.store.identity)
        let form = try #require(
            ward.store.catalog.definitions.values.first { $0.form.formID == "visit" })
        try ward.store.append([ward.bench.row(form.name, "later", 1)], wall: ward.bench.wall)
        _ = try ward.store.seal(wall: ward.bench.wall)
        #expect(try await check.run(scratch: ward.store.path + ".check") { _, _ in } == [])
    }

    // MARK: Tools
}
