package import ShareCrypto

extension Batch {
    /// Makes and signs a batch.
    ///
    /// In the blocks `BatchID.thisBatch` stands for the batch that is being made. The caller
    /// keeps to the limits (`Limits.operationsPerBatch`, and `Limits.rawBody` as
    /// `BodyEncoder.encode` measures it).
    /// - Parameters:
    ///   - room: `.unfounded` for a founding batch.
    ///   - clock: not before the clock of any of its operations.
    ///   - wall: nil for the time that `clock` says.
    package static func seal(
        room: RoomID, kind: LogKind, number: UInt64, previous: BatchID, clock: Timestamp,
        wall: WallTime? = nil, blocks: [Body.Block], by identity: DeviceIdentity
    ) -> Batch {
        let raw = BodyEncoder.encode(blocks, author: identity.key, clock: clock)
        return seal(
            room: room, kind: kind, number: number, previous: previous, clock: clock, wall: wall,
            rawBody: raw, by: identity)
    }

    /// Makes and signs a batch around a body that is encoded already.
    package static func seal(
        room: RoomID, kind: LogKind, number: UInt64, previous: BatchID, clock: Timestamp,
        wall: WallTime? = nil, rawBody: [UInt8], by identity: DeviceIdentity
    ) -> Batch {
        var compressed = Zstd.compress(rawBody)
        if kind == .control, rawBody.count > compressed.count * Limits.controlExpansion {
            compressed = Zstd.store(rawBody)
        }
        var payload = CBORWriter(reserving: compressed.count + 128)
        payload.map(Envelope.Field.count)
        payload.write(Envelope.Field.version)
        payload.write(unsigned: Envelope.version)
        payload.write(Envelope.Field.room)
        payload.write(bytes: room.bytes)
        payload.write(Envelope.Field.kind)
        payload.write(unsigned: UInt64(kind.rawValue))
        payload.write(Envelope.Field.number)
        payload.write(unsigned: number)
        payload.write(Envelope.Field.previous)
        payload.write(bytes: previous.bytes)
        payload.write(Envelope.Field.clock)
        payload.write(unsigned: clock.rawValue)
        payload.write(Envelope.Field.wall)
        payload.write(integer: (wall ?? WallTime(clock)).difference(after: clock))
        payload.write(Envelope.Field.rawLength)
        payload.write(unsigned: UInt64(rawBody.count))
        payload.write(Envelope.Field.body)
        payload.write(bytes: compressed)

        let protected = Envelope.protected(author: identity.key)
        let signature = identity.sign(
            Envelope.signed(protected: protected, payload: payload.bytes))
        var whole = CBORWriter(reserving: payload.bytes.count + 256)
        whole.append([Envelope.tag])
        whole.array(4)
        whole.write(bytes: protected)
        whole.map(0)
        whole.write(bytes: payload.bytes)
        whole.write(bytes: signature)
        do {
            return try Batch(trusted: whole.bytes)
        } catch {
            preconditionFailure("a batch that breaks its own rules: \(error)")
        }
    }
}
