import ShareCore
import ShareCrypto

/// How operations that are not sealed are kept: the block that they will be part of, with names
/// of open batches in it, as CBOR of our own that never leaves the file.
enum PendingBlock {
    static func encode(_ block: RecordsBlock) -> [UInt8] {
        // Memory that is not needed after all is never touched.
        var writer = CBORWriter(
            reserving: 256 + block.rows.count * 64 + block.cells.count * 2 + block.storage.count)
        writer.array(6)
        writer.write(unsigned: block.kind.rawValue)
        writer.write(bytes: block.form.key)
        writer.array(block.fields.count)
        for field in block.fields { writer.write(field) }
        writer.array(block.creators.count)
        for key in block.creators { writer.write(bytes: key.bytes) }
        writer.write(block.rows.count)
        writer.array(block.rows.count * (6 + block.width))
        block.storage.withUnsafeBytes { storage in
            for (position, row) in block.rows.enumerated() {
                writer.write(unsigned: row.id.high)
                writer.write(unsigned: row.id.low)
                writer.write(unsigned: row.clock.rawValue)
                writer.write(integer: row.wall.difference(after: row.clock))
                writer.write(Int(row.creator))
                let parents = block.parents(of: row)
                writer.write(bytes: parents.isEmpty ? [] : parents.flatMap(\.key))
                for cell in block.cells[position * block.width..<(position + 1) * block.width] {
                    switch cell {
                    case .absent: writer.writeNull()
                    case .integer(let value): writer.write(integer: value)
                    case .decimal(let value): writer.write(value)
                    case .text(let offset, let length):
                        writer.write(
                            utf8: UnsafeRawBufferPointer(
                                rebasing: storage[Int(offset)..<Int(offset + length)]))
                    }
                }
            }
        }
        return writer.bytes
    }

    /// Reads what `encode` wrote, as the operations from `firstIndex` on.
    static func decode(_ bytes: [UInt8], firstIndex: Int) throws -> RecordsBlock {
        try bytes.withUnsafeBytes { buffer in
            var reader = CBORReader(buffer)
            try reader.readArray(exactly: 6)
            guard let kind = RecordsBlock.Kind(rawValue: try reader.readUnsigned()) else {
                throw StoreError.damaged("a pending operation")
            }
            let form = try reader.readBytes(exactly: OperationName.keyLength)
            guard let name = form.withUnsafeBytes({ OperationName.names($0) }).first else {
                throw StoreError.damaged("a pending operation")
            }
            var fields: [Int] = []
            for _ in 0..<(try reader.readArray(upTo: Limits.fieldsPerForm)) {
                fields.append(try reader.readCount(upTo: Limits.fieldsPerForm))
            }
            var creators: [DeviceKey] = []
            for _ in 0..<(try reader.readArray(upTo: Limits.referencesPerBlock)) {
                guard let key = DeviceKey(try reader.readBytes(exactly: Bytes32.count)) else {
                    throw StoreError.damaged("a pending operation")
                }
                creators.append(key)
            }
            guard !creators.isEmpty else { throw StoreError.damaged("a pending operation") }
            let count = try reader.readCount(upTo: Limits.operationsPerBatch)
            let width = RecordsBlock(
                kind: kind, firstIndex: 0, form: name, fields: fields, creators: creators,
                rows: [], parents: [], cells: [], storage: []
            ).width
            try reader.readArray(exactly: count * (6 + width))
            var rows: [RecordsBlock.Row] = []
            var parents: [OperationName] = []
            var cells: [Cell] = []
            rows.reserveCapacity(count)
            cells.reserveCapacity(count * width)
            for _ in 0..<count {
                let id = RecordID(
                    high: try reader.readUnsigned(), low: try reader.readUnsigned())
                let clock = Timestamp(rawValue: try reader.readUnsigned()) ?? .latest
                let wall = WallTime(try reader.readInteger(), after: clock)
                let creator = try reader.readCount(upTo: creators.count - 1)
                let range = try reader.readBytesRange()
                let first = parents.count
                parents += OperationName.names(UnsafeRawBufferPointer(rebasing: buffer[range]))
                rows.append(
                    RecordsBlock.Row(
                        id: id, clock: clock, wall: wall, creator: Int32(creator),
                        parents: Int32(first)..<Int32(parents.count)))
                for _ in 0..<width { cells.append(try reader.readCell()) }
            }
            try reader.finish()
            return RecordsBlock(
                kind: kind, firstIndex: firstIndex, form: name, fields: fields,
                creators: creators, rows: rows, parents: parents, cells: cells, storage: bytes)
        }
    }

    /// The blocks with neighbours of one kind, form and list of fields joined.
    static func joined(_ blocks: [RecordsBlock]) -> [RecordsBlock] {
        var joined: [RecordsBlock] = []
        var start = blocks.startIndex
        while start < blocks.endIndex {
            var end = start + 1
            while end < blocks.endIndex, blocks[end].isLike(blocks[start]) { end += 1 }
            joined.append(end - start == 1 ? blocks[start] : join(blocks[start..<end]))
            start = end
        }
        return joined
    }

    private static func join(_ blocks: ArraySlice<RecordsBlock>) -> RecordsBlock {
        let first = blocks[blocks.startIndex]
        var creators = first.creators
        var rows: [RecordsBlock.Row] = []
        var parents: [OperationName] = []
        var cells: [Cell] = []
        var storage: [UInt8] = []
        for block in blocks {
            let shift = UInt32(storage.count)
            let firstParent = Int32(parents.count)
            let positions = block.creators.map { key -> Int32 in
                if let position = creators.firstIndex(of: key) { return Int32(position) }
                creators.append(key)
                return Int32(creators.count - 1)
            }
            for row in block.rows {
                rows.append(
                    RecordsBlock.Row(
                        id: row.id, clock: row.clock, wall: row.wall,
                        creator: positions[Int(row.creator)],
                        parents: row.parents.lowerBound + firstParent..<row.parents.upperBound
                            + firstParent
                    ))
            }
            parents += block.parents
            for cell in block.cells {
                if case .text(let offset, let length) = cell {
                    cells.append(.text(offset: offset + shift, length: length))
                } else {
                    cells.append(cell)
                }
            }
            storage += block.storage
        }
        return RecordsBlock(
            kind: first.kind, firstIndex: first.firstIndex, form: first.form,
            fields: first.fields, creators: creators, rows: rows, parents: parents, cells: cells,
            storage: storage)
    }
}

extension RecordsBlock {
    /// Whether rows of the other could stand in this block.
    fileprivate func isLike(_ other: RecordsBlock) -> Bool {
        kind == other.kind && form == other.form && fields == other.fields
    }
}
