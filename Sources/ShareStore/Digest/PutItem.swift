import ShareCore
import ShareCrypto

/// The digest items of records whose one version is a put of one block: what they share is
/// encoded once (docs/protocol.md, "Digest").
struct PutItem {
    private let writer: ItemWriter
    private let author: DeviceKey
    private let prefix: Int
    /// Columns in the order of digest items, each with its name and type encoded.
    private let order: [(column: Int, head: [UInt8])]

    init(_ writer: ItemWriter, form: String, author: DeviceKey, _ fields: [FormField]) {
        self.writer = writer
        self.author = author
        order = fields.indices.sorted { fields[$0] < fields[$1] }.map { column in
            var head = CBORWriter()
            head.array(4)
            head.write(text: fields[column].name)
            head.write(Int(fields[column].type.rawValue))
            return (column, head.bytes)
        }
        writer.removeAll()
        writer.array(7)
        writer.write(text: form)
        writer.write(author.value)
        prefix = writer.position
    }

    /// The item of the row with these cells.
    func digest(
        _ id: RecordID, _ name: OperationName, _ cells: UnsafeBufferPointer<Cell>,
        _ storage: UnsafeBufferPointer<UInt8>
    ) -> StateDigest {
        writer.rewind(to: prefix)
        writer.write(id)
        writer.array(1)
        writer.array(2)
        writer.write(name.batch.digest.value)
        writer.write(name.index)
        var present = 0
        for cell in cells where cell != .absent { present += 1 }
        writer.array(present)
        for (column, head) in order {
            switch cells[column] {
            case .absent: continue
            case .integer(let value):
                writer.raw(head)
                writer.write(integer: value)
            case .decimal(let value):
                writer.raw(head)
                writer.write(value)
            case .text(let offset, let length):
                writer.raw(head)
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
