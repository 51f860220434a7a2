import ShareCrypto

extension RecordsBlock {
    /// Kind, count, references, keys, form, fields, rows.
    static let elements = 7
}

extension BodyDecoder {
    func decodeRecords(
        _ kind: RecordsBlock.Kind, count: Int, firstIndex: Int, from reader: inout CBORReader
    ) throws -> RecordsBlock {
        try reader.readArray(exactly: 2)
        let form = try readName(&reader, before: 0)
        let fields = try readFields(of: kind, from: &reader)
        try reader.readArray(exactly: count)

        let width = RecordsBlock.width(of: kind, fields: fields.count)
        var rows: [RecordsBlock.Row] = []
        var parents: [OperationName] = []
        var cells: [Cell] = []
        rows.reserveCapacity(count)
        // Each takes a byte or more.
        cells.reserveCapacity(min(count * width, reader.remaining))
        var clock = batch.clock
        var id: RecordID?
        for row in 0..<count {
            let index = firstIndex + row
            var creator = 0
            if kind == .put {
                try reader.readArray(exactly: 2 + width)
            } else {
                try reader.readArray(exactly: 5 + width)
                creator = try reader.readCount(upTo: keys.count - 1)
            }
            let next = try readID(&reader, after: id)
            id = next
            let firstParent = parents.count
            if kind != .put { parents += try readNames(&reader, before: index) }
            let moment = try readClock(&reader, after: &clock)
            let wall =
                kind == .put
                ? WallTime(ofPut: next, clock: moment) : try readWall(&reader, beside: moment)
            for _ in 0..<width { cells.append(try reader.readCell()) }
            rows.append(
                RecordsBlock.Row(
                    id: next, clock: moment, wall: wall, creator: Int32(creator),
                    parents: Int32(firstParent)..<Int32(parents.count)))
        }
        return RecordsBlock(
            kind: kind, firstIndex: firstIndex, form: form, fields: fields, creators: keys,
            rows: rows, parents: parents, cells: cells, storage: storage)
    }

    /// Places of fields, strictly ascending; none for kinds that write no fields.
    private func readFields(
        of kind: RecordsBlock.Kind, from reader: inout CBORReader
    ) throws -> [Int] {
        let writes = kind == .put || kind == .edit
        let count = try reader.readArray(upTo: writes ? Limits.fieldsPerForm : 0)
        var fields: [Int] = []
        for _ in 0..<count {
            let field = try reader.readCount(upTo: Limits.fieldsPerForm - 1)
            guard field > fields.last ?? -1 else { throw BodyError.cbor(.notDeterministic) }
            fields.append(field)
        }
        return fields
    }

    /// An id in full, or how far it lies beyond the one of the row before.
    private func readID(
        _ reader: inout CBORReader, after previous: RecordID?
    ) throws -> RecordID {
        if let previous, reader.isNextUnsigned {
            guard let id = previous.advanced(by: try reader.readUnsigned()) else {
                throw BodyError.cbor(.outOfRange)
            }
            return id
        }
        guard let id = RecordID(try reader.readBytes(exactly: RecordID.length)) else {
            throw BodyError.cbor(.unexpected)
        }
        return id
    }
}
