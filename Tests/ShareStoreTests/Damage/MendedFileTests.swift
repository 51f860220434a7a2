import Foundation
import ShareCore
import ShareCrypto
import ShareTestKit
import Testing

@testable import ShareStore

/// Files that are cut, torn or without their tables are made anew, or left as they are.
struct MendedFileTests {
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
}
