package import ShareCrypto

/// Encodes a body: the counterpart of `BodyDecoder`.
package enum BodyEncoder {
    /// The body of `blocks`, before compression.
    ///
    /// - Parameters:
    ///   - author: who seals the batch; `BatchID.thisBatch` stands for the batch itself.
    ///   - clock: the batch's, from which the first clock of each block is counted.
    package static func encode(
        _ blocks: [Body.Block], author: DeviceKey, clock: Timestamp
    ) -> [UInt8] {
        // Memory that is not needed after all is never touched.
        var writer = CBORWriter(
            reserving: blocks.reduce(4 << 10) { size, block in
                guard case .records(let block) = block else { return size }
                return size + block.rows.count * 32 + block.cells.count * 2 + block.storage.count
            })
        writer.array(blocks.count)
        for block in blocks {
            switch block {
            case .records(let block): encode(block, author: author, clock: clock, to: &writer)
            case .control(let block): encode(block, author: author, clock: clock, to: &writer)
            case .unknown, .misplaced:
                preconditionFailure("only blocks of known kinds are made here")
            }
        }
        return writer.bytes
    }

    /// Bytes that a block of records takes at most, beside its rows.
    ///
    /// - Parameters:
    ///   - batches: that are named in it, that of the form among them.
    ///   - creators: beside the author.
    package static func headSize(fields: Int, batches: Int, creators: Int) -> Int {
        24 + 3 * fields + 34 * (batches + creators)
    }

    /// Bytes that a new record takes at most, beside its cells.
    package static let putSize = 29

    /// Bytes that any other operation on a record takes at most, beside its cells.
    package static func changeSize(parents: Int) -> Int { 44 + 6 * parents }

    /// Bytes that a cell takes at most.
    package static func size(of cell: Cell) -> Int {
        switch cell {
        case .absent: 1
        case .integer, .decimal: 9
        case .text(_, let length): 5 + Int(length)
        }
    }

    private static func encode(
        _ block: RecordsBlock, author: DeviceKey, clock: Timestamp, to writer: inout CBORWriter
    ) {
        var references = ReferenceTable<BatchID>(first: .thisBatch)
        references.add(block.form.batch)
        for name in block.parents { references.add(name.batch) }
        precondition(block.creators.first == author, "the author is the first creator")

        writer.array(RecordsBlock.elements)
        writer.write(unsigned: block.kind.rawValue)
        writer.write(block.rows.count)
        references.write(to: &writer) { $0.bytes }
        writer.array(block.creators.count - 1)
        for key in block.creators.dropFirst() { writer.write(bytes: key.bytes) }
        writer.array(2)
        write(block.form, references, to: &writer)
        writer.array(block.fields.count)
        for field in block.fields { writer.write(field) }
        writer.array(block.rows.count)

        let width = block.width
        var lastClock = clock
        var lastID: RecordID?
        block.storage.withUnsafeBytes { storage in
            for (position, row) in block.rows.enumerated() {
                if block.kind == .put {
                    writer.array(2 + width)
                } else {
                    writer.array(5 + width)
                    writer.write(Int(row.creator))
                }
                if let step = lastID?.step(to: row.id) {
                    writer.write(unsigned: step)
                } else {
                    writer.write(bytes: row.id.bytes)
                }
                lastID = row.id
                if block.kind != .put {
                    write(Array(block.parents(of: row)), references, to: &writer)
                }
                writer.write(integer: lastClock.step(to: row.clock))
                lastClock = row.clock
                if block.kind != .put {
                    writer.write(integer: row.wall.difference(after: row.clock))
                }
                for cell in block.cells[position * width..<(position + 1) * width] {
                    write(cell, storage, to: &writer)
                }
            }
        }
    }

    private static func write(
        _ cell: Cell, _ storage: UnsafeRawBufferPointer, to writer: inout CBORWriter
    ) {
        switch cell {
        case .absent: writer.writeNull()
        case .integer(let value): writer.write(integer: value)
        case .decimal(let value): writer.write(value)
        case .text(let offset, let length):
            writer.write(
                utf8: UnsafeRawBufferPointer(rebasing: storage[Int(offset)..<Int(offset + length)]))
        }
    }

    static func write(
        _ name: OperationName, _ references: ReferenceTable<BatchID>, to writer: inout CBORWriter
    ) {
        writer.write(references.index(of: name.batch))
        writer.write(name.index)
    }

    static func write(
        _ names: [OperationName], _ references: ReferenceTable<BatchID>,
        to writer: inout CBORWriter
    ) {
        writer.array(2 * names.count)
        for name in names { write(name, references, to: &writer) }
    }
}

/// The things that a block refers to, each listed once and named by its index; the first is implied
/// and not written.
struct ReferenceTable<Element: Hashable> {
    private var positions: [Element: Int]
    private var listed: [Element] = []

    init(first: Element) { positions = [first: 0] }

    mutating func add(_ element: Element) {
        guard positions[element] == nil else { return }
        listed.append(element)
        positions[element] = listed.count
    }

    /// The place of an element that was added before.
    func index(of element: Element) -> Int {
        guard let position = positions[element] else {
            preconditionFailure("every reference is listed before it is used")
        }
        return position
    }

    func write(to writer: inout CBORWriter, bytes: (Element) -> [UInt8]) {
        writer.array(listed.count)
        for element in listed { writer.write(bytes: bytes(element)) }
    }
}
