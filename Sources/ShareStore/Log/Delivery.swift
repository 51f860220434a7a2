import ShareCore
import ShareCrypto

/// How far each peer has each log, by its own word: one row for each in `_delivered`, that only
/// goes forward.
///
/// Most of what a peer says is an acknowledgement, and none is worth a sync of its own: it is kept
/// in memory and written with the next transaction.
struct Delivery {
    let database: Database
    let devices: DeviceTable
    /// The acknowledgements that are not in the file yet.
    private var unwritten: [Subject: LogHead] = [:]

    init(database: Database, devices: DeviceTable) {
        self.database = database
        self.devices = devices
    }

    private struct Subject: Hashable {
        let peer: DeviceKey
        let log: LogName
    }

    var isWritten: Bool { unwritten.isEmpty }

    /// Notes how far a peer has a log, by its own word.
    mutating func note(_ acknowledgement: Acknowledgement, by peer: DeviceKey) {
        guard acknowledgement.isStored else { return }
        let subject = Subject(peer: peer, log: acknowledgement.log)
        if let known = unwritten[subject], known.number >= acknowledgement.head.number { return }
        unwritten[subject] = acknowledgement.head
    }

    /// Writes what peers have said, at the end of a transaction.
    mutating func persist() throws {
        for (subject, head) in unwritten {
            guard let author = try devices.find(subject.log.author) else { continue }
            try database.run(
                """
                INSERT INTO _delivered(peer, author, kind, number, id)
                VALUES(?1, ?2, ?3, ?4, ?5) ON CONFLICT(peer, author, kind) DO UPDATE
                SET number = ?4, id = ?5 WHERE ?4 > number
                """, .blob(subject.peer.bytes), .integer(author),
                .integer(Int64(subject.log.kind.rawValue)),
                .integer(Int64(clamping: head.number)), .blob(head.batch.bytes))
        }
        unwritten = [:]
    }

    /// The sealed batches of these authors' entries that no other device is known to have, and how
    /// many operations are in them.
    func onlyHere(of authors: Set<DeviceKey>) throws -> (batches: [Int64], operations: Int) {
        var (batches, operations): ([Int64], Int) = ([], 0)
        for author in authors {
            guard let device = try devices.find(author) else { continue }
            let log = LogName(author: author, kind: .records)
            let reached = try reached(by: author, besides: authors)
            for row in try database.rows(
                """
                SELECT batch, operations FROM _batch
                WHERE author = ?1 AND kind = ?2 AND state = 0 AND number > ?3
                """, .integer(device), .integer(Int64(log.kind.rawValue)),
                .integer(Int64(clamping: reached)))
            {
                guard case .integer(let batch) = row[0], case .integer(let count) = row[1] else {
                    continue
                }
                batches.append(batch)
                operations += Int(count)
            }
        }
        return (batches, operations)
    }

    /// How far an author's entries have come to any device but these: a copy of this device's own
    /// data is no other one.
    func reached(by author: DeviceKey, besides own: Set<DeviceKey>) throws -> UInt64 {
        try delivered(LogName(author: author, kind: .records))
            .filter { !own.contains($0.key) }.map(\.value.number).max() ?? 0
    }

    /// How far each peer has a log.
    func delivered(_ log: LogName) throws -> [DeviceKey: LogHead] {
        guard let author = try devices.find(log.author) else { return [:] }
        var heads: [DeviceKey: LogHead] = [:]
        for row in try database.rows(
            "SELECT peer, number, id FROM _delivered WHERE author = ?1 AND kind = ?2",
            .integer(author), .integer(Int64(log.kind.rawValue)))
        {
            guard case .blob(let bytes) = row[0], let peer = DeviceKey(bytes) else { continue }
            heads[peer] = LogHead(row[1], row[2])
        }
        for (subject, head) in unwritten
        where subject.log == log && heads[subject.peer]?.number ?? 0 < head.number {
            heads[subject.peer] = head
        }
        return heads
    }
}
