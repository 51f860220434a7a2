import Foundation
import ShareCore
import Testing

@testable import ShareStore

/// What the disk has changed in a write-ahead log is told from what a power cut has torn.
struct WriteAheadLogTests {
    private static let headerLength = 32
    private static let frameLength = 4_096 + 24

    /// A file beside which lies a log of several commits, and the frames that end one.
    private struct Written {
        let bench: Bench
        let database: Data
        let log: Data
        let commits: [Int]

        init() throws {
            bench = try Bench()
            let form = try bench.addForm()
            let room = bench.founder
            try room.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            for name in ["Ann", "Bo", "Eve", "Mary"] {
                try room.append([bench.row(form, name, 1)], wall: bench.wall)
            }
            database = try Data(contentsOf: URL(filePath: room.path))
            let log = try Data(contentsOf: URL(filePath: room.path + "-wal"))
            self.log = log
            commits = stride(from: headerLength, to: log.count, by: frameLength).filter {
                log[($0 + 4)..<($0 + 8)].contains { $0 != 0 }
            }
        }

        func file(_ name: String, log: Data) throws -> String {
            let path = bench.scratch.path(name)
            try database.write(to: URL(filePath: path))
            try log.write(to: URL(filePath: path + "-wal"))
            return path
        }
    }

    @Test func `a changed byte is found where two commits or more come after it`() throws {
        let written = try Written()
        #expect(written.commits.count == 4)
        #expect(written.commits.last == written.log.count - Self.frameLength)
        var found = 0
        for frame in stride(from: Self.headerLength, to: written.log.count, by: Self.frameLength) {
            // The salt, the checksum, the page.
            for offset in [9, 18, 24 + 100] {
                var log = written.log
                log[frame + offset] ^= 0x40
                let path = try written.file("changed", log: log)
                let isExpected = written.commits.count { $0 > frame } > 1
                #expect(WriteAheadLog.isDamaged(of: path) == isExpected, "\(frame) + \(offset)")
                if isExpected { found += 1 }
            }
        }
        #expect(found > 0)
    }

    @Test func `a log that ends anywhere is whole as far as it goes`() throws {
        let written = try Written()
        for length in stride(from: 0, through: written.log.count, by: Self.frameLength / 4) {
            let path = try written.file("cut", log: written.log.prefix(length))
            #expect(!WriteAheadLog.isDamaged(of: path), "\(length)")
        }
        // The last transaction as a cut may leave it, its last page on the disk and not its first.
        var torn = written.log
        torn[written.commits[2] + Self.frameLength + 30] ^= 0x40
        #expect(!WriteAheadLog.isDamaged(of: try written.file("torn", log: torn)))
    }

    @Test func `what a log before has left behind the end of this one is nothing`() throws {
        let written = try Written()
        let room = written.bench.founder
        try room.execute("PRAGMA wal_checkpoint(RESTART)")
        let before = try Data(contentsOf: URL(filePath: room.path + "-wal")).count
        try room.execute("UPDATE _meta SET value = value WHERE key = 'clock'")
        let log = try Data(contentsOf: URL(filePath: room.path + "-wal"))
        #expect(log.count == before)
        #expect(!WriteAheadLog.isDamaged(of: try written.file("again", log: log)))
    }

    @Test func `a room whose log was changed says where it is kept, and opens`() async throws {
        let written = try Written()
        var log = written.log
        log[written.commits[0] + 100] ^= 1
        let path = try written.file("room.sqlite", log: log)
        let room = try RoomStore(path: path, identity: written.bench.founder.identity)
        #expect(room.damagedLog == path + ".damaged-1")
        let kept = try Data(contentsOf: URL(filePath: path + ".damaged-1-wal"))
        #expect(kept == log)
        #expect(try await room.counts().records == 0)
        let whole = try written.file("whole.sqlite", log: written.log)
        let other = try RoomStore(path: whole, identity: written.bench.founder.identity)
        #expect(other.damagedLog == nil)
        #expect(try await other.counts().records == 4)
    }
}
