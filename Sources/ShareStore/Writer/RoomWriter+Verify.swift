import Glibc
import ShareCore
import ShareCrypto

/// Checking a room's file against its batches.
extension RoomWriter {
    func verify(scratch: String) throws -> [StoreFinding] {
        var findings: [StoreFinding] = []
        for row in try database.rows("PRAGMA integrity_check(10)") {
            guard case .text(let text) = row[0], text != "ok" else { continue }
            findings.append(
                StoreFinding(
                    place: path, what: text, hint: "restore the file, or leave and join again"))
        }
        try verifyBatches(&findings)
        guard findings.isEmpty else { return findings }
        try verifyTables(scratch, &findings)
        return findings
    }

    private func verifyBatches(_ findings: inout [StoreFinding]) throws {
        let hint = "leave the room and join it again: the others have the batches"
        let statement = try database.prepare(
            "SELECT batch, id, number, previous, bytes FROM _batch WHERE state = 0 ORDER BY batch")
        while try statement.step() {
            let row = statement.integer(0)
            let place = "batch \(row)"
            do throws(EnvelopeError) {
                let batch = try Batch(verifying: statement.blob(4))
                if batch.id.bytes != statement.blob(1)
                    || Int64(batch.number) != statement.integer(2)
                    || batch.previous.bytes != statement.blob(3) || batch.room != room
                {
                    findings.append(
                        StoreFinding(
                            place: place, what: "it is noted under another name than its own",
                            hint: hint))
                }
            } catch {
                findings.append(
                    StoreFinding(place: place, what: "it is not a batch: \(error)", hint: hint))
            }
        }
        for row in try database.rows(
            """
            SELECT b.batch FROM _batch b WHERE b.state = 0 AND b.number > 1 AND NOT EXISTS(
            SELECT 1 FROM _batch p WHERE p.id = b.previous AND p.author = b.author
            AND p.kind = b.kind AND p.number = b.number - 1)
            """)
        {
            guard case .integer(let batch) = row[0] else { continue }
            findings.append(
                StoreFinding(
                    place: "batch \(batch)", what: "the batch before it is missing", hint: hint))
        }
    }

    /// Compares the tables with those that a rebuild makes in a copy of the file.
    private func verifyTables(_ scratch: String, _ findings: inout [StoreFinding]) throws {
        defer {
            for suffix in ["", "-wal", "-shm"] { unlink(scratch + suffix) }
        }
        try database.run("VACUUM INTO ?1", .text(scratch))
        let copy = try RoomWriter(path: scratch, identity: identity)
        // A rebuild leaves nothing to settle, so the comparison is with what it will come to.
        while try copy.settle() {}
        let before = try RoomDump.hashes(of: copy)
        try copy.rebuild()
        let after = try RoomDump.hashes(of: copy)
        for heading in Set(before.keys).union(after.keys).sorted()
        where before[heading] != after[heading] {
            findings.append(
                StoreFinding(
                    place: heading, what: "it is not what the batches come to",
                    hint: "run: shared rebuild"))
        }
    }
}
