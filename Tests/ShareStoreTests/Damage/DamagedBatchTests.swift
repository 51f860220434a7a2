import Foundation
import ShareCore
import ShareCrypto
import ShareTestKit
import Testing

@testable import ShareStore

/// Batches that are not as they were signed, and logs that lack some.
struct DamagedBatchTests {
    @Test func `a batch with one flipped bit is found, taken out, and comes back from others`()
        async throws
    {
        let ward = try CheckWard()
        let digest = ward.store.digest
        let sound = try Bench.batches(of: ward.store)
        for victim in sound.dropFirst() {
            let id = victim.id.bytes.map { String(format: "%02x", $0) }.joined()
            let place = victim.bytes.count * 2 / 3
            let byte = String(format: "%02x", victim.bytes[place] ^ 0x10)
            let sql = """
                UPDATE _batch SET bytes = CAST(substr(bytes, 1, \(place)) || x'\(byte)'
                || substr(bytes, \(place + 2)) AS BLOB) WHERE id = x'\(id)'
                """
            try ward.store.damageFile(sql)
            let findings = try await ward.check()
            #expect(
                findings.contains { $0.place.hasPrefix("_batch ") && $0.what.contains("damaged") },
                "\(findings)")
            let store = try await ward.store.rebuilt()
            #expect(try store.row(of: victim.id) == nil)
            // What came after it waits, and is not lost.
            let waiting = sound.filter {
                $0.log == victim.log && $0.number > victim.number
            }
            for batch in waiting {
                let isHeld = try store.row(of: batch.id) != nil
                let isBehind = try store.integer(
                    "SELECT 1 FROM _orphan WHERE id = ?1", .blob(batch.id.bytes))
                #expect(isHeld || isBehind != nil, "\(batch.number)")
            }
            #expect(
                try await CheckTests.check(store).allSatisfy { $0.hint.contains("shared sync") })
            // The one batch alone, as a peer gives it.
            try Bench.merge([victim], into: store)
            #expect(try await CheckTests.check(store) == [])
            #expect(store.digest == digest, "\(victim.kind) \(victim.number)")
            try ward.store.reload()
        }
    }

    @Test(arguments: LogKind.allCases)
    func `a signed batch is held whatever is noted beside it`(kind: LogKind) async throws {
        let bench = try Bench()
        let form = try bench.addForm()
        for name in ["Ann", "Bo"] {
            try bench.founder.append([bench.row(form, name, 1)], wall: bench.wall)
            _ = try bench.founder.seal(wall: bench.wall)
        }
        let held = try Bench.batches(of: bench.founder).map(\.id)
        let path = bench.founder.path
        let store = try RoomStore(path: path, identity: bench.founder.identity)
        try bench.founder.damageFile(
            """
            UPDATE _batch SET state = 1 WHERE batch = (
                SELECT max(batch) FROM _batch WHERE kind = \(kind.rawValue))
            """)
        let check = try await store.check()
        let findings = try await check.run(scratch: path + ".check") { _, _ in }
        #expect(findings.contains { $0.what == "is noted as another than it is" }, "\(findings)")
        let report = try await store.rebuild()
        #expect(report.lost.isEmpty && report.kept == nil)
        let again = try TestRoom(path: path, identity: bench.founder.identity)
        #expect(try Bench.batches(of: again).map(\.id) == held)
        #expect(try await CheckTests.check(again) == [])
    }

    @Test func `an orphan whose bytes have gone bad goes, and everything else is merged`()
        async throws
    {
        let ward = try CheckWard()
        let digest = ward.store.digest
        let sound = try Bench.batches(of: ward.store)
        try ward.store.damageFile(
            "DELETE FROM _batch WHERE kind = 1 AND number < 4 AND author = 2")
        let store = try await ward.store.rebuilt()
        #expect(try store.integer("SELECT count(*) FROM _orphan") ?? 0 > 1)
        try store.damageFile(
            "UPDATE _orphan SET bytes = x'00' WHERE orphan = (SELECT min(orphan) FROM _orphan)")
        try store.reload()
        try Bench.merge(sound, into: store)
        #expect(try store.integer("SELECT count(*) FROM _orphan") == 0)
        #expect(try await CheckTests.check(store) == [])
        #expect(store.digest == digest)
    }

    @Test func `a log that lost its beginning waits for it`() async throws {
        let ward = try CheckWard()
        let digest = ward.store.digest
        let sound = try Bench.batches(of: ward.store)
        try ward.store.damageFile(
            "DELETE FROM _batch WHERE kind = 1 AND number < 4 AND author = 2")
        let findings = try await ward.check()
        #expect(findings.contains { $0.what == "lacks the batch before it" }, "\(findings)")
        let store = try await ward.store.rebuilt()
        try Bench.merge(sound, into: store)
        #expect(try await CheckTests.check(store) == [])
        #expect(store.digest == digest)
    }

    @Test func `an entry that cannot be read any more is told, and the others stay`() async throws {
        let ward = try CheckWard()
        try ward.store.damageFile("UPDATE _pending SET block = x'ff'")
        let findings = try await ward.check()
        #expect(findings.contains { $0.place.hasPrefix("_pending ") }, "\(findings)")
        #expect(findings.contains { $0.hint.contains("enter it again") })
        let store = try await ward.store.rebuilt()
        #expect(try await CheckTests.check(store) == [])
        #expect(try store.counts().pending == 0)
    }

    @Test func `a founding batch that is damaged is told as what it is`() async throws {
        let ward = try CheckWard()
        try ward.store.damageFile("UPDATE _batch SET bytes = zeroblob(200) WHERE batch = 1")
        let findings = try await ward.check()
        #expect(findings.contains { $0.what.contains("founded the room is missing") })
        let path = ward.bench.scratch.path("torn.sqlite")
        try FileManager.default.copyItem(atPath: ward.store.path, toPath: path)
        try FileManager.default.copyItem(atPath: ward.store.path + "-wal", toPath: path + "-wal")
        #expect(throws: StoreError.unusable) {
            try RoomStore.mend(path: path, room: ward.store.room, identity: ward.store.identity)
        }
        #expect(FileManager.default.fileExists(atPath: path))
    }

    @Test func `a body that the disk has changed is no verdict`() throws {
        let bench = try Bench()
        let form = try bench.addForm()
        try bench.founder.append([bench.row(form, "Ann", 1)], wall: bench.wall)
        let batch = try #require(try bench.founder.seal(wall: bench.wall).first)
        let log = bench.founder.file.room.log
        let held = try #require(
            try log.heldBatches("WHERE b.id = ?1", .blob(batch.id.bytes)).first)
        #expect(try log.body(of: held) != nil)
        let middle = batch.bytes.count / 2
        try bench.founder.damageFile(
            """
            UPDATE _batch SET bytes = CAST(substr(bytes, 1, \(middle)) || x'000000000000'
                || substr(bytes, \(middle + 7)) AS BLOB) WHERE batch = \(held.batch)
            """)
        let error = #expect(throws: StoreError.self) { try log.body(of: held) }
        guard case .damaged(let what)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(what.hasPrefix("batch \(held.batch): "), "\(what)")
    }
}
