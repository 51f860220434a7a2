package import ShareCrypto

/// The room, as the inviter shows it to a joiner that has proven the code.
package struct JoinWelcome: Hashable, Sendable {
    package let room: RoomID
    /// The founding batch, verbatim: its hash is the room's id.
    package let founding: [UInt8]
    /// The room's name now; a label for people.
    package let name: String
    /// The role offered to the joiner: it can tell before it accepts whether it is more than it
    /// has.
    package let role: Role

    package init(room: RoomID, founding: [UInt8], name: String, role: Role) {
        self.room = room
        self.founding = founding
        self.name = name
        self.role = role
    }

    var encoded: [UInt8] {
        var writer = CBORWriter()
        writer.array(4)
        writer.write(bytes: room.bytes)
        writer.write(bytes: founding)
        writer.write(text: name)
        writer.write(Int(role.rawValue))
        return writer.bytes
    }

    init(encoded: [UInt8]) throws(CBORError) {
        self = try encoded.readCBOR { (reader) throws(CBORError) in
            try reader.readArray(exactly: 4)
            let room = RoomID(try reader.readDigest())
            let founding = try reader.readBytes(upTo: JoinLimits.foundingBatch)
            let name = try reader.readText(upTo: Limits.roomName)
            guard let role = Role(rawValue: UInt8(try reader.readCount(upTo: 255))) else {
                throw .outOfRange
            }
            return JoinWelcome(room: room, founding: founding, name: name, role: role)
        }
    }

    /// Whether the founding batch is one, signed by its author, and makes just this room.
    var isGenuine: Bool {
        guard let batch = try? Batch(verifying: founding), batch.isFounding, batch.room == room,
            let body = try? batch.openBody(), case .control(let first)? = body.blocks.first,
            case .found? = first.entries.first?.operation
        else { return false }
        return true
    }
}

/// The inviter's part in an exchange about one of its invites.
package struct JoinOffer: Hashable, Sendable {
    let secret: JoinSecret
    let use: InviteUse?
    let welcome: JoinWelcome
    let scope: Scope?

    /// - Parameters:
    ///   - joiner: The key of the device at the other end.
    ///   - founding: The founding batch of the invite's room, verbatim.
    ///   - name: What the room is called now.
    /// - Returns: Nil if the founding batch or the name is too long to be sent.
    package init?(_ invite: Invite, for joiner: DeviceKey, founding: [UInt8], name: String) {
        guard founding.count <= JoinLimits.foundingBatch, name.utf8.count <= Limits.roomName else {
            return nil
        }
        secret = invite.code.secret
        use = invite.usedBy[joiner]
        scope = invite.scope
        welcome = JoinWelcome(room: invite.room, founding: founding, name: name, role: invite.role)
    }
}

/// The joiner's yes, sent after it has been written down there.
struct JoinAcceptance: Hashable, Sendable {
    /// The heads of the joiner's own logs in this room, empty if it was never a member.
    let heads: CoveredHeads
    /// Over `JoinChannel.acceptance`, by the joiner's key.
    let signature: [UInt8]

    var encoded: [UInt8] {
        var writer = CBORWriter()
        writer.array(3)
        writer.write(heads)
        writer.write(bytes: signature)
        return writer.bytes
    }

    init(heads: CoveredHeads, signature: [UInt8]) {
        self.heads = heads
        self.signature = signature
    }

    init(encoded: [UInt8]) throws(CBORError) {
        self = try encoded.readCBOR { (reader) throws(CBORError) in
            try reader.readArray(exactly: 3)
            let control = try JoinAcceptance.heads(&reader)
            let records = try JoinAcceptance.heads(&reader)
            return JoinAcceptance(
                heads: CoveredHeads(control: control, records: records),
                signature: try reader.readBytes(exactly: Signature.length))
        }
    }

    /// The heads of one log.
    static func heads(_ reader: inout CBORReader) throws(CBORError) -> [LogHead] {
        var heads: [LogHead] = []
        for _ in 0..<(try reader.readArray(upTo: Limits.headsPerLog)) {
            try reader.readArray(exactly: 2)
            let head = try reader.readHead()
            if let last = heads.last, last >= head { throw .notDeterministic }
            heads.append(head)
        }
        return heads
    }
}

extension JoinAcceptance {
    func isSigned(by key: DeviceKey, over message: [UInt8]) -> Bool {
        Signature.isValid(signature, of: message, by: key)
    }
}

/// The grant that an inviter is to write for a device that has accepted.
package struct JoinGrantRequest: Hashable, Sendable {
    package let room: RoomID
    package let subject: DeviceKey
    package let role: Role
    package let scope: Scope?
    /// The numbers after the joiner's own heads, where there are any left.
    package let firstControl: UInt64
    package let firstRecords: UInt64

    init(
        room: RoomID, subject: DeviceKey, role: Role, scope: Scope? = nil, heads: CoveredHeads
    ) {
        self.room = room
        self.subject = subject
        self.role = role
        self.scope = scope
        func next(after heads: [LogHead]) -> UInt64 {
            min(1 + (heads.map(\.number).max() ?? 0), Limits.largestNumber)
        }
        firstControl = next(after: heads.control)
        firstRecords = next(after: heads.records)
    }
}
