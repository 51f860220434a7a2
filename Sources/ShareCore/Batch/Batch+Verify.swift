import ShareCrypto

extension Batch {
    /// Reads and checks a batch that came from outside.
    ///
    /// What holds afterwards: the bytes are the one encoding of an envelope, the signature is
    /// the author's, room, number and previous hash fit together. The body is not looked at.
    /// - Throws: `EnvelopeError`; such bytes are not a batch.
    package init(verifying bytes: [UInt8]) throws(EnvelopeError) {
        try self.init(bytes, from: 0, checkingSignature: true)
    }

    /// The same for a batch at the end of a frame, which is kept as it is.
    init(verifying frame: [UInt8], from start: Int) throws(EnvelopeError) {
        try self.init(frame, from: start, checkingSignature: true)
    }

    /// Reads a batch whose signature has been checked before: from this device's own store.
    package init(trusted bytes: [UInt8]) throws(EnvelopeError) {
        try self.init(bytes, from: 0, checkingSignature: false)
    }

    private init(
        _ storage: [UInt8], from start: Int, checkingSignature: Bool
    ) throws(EnvelopeError) {
        let slice = storage[start...]
        guard slice.count <= Limits.encodedBatch else { throw .tooLong }
        let parsed: Result<Parts, EnvelopeError> = slice.withUnsafeBytes { buffer in
            do throws(EnvelopeError) {
                let parts = try Batch.parse(buffer)
                if checkingSignature { try Batch.checkSignature(of: parts, in: buffer) }
                return .success(parts)
            } catch {
                return .failure(error)
            }
        }
        let parts = try parsed.get()
        let id = BatchID(slice.withUnsafeBytes { Hash.digest($0) })
        let isFounding = parts.room == .unfounded
        if isFounding {
            guard parts.kind == .control, parts.number == 1, parts.previous.digest == .zero else {
                throw .position
            }
        } else {
            guard parts.previous.digest != .zero,
                parts.number > 1 || parts.previous.digest == parts.room.digest
            else { throw .position }
        }
        self.id = id
        room = isFounding ? RoomID(id.digest) : parts.room
        author = parts.author
        kind = parts.kind
        number = parts.number
        previous = parts.previous
        clock = parts.clock
        wall = parts.wall
        self.storage = storage
        self.start = start
        rawLength = parts.rawLength
        compressedBody = parts.body
    }

    private struct Parts {
        var author: DeviceKey
        var room: RoomID
        var kind: LogKind
        var number: UInt64
        var previous: BatchID
        var clock: Timestamp
        var wall: WallTime
        var rawLength: UInt64
        var body: Range<Int>
        var payload: Range<Int>
        var signature: Range<Int>
    }

    private static func parse(_ buffer: UnsafeRawBufferPointer) throws(EnvelopeError) -> Parts {
        do {
            return try parseParts(buffer)
        } catch let error as CBORError {
            throw .cbor(error)
        } catch let error as EnvelopeError {
            throw error
        } catch {
            throw .structure
        }
    }

    private static func parseParts(_ buffer: UnsafeRawBufferPointer) throws -> Parts {
        guard buffer.first == Envelope.tag else { throw EnvelopeError.structure }
        var outer = CBORReader(UnsafeRawBufferPointer(rebasing: buffer.dropFirst()))
        try outer.readArray(exactly: 4)
        let header = try outer.readBytesRange().afterTag
        guard header.count == Envelope.protectedLength,
            let author = DeviceKey(buffer[header].suffix(Bytes32.count)),
            buffer[header].elementsEqual(Envelope.protected(author: author)),
            try outer.readMap(upTo: 0) == 0
        else { throw EnvelopeError.structure }
        let payload = try outer.readBytesRange().afterTag
        let signature = try outer.readBytesRange().afterTag
        guard signature.count == Signature.length else { throw EnvelopeError.structure }
        try outer.finish()

        var inner = CBORReader(UnsafeRawBufferPointer(rebasing: buffer[payload]))
        guard try inner.readMap(upTo: Envelope.Field.count) == Envelope.Field.count else {
            throw EnvelopeError.structure
        }
        try inner.expect(Envelope.Field.version)
        let version = try inner.readUnsigned()
        guard version == Envelope.version else { throw EnvelopeError.version(version) }
        try inner.expect(Envelope.Field.room)
        let room = RoomID(try inner.readDigest())
        try inner.expect(Envelope.Field.kind)
        guard let kind = LogKind(rawValue: UInt8(try inner.readCount(upTo: 255))) else {
            throw EnvelopeError.structure
        }
        try inner.expect(Envelope.Field.number)
        let number = try inner.readUnsigned()
        guard Limits.numbers.contains(number) else { throw EnvelopeError.position }
        try inner.expect(Envelope.Field.previous)
        let previous = BatchID(try inner.readDigest())
        try inner.expect(Envelope.Field.clock)
        guard let clock = Timestamp(rawValue: try inner.readUnsigned()) else {
            throw EnvelopeError.clock
        }
        try inner.expect(Envelope.Field.wall)
        guard let wall = WallTime(try inner.readInteger(), after: clock) else {
            throw EnvelopeError.clock
        }
        try inner.expect(Envelope.Field.rawLength)
        let rawLength = try inner.readUnsigned()
        try inner.expect(Envelope.Field.body)
        let body = try inner.readBytesRange()
        try inner.finish()
        return Parts(
            author: author, room: room, kind: kind, number: number, previous: previous,
            clock: clock, wall: wall, rawLength: rawLength,
            body: payload.lowerBound + body.lowerBound..<payload.lowerBound + body.upperBound,
            payload: payload, signature: signature)
    }

    private static func checkSignature(
        of parts: Parts, in buffer: UnsafeRawBufferPointer
    ) throws(EnvelopeError) {
        let signed = Envelope.signed(
            protected: Envelope.protected(author: parts.author), payload: buffer[parts.payload])
        let signature = UnsafeRawBufferPointer(rebasing: buffer[parts.signature])
        let isValid = signed.withUnsafeBytes {
            Signature.isValid(signature, of: $0, by: parts.author)
        }
        guard isValid else { throw .signature }
    }

    /// Unpacks and decodes the body.
    ///
    /// - Throws: `BodyError`: the body is malformed, so every operation in it is refused; the
    ///   batch itself still counts in its log.
    package func openBody() throws(BodyError) -> Body {
        let raw = try unpackBody()
        let result: Result<Body, BodyError> = raw.withUnsafeBytes { buffer in
            do throws(BodyError) {
                var decoder = BodyDecoder(batch: self, storage: raw)
                return .success(try decoder.decode(buffer))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    private func unpackBody() throws(BodyError) -> [UInt8] {
        guard kind == .records || rawLength <= UInt64(size * Limits.controlExpansion) else {
            throw .compression
        }
        let result: Result<[UInt8], BodyError> = slice.withUnsafeBytes { buffer in
            do throws(BodyError) {
                let frame = UnsafeRawBufferPointer(rebasing: buffer[compressedBody])
                return .success(try Zstd.decompress(frame, length: rawLength))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }
}

extension Range<Int> {
    /// The same place counted from the start of the structure rather than from after its tag.
    fileprivate var afterTag: Range<Int> { lowerBound + 1..<upperBound + 1 }
}
