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
        try damageFile(ward.store, damage.sql)
        let findings = try await ward.check()
        #expect(findings.contains { $0.place.hasPrefix(damage.place) }, "\(findings)")
        #expect(findings.allSatisfy { $0.hint.contains("shared rebuild") }, "\(findings)")
        let store = try await rebuild(ward.store)
        #expect(try await CheckTests.check(store) == [])
        #expect(store.digest == digest)
        #expect(try store.counts().pending == 1)
    }

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
            try damageFile(ward.store, sql)
            let findings = try await ward.check()
            #expect(
                findings.contains { $0.place.hasPrefix("_batch ") && $0.what.contains("damaged") },
                "\(findings)")
            let store = try await rebuild(ward.store)
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

    @Test func `an orphan whose bytes have gone bad goes, and everything else is merged`()
        async throws
    {
        let ward = try CheckWard()
        let digest = ward.store.digest
        let sound = try Bench.batches(of: ward.store)
        try damageFile(
            ward.store, "DELETE FROM _batch WHERE kind = 1 AND number < 4 AND author = 2")
        let store = try await rebuild(ward.store)
        #expect(try store.integer("SELECT count(*) FROM _orphan") ?? 0 > 1)
        try damageFile(
            store,
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
        try damageFile(
            ward.store, "DELETE FROM _batch WHERE kind = 1 AND number < 4 AND author = 2")
        let findings = try await ward.check()
        #expect(findings.contains { $0.what == "lacks the batch before it" }, "\(findings)")
        let store = try await rebuild(ward.store)
        try Bench.merge(sound, into: store)
        #expect(try await CheckTests.check(store) == [])
        #expect(store.digest == digest)
    }

    @Test func `an entry that cannot be read any more is told, and the others stay`() async throws {
        let ward = try CheckWard()
        try damageFile(ward.store, "UPDATE _pending SET block = x'ff'")
        let findings = try await ward.check()
        #expect(findings.contains { $0.place.hasPrefix("_pending ") }, "\(findings)")
        #expect(findings.contains { $0.hint.contains("enter it again") })
        let store = try await rebuild(ward.store)
        #expect(try await CheckTests.check(store) == [])
        #expect(try store.counts().pending == 0)
    }

    @Test func `a founding batch that is damaged is told as what it is`() async throws {
        let ward = try CheckWard()
        try damageFile(ward.store, "UPDATE _batch SET bytes = zeroblob(200) WHERE batch = 1")
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
        try damageFile(
            bench.founder,
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

    @Test(arguments: ["DROP TABLE _batch", "DELETE FROM _batch"])
    func `what is pending is kept where all batches are gone, and counts when they are back`(
        damage: String
    ) async throws {
        let bench = try Bench()
        let form = try bench.addForm()
        let nurse = try bench.device(.collector)
        try Bench.merge(try Bench.batches(of: bench.founder), into: nurse)
        try nurse.append([bench.row(form, "sent", 1)], wall: bench.wall)
        try Bench.merge(try nurse.seal(wall: bench.wall), into: bench.founder)
        for name in ["Ann", "Bo"] {
            try nurse.append([bench.row(form, name, 1)], wall: bench.wall)
        }
        try nurse.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        let path = bench.scratch.path("gone.sqlite")
        try FileManager.default.copyItem(atPath: nurse.path, toPath: path)
        try Database(path: path).execute(damage)
        let mended = try RoomStore.mend(
            path: path, room: nurse.room, identity: nurse.identity,
            founding: Bench.batches(of: bench.founder).first { $0.id.digest == nurse.room.digest })
        #expect(mended.lost.isEmpty && mended.mayLackMembers && mended.kept != nil)
        let again = try TestRoom(path: path, identity: nurse.identity)
        again.isSealingBlocked = true
        #expect(try again.counts().pending == 2)
        for _ in 0..<2 { try Bench.merge(try Bench.batches(of: bench.founder), into: again) }
        again.isSealingBlocked = false
        #expect(try again.rows("SELECT name FROM visit ORDER BY 1") == [["Ann"], ["Bo"], ["sent"]])
        try Bench.merge(try again.seal(wall: bench.wall), into: bench.founder)
        #expect(
            try bench.founder.rows("SELECT name FROM visit ORDER BY 1")
                == [["Ann"], ["Bo"], ["sent"]])
        #expect(try await CheckTests.check(again) == [])
    }

    @Test func `a file that lost its last page, or knows not all of its tables, is made anew`()
        async throws
    {
        let ward = try CheckWard()
        for number in 0..<12 { try ward.bench.addForm("form\(number)", [Bench.fields[0]]) }
        let sound = try Bench.batches(of: ward.store)
        let pending = try ward.store.counts().pending
        #expect(pending > 0)
        _ = try ward.store.rows("PRAGMA wal_checkpoint(TRUNCATE)")
        let whole = try Data(contentsOf: URL(filePath: ward.store.path))
        var files = [("cut", Data(whole.dropLast(4_096)))]
        let pages = try ward.store.rows(
            "SELECT DISTINCT pageno FROM dbstat WHERE name = 'sqlite_schema' AND pageno > 1")
        for case .integer(let page)? in pages.map(\.first) {
            var torn = whole
            torn.replaceSubrange(
                (Int(page) - 1) * 4_096..<Int(page) * 4_096, with: Data(count: 4_096))
            files.append(("torn \(page)", torn))
        }
        var mendedFiles = 0
        for (name, bytes) in files {
            let path = ward.bench.scratch.path(name + ".sqlite")
            try bytes.write(to: URL(filePath: path))
            #expect(throws: (any Error).self) {
                try TestRoom(path: path, identity: ward.store.identity)
            }
            let mended: LostEntries
            do {
                mended = try RoomStore.mend(
                    path: path, room: ward.store.room, identity: ward.store.identity,
                    founding: ward.bench.founding
                ).lost
            } catch StoreError.unusable where name != "cut" {
                // Where the page named `_pending`, all stays as it is.
                #expect(try Data(contentsOf: URL(filePath: path)) == bytes)
                continue
            }
            mendedFiles += 1
            let again = try TestRoom(path: path, identity: ward.store.identity)
            for _ in 0..<2 { try Bench.merge(sound, into: again) }
            #expect(try await CheckTests.check(again) == [], "\(name)")
            let held = Set(try Bench.batches(of: again).map(\.id))
            #expect(held.isSuperset(of: sound.map(\.id)), "\(name)")
            #expect(try again.counts().pending + mended.count >= pending, "\(name)")
        }
        #expect(mendedFiles > 1)
    }

    @Test func `entries that another device has left unsealed are none of this device's`() throws {
        let bench = try Bench()
        let form = try bench.addForm()
        let nurse = try bench.device(.collector)
        try Bench.merge(try Bench.batches(of: bench.founder), into: nurse)
        try nurse.append([bench.row(form, "sent", 1)], wall: bench.wall)
        _ = try nurse.seal(wall: bench.wall)
        try nurse.append([bench.row(form, "hers", 1)], wall: bench.wall)
        let own = bench.founder.identity
        #expect(throws: StoreError.otherDevice(nurse.identity.key)) {
            try RoomFile(path: nurse.path, identity: own, earlier: [])
        }
        try nurse.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        let copy = bench.scratch.path("copy.sqlite")
        try FileManager.default.copyItem(atPath: nurse.path, toPath: copy)
        let mended = try RoomStore.mend(
            path: copy, room: nurse.room, identity: own, earlier: [])
        let kept = try #require(mended.kept)
        let taken = try RoomFile(path: copy, identity: own, earlier: [])
        #expect(try taken.room.pending.isEmpty())
        #expect(try taken.database.rows("SELECT name FROM visit") == [["sent"]])
        // Nothing of hers is gone, and one's own of before becomes one's own.
        let hers = try RoomFile(path: kept, identity: own, earlier: [nurse.identity.key])
        #expect(try hers.room.pending.count() == 1)
    }

    @Test func `pages that were overwritten are found, and what is sound is kept`() async throws {
        let ward = try CheckWard()
        let form = try #require(
            ward.store.catalog.definitions.values.first { $0.form.formID == "visit" })
        for number in 0..<400 {
            try ward.store.append(
                [ward.bench.row(form.name, String(repeating: "x", count: 200), Int64(number))],
                wall: ward.bench.wall)
            if number.isMultiple(of: 10) { _ = try ward.store.seal(wall: ward.bench.wall) }
        }
        _ = try ward.store.seal(wall: ward.bench.wall)
        let sound = try Bench.batches(of: ward.store)
        _ = try ward.store.rows("PRAGMA wal_checkpoint(TRUNCATE)")
        let original = try Data(contentsOf: URL(filePath: ward.store.path))
        let pages = original.count / 4_096
        var mended = 0
        for page in stride(from: 1, to: pages, by: max(pages / 24, 1)) {
            var torn = original
            torn.replaceSubrange(
                page * 4_096..<(page + 1) * 4_096, with: Data(repeating: 0xA5, count: 4_096))
            let path = ward.bench.scratch.path("torn-\(page).sqlite")
            try torn.write(to: URL(filePath: path))
            if let check = try? RoomCheck(
                path: path, room: ward.store.room, identity: ward.store.identity)
            {
                let findings = try? await check.run(scratch: path + ".check") { _, _ in }
                #expect(findings?.isEmpty != true, "page \(page)")
            }
            do {
                _ = try RoomStore.mend(
                    path: path, room: ward.store.room, identity: ward.store.identity)
            } catch StoreError.unusable {
                continue
            }
            mended += 1
            let store = try TestRoom(path: path, identity: ward.store.identity)
            // Once is not enough where a batch's author became known by another batch only.
            for _ in 0..<2 { try Bench.merge(sound, into: store) }
            #expect(try await CheckTests.check(store) == [], "page \(page)")
            let held = Set(try Bench.batches(of: store).map(\.id))
            #expect(held.isSuperset(of: sound.map(\.id)), "page \(page)")
        }
        #expect(mended > 0)
    }

    @Test(arguments: [0, 100, 4_096, 9_000])
    func `a cut file is no room, and is not changed by looking`(_ length: Int) throws {
        let ward = try CheckWard()
        _ = try ward.store.rows("PRAGMA wal_checkpoint(TRUNCATE)")
        let path = ward.bench.scratch.path("cut.sqlite")
        let bytes = try Data(contentsOf: URL(filePath: ward.store.path)).prefix(length)
        try bytes.write(to: URL(filePath: path))
        #expect(throws: (any Error).self) {
            try TestRoom(path: path, identity: ward.store.identity)
        }
        #expect(try Data(contentsOf: URL(filePath: path)) == bytes)
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

    /// Changes the file behind the store's back, as a hand or a broken disk does.
    private func damageFile(_ store: TestRoom, _ sql: String) throws {
        let other = try Database(path: store.path)
        try other.execute(sql)
        #expect(other.changes > 0 || sql.hasPrefix("DROP") || !sql.hasPrefix("UPDATE"), "\(sql)")
    }

    /// What `shared rebuild` does, in a daemon that was started again where it can be.
    private func rebuild(_ store: TestRoom) async throws -> TestRoom {
        if let room = try? RoomStore(path: store.path, identity: store.identity) {
            try await room.rebuild()
        } else {
            _ = try RoomStore.mend(path: store.path, room: store.room, identity: store.identity)
        }
        return try TestRoom(path: store.path, identity: store.identity)
    }
}
