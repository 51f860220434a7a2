import ShareCore
import ShareCrypto

/// What is held of one device, for those who decide about it.
extension RoomWriter {
    /// The heads that are held of a device's two logs, also where they do not count.
    func heads(of device: DeviceKey) -> CoveredHeads {
        CoveredHeads(
            control: state.logs[LogName(author: device, kind: .control)]?.heads ?? [],
            records: state.logs[LogName(author: device, kind: .records)]?.heads ?? [])
    }

    /// What of a device is refused for where it stands in its logs.
    func refusals(of device: DeviceKey) throws -> DeviceRefusals {
        guard let author = try devices.find(device) else { return DeviceRefusals() }
        let authority = state.judgement.authority
        let log = try ancestry(of: author, .records)
        let records = try refusals(in: author, .records) {
            authority.standing(of: device, kind: .records, at: $0, in: log)
        }
        let control = try refusals(in: author, .control) {
            authority.controlStanding(of: device, at: $0)
        }
        return DeviceRefusals(
            control: control.operations, records: records.operations,
            heads: CoveredHeads(control: control.heads, records: records.heads))
    }

    private func refusals(
        in author: Int64, _ kind: LogKind, _ standing: (LogHead) -> Standing
    ) throws -> (operations: Int, heads: [LogHead]) {
        let statement = try database.prepare(
            """
            SELECT number, id, previous, operations FROM _batch
            WHERE author = ?1 AND kind = ?2 AND state = 0 ORDER BY number
            """)
        try statement.bind([.integer(author), .integer(Int64(kind.rawValue))])
        var operations = 0
        var last: [BatchID: LogHead] = [:]
        while try statement.step() {
            guard let id = Digest(statement.blob(1)), let previous = Digest(statement.blob(2))
            else { continue }
            let head = LogHead(number: UInt64(max(statement.integer(0), 0)), batch: BatchID(id))
            guard case .refused = standing(head) else { continue }
            operations += Int(statement.integer(3))
            last[BatchID(previous)] = nil
            last[head.batch] = head
        }
        return (operations, Array(last.values.sorted().prefix(Limits.basesPerOperation)))
    }
}
