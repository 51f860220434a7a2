import ShareCrypto

extension WireMessage {
    /// Reads a frame's body. A batch is checked as far as its signature here, off the path that
    /// all sessions share.
    ///
    /// - Throws: `WireError`; the session is over then.
    package init(decoding frame: [UInt8]) throws(WireError) {
        let result: Result<WireMessage, WireError> = frame.withUnsafeBytes { buffer in
            do {
                // Joining messages have numbers and a bound of their own.
                if JoinMessage.isBegun(by: buffer) {
                    return .success(.join(try JoinMessage(encoded: frame)))
                }
                return .success(try WireMessage.decode(buffer, frame))
            } catch let error as CBORError {
                return .failure(.cbor(error))
            } catch let error as EnvelopeError {
                return .failure(.batch(error))
            } catch let error as WireError {
                return .failure(error)
            } catch {
                return .failure(.cbor(.malformed))
            }
        }
        self = try result.get()
    }

    private static func decode(
        _ buffer: UnsafeRawBufferPointer, _ frame: [UInt8]
    ) throws -> WireMessage {
        var reader = CBORReader(buffer)
        let length = try reader.readArray(upTo: 8)
        guard length > 0 else { throw CBORError.unexpected }
        let number = try reader.readUnsigned()
        guard let kind = WireKind(rawValue: number) else {
            throw WireError.unknownMessage(number)
        }
        if kind == .hello, length > 1 {
            let version = try reader.readUnsigned()
            // What follows is for that version to say.
            if version != SyncLimits.protocolVersion { return .otherHello(version: version) }
        }
        guard length == kind.length else { throw CBORError.unexpected }
        let message = try decode(kind, &reader, frame)
        try reader.finish()
        return message
    }

    private static func decode(
        _ kind: WireKind, _ reader: inout CBORReader, _ frame: [UInt8]
    ) throws -> WireMessage {
        switch kind {
        case .hello: return .hello(try decodeHello(&reader))
        case .have: return try decodeHave(&reader)
        case .announce:
            return .announce(
                RoomID(try reader.readDigest()), try reader.readLog(),
                try reader.readHead(), operations: try reader.readUnsigned())
        case .want:
            return .want(
                RoomID(try reader.readDigest()), try reader.readLog(),
                after: try reader.readHeads(upTo: SyncLimits.positions))
        case .batch:
            let range = try reader.readBytesRange()
            try reader.finish()
            return .batch(try Batch(verifying: frame, from: range.lowerBound))
        case .end:
            return .end(
                RoomID(try reader.readDigest()), try reader.readLog(),
                isLost: try reader.readBool())
        case .acknowledge: return try decodeAcknowledge(&reader)
        case .state: return try decodeState(&reader)
        case .addresses: return try decodeAddresses(&reader)
        case .proofs: return .proofs(try decodeProofs(&reader))
        case .names: return try decodeNames(&reader)
        case .ping: return .ping
        case .pong: return .pong
        }
    }

    private static func decodeHello(_ reader: inout CBORReader) throws -> Hello {
        // The version has been read and found to be this one.
        let name = try reader.readText(upTo: SyncLimits.deviceName)
        let wall = try reader.readUnsigned()
        let instance = try reader.readUnsigned()
        return Hello(
            version: SyncLimits.protocolVersion, name: name, wall: wall, instance: instance,
            proofs: try decodeProofs(&reader))
    }

    private static func decodeState(_ reader: inout CBORReader) throws -> WireMessage {
        let room = RoomID(try reader.readDigest())
        let level = try reader.readUnsigned()
        let vector = try reader.readDigest()
        let digest = try reader.readOptionalDigest()
        return .state(room, RoomSummary(level: level, vector: vector, digest: digest))
    }

    private static func decodeProofs(_ reader: inout CBORReader) throws -> [Digest] {
        try reader.readArray(exactly: SyncLimits.proofs)
        var proofs: [Digest] = []
        for _ in 0..<SyncLimits.proofs { proofs.append(try reader.readDigest()) }
        return proofs
    }

    private static func decodeHave(_ reader: inout CBORReader) throws -> WireMessage {
        let room = RoomID(try reader.readDigest())
        var logs: [LogName: LogState] = [:]
        for _ in 0..<(try reader.readArray(upTo: SyncLimits.logs)) {
            try reader.readArray(exactly: 5)
            let log = try reader.readLog()
            logs[log] = LogState(
                heads: try reader.readHeads(upTo: Limits.headsTold),
                all: try reader.readOptionalDigest(), operations: try reader.readUnsigned())
        }
        return .have(room, logs, pending: try reader.readUnsigned())
    }

    private static func decodeAcknowledge(_ reader: inout CBORReader) throws -> WireMessage {
        let room = RoomID(try reader.readDigest())
        var list: [Acknowledgement] = []
        for _ in 0..<(try reader.readArray(upTo: SyncLimits.acknowledgements)) {
            try reader.readArray(exactly: 8)
            let log = try reader.readLog()
            let head = try reader.readHead()
            guard let storing = Acknowledgement.Storing(rawValue: try reader.readUnsigned()) else {
                throw CBORError.outOfRange
            }
            list.append(
                Acknowledgement(
                    log: log, head: head, storing: storing, accepted: try reader.readUnsigned(),
                    waiting: try reader.readUnsigned(), refused: try reader.readUnsigned()))
        }
        return .acknowledge(room, list)
    }

    private static func decodeAddresses(_ reader: inout CBORReader) throws -> WireMessage {
        let room = RoomID(try reader.readDigest())
        var map: [DeviceKey: [String]] = [:]
        for _ in 0..<(try reader.readArray(upTo: SyncLimits.addressEntries)) {
            try reader.readArray(exactly: 2)
            let key = DeviceKey(try reader.readDigest().value)
            var addresses: [String] = []
            for _ in 0..<(try reader.readArray(upTo: SyncLimits.addresses)) {
                addresses.append(try reader.readText(upTo: SyncLimits.addressText))
            }
            map[key] = addresses
        }
        return .addresses(room, map)
    }
}

extension WireMessage {
    private static func decodeNames(_ reader: inout CBORReader) throws -> WireMessage {
        let room = RoomID(try reader.readDigest())
        let release = try reader.readText(upTo: SyncLimits.release)
        // People read it on their screens, and scripts compare it.
        guard release.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            throw CBORError.outOfRange
        }
        var names: [DeviceKey: String] = [:]
        for _ in 0..<(try reader.readArray(upTo: SyncLimits.namesEntries)) {
            try reader.readArray(exactly: 2)
            let key = DeviceKey(try reader.readDigest().value)
            names[key] = try reader.readText(upTo: SyncLimits.deviceName)
        }
        return .names(room, release: release, names)
    }
}

extension WireKind {
    /// Items in the message's array, its number included.
    fileprivate var length: Int {
        switch self {
        case .ping, .pong: 1
        case .batch, .proofs: 2
        case .acknowledge, .addresses: 3
        case .have, .names: 4
        case .want, .end, .state: 5
        case .hello: 6
        case .announce: 7
        }
    }
}

extension CBORReader {
    fileprivate mutating func readLog() throws(CBORError) -> LogName {
        let author = DeviceKey(try readDigest().value)
        guard let kind = LogKind(rawValue: UInt8(try readCount(upTo: 255))) else {
            throw .outOfRange
        }
        return LogName(author: author, kind: kind)
    }

    fileprivate mutating func readOptionalDigest() throws(CBORError) -> Digest? {
        guard isNextNull else { return try readDigest() }
        try readNull()
        return nil
    }

    fileprivate mutating func readHeads(upTo limit: Int) throws(CBORError) -> [LogHead] {
        var heads: [LogHead] = []
        for _ in 0..<(try readArray(upTo: limit)) {
            try readArray(exactly: 2)
            heads.append(try readHead())
        }
        return heads
    }
}
