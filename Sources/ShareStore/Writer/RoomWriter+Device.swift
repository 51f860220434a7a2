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

    /// What of a device is refused for where it stands in its logs, as the room is or would be.
    func refusals(of device: DeviceKey, under other: Authority? = nil) throws -> DeviceRefusals {
        guard let author = try devices.find(device) else { return DeviceRefusals() }
        let authority = other ?? state.judgement.authority
        let log = try ancestry(of: author, .records)
        let records = try refusals(in: author, .records) {
            authority.standing(of: device, kind: .records, at: $0, in: log)
        }
        let control = try refusals(in: author, .control) {
            authority.controlStanding(of: device, at: $0)
        }
        return DeviceRefusals(
            control: control.operations, records: records.operations,
            heads: CoveredHeads(control: control.heads, records: records.heads),
            definitions: try definitions(usedIn: records.rows, by: author))
    }

    private func definitions(
        usedIn rows: Set<Int64>, by author: Int64
    ) throws -> Set<OperationName> {
        guard !rows.isEmpty else { return [] }
        var used: Set<OperationName> = []
        for (row, definitions) in try definitionsUsed(by: author) where rows.contains(row) {
            used.formUnion(definitions)
        }
        return used
    }

    private func refusals(
        in author: Int64, _ kind: LogKind, _ standing: (LogHead) -> Standing
    ) throws -> (operations: Int, heads: [LogHead], rows: Set<Int64>) {
        var operations = 0
        var rows: Set<Int64> = []
        var last: [BatchID: LogHead] = [:]
        try eachBatch(of: author, kind) { batch in
            guard case .refused = standing(batch.head) else { return }
            operations += batch.operations
            rows.insert(batch.row)
            last[batch.previous] = nil
            last[batch.head.batch] = batch.head
        }
        let heads = last.values.sorted().prefix(Limits.basesPerOperation)
        return (operations, Array(heads), rows)
    }
}
