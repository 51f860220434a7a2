import ShareCore
import ShareCrypto

/// The digest items of records whose one version is a put of one block: what they share is
/// encoded once (docs/protocol.md, "Digest").
///
/// Every merged row passes through here, so it holds plain memory and allocates nothing for one.
final class PutItem {
    private let writer: ItemWriter
    private let prefix: Int
    /// Columns in the order of digest items.
    private let order: [Column]
    /// Names and types of the columns, encoded, one after another; then the batch's id.
    private let heads: UnsafeRawBufferPointer
    private let batch: UnsafeRawBufferPointer

    private struct Column {
        let place: Int
        let head: UnsafeRawBufferPointer
    }

    /// - Parameter batch: what the versions are named after.
    init(
        _ writer: ItemWriter, form: String, author: DeviceKey, _ fields: [FormField],
        batch: BatchID
    ) {
        self.writer = writer
        let sorted = fields.indices.sorted { fields[$0] < fields[$1] }
        var bytes: [UInt8] = []
        var ranges: [Range<Int>] = []
        for position in sorted {
            var head = CBORWriter()
            head.array(4)
            head.write(text: fields[position].name)
            head.write(Int(fields[position].type.rawValue))
            ranges.append(bytes.count..<bytes.count + head.bytes.count)
            bytes += head.bytes
        }
        var version = CBORWriter()
        version.array(1)
        version.array(2)
        version.write(bytes: batch.bytes)
        let shared = UnsafeMutableRawBufferPointer.allocate(
            byteCount: bytes.count + version.bytes.count, alignment: 8)
        shared.copyBytes(from: bytes + version.bytes)
        heads = UnsafeRawBufferPointer(shared)
        self.batch = UnsafeRawBufferPointer(rebasing: heads[bytes.count...])
        let start = heads
        order = zip(sorted, ranges).map {
            Column(place: $0, head: UnsafeRawBufferPointer(rebasing: start[$1]))
        }
        writer.removeAll()
        writer.array(7)
        writer.write(text: form)
        writer.write(author.value)
        prefix = writer.position
    }

    deinit { heads.deallocate() }

    /// The items of all rows of a block of puts together.
    static func sum(_ block: RecordsBlock, of batch: BatchID, form: FormDefinition) -> StateDigest {
        var sum = StateDigest.zero
        guard let author = block.creators.first else { return sum }
        let fields = block.fields.map { form.fields[$0] }
        let item = PutItem(
            ItemWriter(), form: form.formID, author: author, fields, batch: batch)
        let width = fields.count
        block.storage.withUnsafeBufferPointer { storage in
            block.cells.withUnsafeBufferPointer { cells in
                for (position, row) in block.rows.enumerated() {
                    sum += item.digest(
                        row.id, at: block.firstIndex + position,
                        UnsafeBufferPointer(
                            rebasing: cells[position * width..<(position + 1) * width]), storage)
                }
            }
        }
        return sum
    }

    /// The item of the row with these cells, which is the operation at `index`.
    func digest(
        _ id: RecordID, at index: Int, _ cells: UnsafeBufferPointer<Cell>,
        _ storage: UnsafeBufferPointer<UInt8>
    ) -> StateDigest {
        writer.rewind(to: prefix)
        writer.write(id)
        writer.raw(batch)
        writer.write(index)
        var present = 0
        for cell in cells {
            if case .absent = cell { continue }
            present += 1
        }
        writer.array(present)
        for column in order {
            switch cells[column.place] {
            case .absent: continue
            case .integer(let value):
                writer.raw(column.head)
                writer.write(integer: value)
            case .decimal(let value):
                writer.raw(column.head)
                writer.write(value)
            case .text(let offset, let length):
                writer.raw(column.head)
                writer.write(
                    utf8: UnsafeRawBufferPointer(
                        UnsafeBufferPointer(
                            rebasing: storage[Int(offset)..<Int(offset) + Int(length)])))
            }
            writer.write(0)
        }
        writer.array(1)
        writer.write(0)
        writer.writeNull()
        return writer.digest()
    }
}
