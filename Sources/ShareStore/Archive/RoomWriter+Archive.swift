import ShareCore
import ShareCrypto

/// What of a room leaves in a file.
extension RoomWriter {
    /// The room as it is now.
    ///
    /// - Parameters:
    ///   - reader: whom the file is for, by the rules for a session with it; nil: any member.
    ///   - isWhole: whether what is passed on to owners alone comes along too.
    func archive(for reader: DeviceKey?, isWhole: Bool) throws -> RoomArchive {
        var records: Int64?
        if let reader, state.judgement.authority.currentRole(of: reader) == .contributor {
            // Without a record of its own it has no number, and no batch has this one.
            records = try devices.find(reader) ?? 0
        }
        let view = try view()
        // While records follow a change of authority the state is on its way to another one.
        let isComparable = records == nil && !view.isSettling
        return try RoomArchive(
            path: path, state: isComparable ? (view.vector, view.digest) : nil,
            excluded: try rowsLeftOut(isWhole: isWhole), records: records, vfs: vfs)
    }

    /// The rows of batches whose author has no grant any more, and, but in a whole file, of those
    /// past a cutoff.
    private func rowsLeftOut(isWhole: Bool) throws -> Set<Int64> {
        var rows: Set<Int64> = []
        for log in state.logs.keys {
            guard let author = try devices.find(log.author) else { continue }
            let isKnown = state.judgement.isKnown(log.author)
            if isKnown, isWhole { continue }
            let cut = isKnown ? state.judgement.authority.cut(of: log) : []
            guard let cut else { continue }
            let line = try ancestry(of: author, log.kind)
            try eachBatch(of: author, log.kind) {
                if try !isCovered($0.head, by: cut, in: line) { rows.insert($0.row) }
            }
        }
        return rows
    }
}
