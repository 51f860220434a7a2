package import ShareCrypto

extension BodyEncoder {
    static func encode(
        _ block: ControlBlock, author: DeviceKey, clock: Timestamp, to writer: inout CBORWriter
    ) {
        guard let first = block.entries.first else {
            preconditionFailure("a block has at least one operation")
        }
        let kind = ControlKind(first.operation)
        var references = ReferenceTable<BatchID>(first: .thisBatch)
        var keys = ReferenceTable<DeviceKey>(first: author)
        for entry in block.entries {
            precondition(ControlKind(entry.operation) == kind, "a block has one kind")
            for name in entry.operation.names { references.add(name.batch) }
            if let subject = entry.operation.subject { keys.add(subject) }
        }
        writer.array(ControlKind.elements)
        writer.write(unsigned: kind.rawValue)
        writer.write(block.entries.count)
        references.write(to: &writer) { $0.bytes }
        keys.write(to: &writer) { $0.bytes }
        writer.array(block.entries.count)
        var lastClock = clock
        for entry in block.entries {
            writer.array(kind.width)
            writer.write(integer: lastClock.step(to: entry.clock))
            lastClock = entry.clock
            writer.write(integer: entry.wall.difference(after: entry.clock))
            write(entry.operation, references, keys, to: &writer)
        }
    }

    private static func write(
        _ operation: ControlOperation, _ references: ReferenceTable<BatchID>,
        _ keys: ReferenceTable<DeviceKey>, to writer: inout CBORWriter
    ) {
        switch operation {
        case .found(let founding):
            writer.write(text: founding.name)
            writer.write(bytes: founding.nonce)
            writer.write(founding.isOpen)
            writer.write(bytes: founding.recovery.bytes)
        case .set(let setting):
            writer.write(text: setting.key)
            writer.write(text: setting.value)
            write(setting.parents, references, to: &writer)
        case .form(let form):
            writer.write(text: form.formID)
            writer.write(text: form.version)
            write(form.parents, references, to: &writer)
            writer.array(form.fields.count)
            for field in form.fields {
                writer.array(2)
                writer.write(text: field.name)
                writer.write(unsigned: UInt64(field.type.rawValue))
            }
            writer.write(text: form.json)
        case .list(let list):
            writer.write(text: list.name)
            write(list.parents, references, to: &writer)
            writer.array(list.columns.count)
            for column in list.columns { writer.write(text: column) }
            write(list.parts, references, to: &writer)
        case .part(let part):
            writer.write(part.width)
            writer.array(part.rows * part.width)
            writer.append(part.cells)
        case .grant(let grant):
            writer.write(keys.index(of: grant.subject))
            writer.write(unsigned: UInt64(grant.role.rawValue))
            writer.write(grant.scope)
            writer.write(unsigned: grant.firstControl)
            writer.write(unsigned: grant.firstRecords)
            write(grant.supersedes, references, to: &writer)
        case .roleChange(let change):
            writer.write(keys.index(of: change.subject))
            writer.write(unsigned: UInt64(change.role.rawValue))
            writer.write(change.scope)
            writer.array(2)
            writer.write(change.heads)
            write(change.supersedes, references, to: &writer)
        case .removal(let removal):
            writer.write(keys.index(of: removal.subject))
            writer.array(2)
            writer.write(removal.heads)
            write(removal.supersedes, references, to: &writer)
            writer.write(text: removal.reason)
        case .accept(let acceptance):
            writer.write(keys.index(of: acceptance.subject))
            writer.array(2)
            writer.write(acceptance.heads)
        }
    }
}

extension ControlOperation {
    /// The operations that this one names.
    package var names: [OperationName] {
        switch self {
        case .found, .accept, .part: []
        case .set(let setting): setting.parents
        case .form(let form): form.parents
        case .list(let list): list.parents + list.parts
        case .grant(let grant): grant.supersedes
        case .roleChange(let change): change.supersedes
        case .removal(let removal): removal.supersedes
        }
    }

    /// The device whose standing it is about.
    package var subject: DeviceKey? {
        switch self {
        case .found, .set, .form, .part, .list: nil
        case .grant(let grant): grant.subject
        case .roleChange(let change): change.subject
        case .removal(let removal): removal.subject
        case .accept(let acceptance): acceptance.subject
        }
    }
}
