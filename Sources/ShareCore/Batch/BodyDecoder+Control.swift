import ShareCrypto

extension BodyDecoder {
    func decodeControl(
        _ kind: ControlKind, count: Int, firstIndex: Int, from reader: inout CBORReader
    ) throws -> ControlBlock {
        try reader.readArray(exactly: count)
        var clock = batch.clock
        var entries: [ControlBlock.Entry] = []
        for place in 0..<count {
            try reader.readArray(exactly: kind.width)
            let moment = try readClock(&reader, after: &clock)
            let wall = try readWall(&reader, beside: moment)
            let operation = try decodeOperation(
                kind, index: firstIndex + place, from: &reader)
            entries.append(ControlBlock.Entry(clock: moment, wall: wall, operation: operation))
        }
        return ControlBlock(firstIndex: firstIndex, entries: entries)
    }

    private func decodeOperation(
        _ kind: ControlKind, index: Int, from reader: inout CBORReader
    ) throws -> ControlOperation {
        switch kind {
        case .found:
            return .found(
                Founding(
                    name: try reader.readText(upTo: Limits.roomName),
                    nonce: try reader.readBytes(exactly: 16), isOpen: try reader.readBool(),
                    recovery: DeviceKey(try reader.readDigest().value)))
        case .set:
            return .set(
                Setting(
                    key: try reader.readText(upTo: Limits.shortText),
                    value: try reader.readText(upTo: Limits.settingValue),
                    parents: try readNames(&reader, before: index)))
        case .form: return .form(try decodeForm(index: index, from: &reader))
        case .list:
            return .list(
                ListDefinition(
                    name: try reader.readText(upTo: Limits.formIDPart),
                    parents: try readNames(&reader, before: index),
                    columns: try readColumns(&reader), parts: try readNames(&reader, before: index))
            )
        case .part: return .part(try decodePart(&reader))
        case .grant:
            let subject = try readKey(&reader)
            let (role, scope) = try readRoleInScope(&reader)
            return .grant(
                Grant(
                    subject: subject, role: role, scope: scope,
                    firstControl: try reader.readNumber(), firstRecords: try reader.readNumber(),
                    supersedes: try readNames(&reader, before: index)))
        case .roleChange:
            let subject = try readKey(&reader)
            let (role, scope) = try readRoleInScope(&reader)
            return .roleChange(
                RoleChange(
                    subject: subject, role: role, scope: scope,
                    heads: try readHeads(&reader), supersedes: try readNames(&reader, before: index)
                ))
        case .removal:
            return .removal(
                Removal(
                    subject: try readKey(&reader), heads: try readHeads(&reader),
                    supersedes: try readNames(&reader, before: index),
                    reason: try reader.readText(upTo: Limits.shortText)))
        case .accept:
            return .accept(
                Acceptance(subject: try readKey(&reader), heads: try readHeads(&reader)))
        }
    }

    private func decodeForm(
        index: Int, from reader: inout CBORReader
    ) throws -> FormDefinition {
        let formID = try reader.readText(upTo: Limits.formID)
        let version = try reader.readText(upTo: Limits.shortText)
        let parents = try readNames(&reader, before: index)
        var fields: [FormField] = []
        for _ in 0..<(try reader.readArray(upTo: Limits.fieldsPerForm)) {
            try reader.readArray(exactly: 2)
            let name = try reader.readText(upTo: Limits.fieldName)
            guard let type = StorageType(rawValue: UInt8(try reader.readCount(upTo: 255))) else {
                throw BodyError.cbor(.outOfRange)
            }
            fields.append(FormField(name: name, type: type))
        }
        return FormDefinition(
            formID: formID, version: version, parents: parents, fields: fields,
            json: try reader.readText(upTo: Limits.definitionText))
    }

    private func readColumns(_ reader: inout CBORReader) throws -> [String] {
        var columns: [String] = []
        for _ in 0..<(try reader.readArray(upTo: Limits.listColumns)) {
            columns.append(try reader.readText(upTo: Limits.fieldName))
        }
        return columns
    }

    private func decodePart(_ reader: inout CBORReader) throws -> ListPart {
        let width = try reader.readCount(upTo: Limits.listColumns)
        let count = try reader.readArray(upTo: Limits.cellsPerPart)
        guard width > 0, count > 0, count.isMultiple(of: width) else {
            throw BodyError.cbor(.outOfRange)
        }
        let start = reader.position
        for _ in 0..<count {
            guard case .text(_, let length) = try reader.readCell() else {
                throw BodyError.cbor(.unexpected)
            }
            guard length <= Limits.listCell else { throw BodyError.cbor(.outOfRange) }
        }
        guard reader.position - start <= Limits.listPart else {
            throw BodyError.cbor(.outOfRange)
        }
        return ListPart(
            width: width, rows: count / width, cells: Array(storage[start..<reader.position]))
    }

    private func readKey(_ reader: inout CBORReader) throws -> DeviceKey {
        keys[try reader.readCount(upTo: keys.count - 1)]
    }

    /// A role, and the scope that goes with it.
    private func readRoleInScope(_ reader: inout CBORReader) throws -> (Role, Scope?) {
        guard let role = Role(rawValue: UInt8(try reader.readCount(upTo: 255))) else {
            throw BodyError.cbor(.outOfRange)
        }
        let scope = try Scope(from: &reader)
        guard scope == nil || role.takesScope else { throw BodyError.cbor(.outOfRange) }
        return (role, scope)
    }

    /// Heads in the control log, then heads in the records log, each list in order.
    private func readHeads(_ reader: inout CBORReader) throws -> CoveredHeads {
        try reader.readArray(exactly: 2)
        return CoveredHeads(
            control: try readHeadList(&reader), records: try readHeadList(&reader))
    }

    private func readHeadList(_ reader: inout CBORReader) throws -> [LogHead] {
        var heads: [LogHead] = []
        for _ in 0..<(try reader.readArray(upTo: Limits.parentsPerOperation)) {
            try reader.readArray(exactly: 2)
            let head = try reader.readHead()
            if let last = heads.last, last >= head { throw BodyError.cbor(.notDeterministic) }
            heads.append(head)
        }
        return heads
    }
}
