/// What the inviter shows a joiner that has proven the code: the room.
package struct JoinWelcome: Hashable, Sendable {
    package let room: RoomID
    /// The founding batch, verbatim: its hash is the room's id.
    package let founding: [UInt8]
    /// What the room is called now; a label for people.
    package let name: String
    /// What the joiner is to be: it can tell before it accepts whether it is more than it has.
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
