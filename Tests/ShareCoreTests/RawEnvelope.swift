import ShareCore
import ShareCrypto

/// Seals what `Batch.seal` would refuse to make: a hostile author's tool.
struct RawEnvelope {
    var room: RoomID
    var kind: LogKind
    var number: UInt64
    var previous: BatchID
    var clock = TestBatches.clock.rawValue
    /// Milliseconds from `clock`.
    var wall: Int64 = 0
    var version: UInt64 = 1
    var rawLength: UInt64?
    var body: [UInt8]
    /// What stands in the payload instead of the zstd frame of `body`.
    var frame: [UInt8]?

    func sealed(by identity: DeviceIdentity) -> [UInt8] {
        var protected = CBORWriter()
        protected.map(3)
        protected.write(1)
        protected.write(-8)
        protected.write(3)
        protected.write(text: "application/vnd.shared.batch")
        protected.write(4)
        protected.write(bytes: identity.key.bytes)
        var payload = CBORWriter()
        payload.map(9)
        payload.write(0)
        payload.write(unsigned: version)
        payload.write(1)
        payload.write(bytes: room.bytes)
        payload.write(2)
        payload.write(unsigned: UInt64(kind.rawValue))
        payload.write(3)
        payload.write(unsigned: number)
        payload.write(4)
        payload.write(bytes: previous.bytes)
        payload.write(5)
        payload.write(unsigned: clock)
        payload.write(6)
        payload.write(integer: wall)
        payload.write(7)
        payload.write(unsigned: rawLength ?? UInt64(body.count))
        payload.write(8)
        payload.write(bytes: frame ?? Self.store(body))
        var signed = CBORWriter()
        signed.array(4)
        signed.write(text: "Signature1")
        signed.write(bytes: protected.bytes)
        signed.write(bytes: [])
        signed.write(bytes: payload.bytes)
        var whole = CBORWriter()
        whole.append([0xd2])
        whole.array(4)
        whole.write(bytes: protected.bytes)
        whole.map(0)
        whole.write(bytes: payload.bytes)
        whole.write(bytes: identity.sign(signed.bytes))
        return whole.bytes
    }

    /// A zstd frame of raw blocks, made by hand: single segment, content size of 4 bytes.
    static func store(_ body: [UInt8]) -> [UInt8] {
        var frame: [UInt8] = [0x28, 0xb5, 0x2f, 0xfd, 0b1010_0000]
        withUnsafeBytes(of: UInt32(body.count).littleEndian) { frame += $0 }
        var rest = body[...]
        repeat {
            let part = rest.prefix(128 << 10)
            rest = rest.dropFirst(part.count)
            let header = UInt32(part.count) << 3 | (rest.isEmpty ? 1 : 0)
            withUnsafeBytes(of: header.littleEndian) { frame += $0.prefix(3) }
            frame += part
        } while !rest.isEmpty
        return frame
    }
}
