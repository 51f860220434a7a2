import CSQLite
import Glibc
import ShareCore
import ShareCrypto
import Testing

@testable import ShareStore

/// Reads that fail for another reason than that a table or a column is not there.
struct RefusedReadTests {
    private func refuse(_ table: String, in database: Database) {
        _ = table.withCString { name in
            sqlite3_set_authorizer(
                database.handle,
                { wanted, action, table, _, _, _ in
                    guard action == SQLITE_READ, let wanted, let table,
                        strcmp(table, wanted.assumingMemoryBound(to: CChar.self)) == 0
                    else { return SQLITE_OK }
                    return SQLITE_DENY
                }, UnsafeMutableRawPointer(strdup(name)))
        }
    }

    @Test func `a table that could not be asked for is not called missing`() throws {
        let bench = try Bench()
        let source = try Database(path: bench.founder.path, access: .readOnly)
        refuse("_head", in: source)
        var comparison = TableComparison(source, with: bench.founder.file.database)
        #expect(throws: SQLiteError.self) { try comparison.runOverBookkeeping() }
        #expect(comparison.findings.isEmpty)
    }

    @Test func `checksums that could not be asked for are not left out`() throws {
        let bench = try Bench()
        let form = try bench.addForm()
        try bench.founder.append([bench.row(form, "Ann", 1)], wall: bench.wall)
        let source = try Database(path: bench.founder.path, access: .readOnly)
        sqlite3_set_authorizer(
            source.handle,
            { _, action, table, column, _, _ in
                let isChecksum =
                    action == SQLITE_READ && column.map { strcmp($0, "checksum") == 0 } == true
                return isChecksum ? SQLITE_DENY : SQLITE_OK
            }, nil)
        let salvage = RoomSalvage(
            from: source, into: try Database(path: bench.scratch.path("made")),
            room: bench.founding.room, own: bench.founder.identity.key, progress: { _, _ in })
        #expect(throws: SQLiteError.self) { try salvage.run() }
    }
}
