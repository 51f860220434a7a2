import ShareCrypto

extension Invite {
    private static let version = 3
    private static let fields = 14

    /// The invite in CBOR, for the store of the device that made it; it holds the secret.
    package var encoded: [UInt8] {
        var writer = CBORWriter()
        writer.array(Invite.fields)
        writer.write(Invite.version)
        writer.write(text: code.selector.text)
        writer.write(text: code.secret.text)
        writer.write(bytes: room.bytes)
        writer.write(Int(role.rawValue))
        writer.write(scope)
        if let name { writer.write(text: name) } else { writer.writeNull() }
        writer.write(unsigned: made)
        writer.write(unsigned: expires)
        writer.write(uses)
        writer.write(attemptsLeft)
        writer.write(isWithdrawn)
        if let ended { writer.write(unsigned: ended) } else { writer.writeNull() }
        writer.array(usedBy.count)
        for (key, use) in usedBy.sorted(by: { $0.key < $1.key }) {
            writer.array(2)
            writer.write(bytes: key.bytes)
            switch use {
            case .accepted: writer.writeNull()
            case .granted(let name):
                writer.array(2)
                writer.write(bytes: name.batch.bytes)
                writer.write(name.index)
            }
        }
        return writer.bytes
    }

    /// Reads what `encoded` gave.
    ///
    /// - Throws: `CBORError` if it is anything else.
    package init(encoded: [UInt8]) throws(CBORError) {
        self = try encoded.readCBOR { (reader) throws(CBORError) in
            try Invite(from: &reader)
        }
    }

    private init(from reader: inout CBORReader) throws(CBORError) {
        try reader.readArray(exactly: Invite.fields)
        guard try reader.readUnsigned() == UInt64(Invite.version),
            let selector = JoinSelector(try reader.readText(upTo: JoinSelector.length)),
            let secret = JoinSecret(try reader.readText(upTo: JoinSecret.length))
        else { throw .unexpected }
        let room = RoomID(try reader.readDigest())
        guard let role = Role(rawValue: UInt8(try reader.readCount(upTo: 255))) else {
            throw .outOfRange
        }
        let scope = try Scope(from: &reader)
        var name: String?
        if reader.isNextNull {
            try reader.readNull()
        } else {
            name = try reader.readText(upTo: JoinLimits.inviteName)
        }
        self.init(
            code: JoinCode(selector: selector, secret: secret), room: room, role: role,
            scope: scope, name: name, made: try reader.readUnsigned(),
            expires: try reader.readUnsigned(),
            uses: try reader.readCount(upTo: JoinLimits.usesPerInvite))
        attemptsLeft = try reader.readCount(upTo: JoinLimits.attemptsPerInvite)
        isWithdrawn = try reader.readBool()
        if reader.isNextNull {
            try reader.readNull()
        } else {
            ended = try reader.readUnsigned()
        }
        for _ in 0..<(try reader.readArray(upTo: JoinLimits.usesPerInvite)) {
            try reader.readArray(exactly: 2)
            let key = DeviceKey(try reader.readDigest().value)
            if reader.isNextNull {
                try reader.readNull()
                usedBy[key] = .accepted
            } else {
                try reader.readArray(exactly: 2)
                let batch = BatchID(try reader.readDigest())
                let index = try reader.readCount(upTo: Limits.operationsPerBatch)
                usedBy[key] = .granted(OperationName(batch: batch, index: index))
            }
        }
    }
}
