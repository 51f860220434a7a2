import ShareCrypto

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
