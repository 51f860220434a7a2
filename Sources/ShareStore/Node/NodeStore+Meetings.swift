package import ShareCore
package import ShareCrypto

/// How members stood when they were met last, kept over a restart.
extension NodeStore {
    /// All that is kept; what cannot be read any more is left out.
    package func meetings() throws -> [RoomID: [DeviceKey: LastKnownStatus]] {
        var found: [RoomID: [DeviceKey: LastKnownStatus]] = [:]
        let rows = try database.rows(
            """
            SELECT room, device, at, state, behind, ahead, own, others, theirs, pending
            FROM meeting
            """)
        for row in rows {
            let numbers = row[2...8].map { value -> UInt64? in
                if case .integer(let number) = value { UInt64(clamping: number) } else { nil }
            }.compactMap(\.self)
            guard case .blob(let room) = row[0], let id = Digest(room),
                case .blob(let device) = row[1], let key = DeviceKey(device), numbers.count == 7,
                let state = PeerProgress.State(rawValue: Int(clamping: numbers[1]))
            else { continue }
            var pending: UInt64?
            if case .integer(let count) = row[9] { pending = UInt64(clamping: count) }
            found[RoomID(id), default: [:]][key] = LastKnownStatus(
                progress: PeerProgress(state, behind: numbers[2], ahead: numbers[3]),
                own: numbers[4], others: numbers[5], theirs: numbers[6], pending: pending,
                at: numbers[0])
        }
        return found
    }

    package func save(_ meetings: [DeviceKey: LastKnownStatus], in room: RoomID) throws {
        guard !meetings.isEmpty else { return }
        try database.transaction {
            for (key, meeting) in meetings {
                let progress = meeting.progress
                let numbers = [
                    meeting.at, UInt64(progress.state.rawValue), progress.behind, progress.ahead,
                    meeting.own, meeting.others, meeting.theirs,
                ].map { SQLValue.integer(Int64(clamping: $0)) }
                try database.run(
                    """
                    INSERT OR REPLACE INTO meeting(
                        room, device, at, state, behind, ahead, own, others, theirs, pending)
                    VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
                    """,
                    .blob(room.bytes), .blob(key.bytes), numbers[0], numbers[1], numbers[2],
                    numbers[3], numbers[4], numbers[5], numbers[6],
                    meeting.pending.map { .integer(Int64(clamping: $0)) } ?? .null)
            }
        }
    }
}
