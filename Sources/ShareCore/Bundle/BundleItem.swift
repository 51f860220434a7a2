package import ShareCrypto

/// One item of a bundle (docs/protocol/bundle.md, §2).
package enum BundleItem: Hashable, Sendable {
    case header(BundleHeader)
    /// The name that the writer has for a device.
    case device(DeviceKey, name: String)
    case request(BundleRequest)
    /// The bytes of a batch, which nobody has checked.
    case batch([UInt8])
    /// The state that the writer computes from the batches that it holds.
    case state(vector: Digest, digest: Digest)
    case end(batches: UInt64, hash: Digest, signature: [UInt8])
}

extension BundleItem {
    enum Kind: UInt64 {
        case header, device, request, batch, state, end

        /// Elements of the item's array, the kind among them.
        var width: Int {
            switch self {
            case .header: 6
            case .device, .state: 3
            case .request: 7
            case .batch: 2
            case .end: 4
            }
        }
    }

    /// The item as CBOR, without its length.
    var encoded: [UInt8] {
        var writer = CBORWriter()
        func begin(_ kind: Kind) {
            writer.array(kind.width)
            writer.write(unsigned: kind.rawValue)
        }
        switch self {
        case .header(let header):
            begin(.header)
            if let room = header.room {
                writer.write(bytes: room.bytes)
            } else {
                writer.writeNull()
            }
            writer.write(text: header.name)
            writer.write(bytes: header.writer.bytes)
            writer.write(unsigned: header.wall)
            writer.write(header.isWhole)
        case .device(let key, let name):
            begin(.device)
            writer.write(bytes: key.bytes)
            writer.write(text: name)
        case .request(let request):
            begin(.request)
            request.write(to: &writer)
            writer.write(bytes: request.signature)
        case .batch(let bytes):
            begin(.batch)
            writer.write(bytes: bytes)
        case .state(let vector, let digest):
            begin(.state)
            writer.write(bytes: vector.bytes)
            writer.write(bytes: digest.bytes)
        case .end(let batches, let hash, let signature):
            begin(.end)
            writer.write(unsigned: batches)
            writer.write(bytes: hash.bytes)
            writer.write(bytes: signature)
        }
        return writer.bytes
    }

    init(encoded: [UInt8]) throws(CBORError) {
        self = try encoded.readCBOR { (reader) throws(CBORError) in
            let count = try reader.readArray(upTo: 7)
            guard let kind = Kind(rawValue: try reader.readUnsigned()) else { throw .unexpected }
            guard count == kind.width else { throw .unexpected }
            return try BundleItem(kind, &reader)
        }
    }

    private init(_ kind: Kind, _ reader: inout CBORReader) throws(CBORError) {
        switch kind {
        case .header:
            self = .header(
                BundleHeader(
                    room: try BundleItem.room(&reader),
                    name: try reader.readText(upTo: Limits.roomName),
                    writer: try BundleItem.key(&reader), wall: try reader.readUnsigned(),
                    isWhole: try reader.readBool()))
        case .device:
            self = .device(
                try BundleItem.key(&reader),
                name: try reader.readText(upTo: BundleLimits.deviceName))
        case .request:
            self = .request(
                BundleRequest(
                    key: try BundleItem.key(&reader),
                    name: try reader.readText(upTo: BundleLimits.deviceName),
                    wall: try reader.readUnsigned(), room: try BundleItem.room(&reader),
                    heads: try BundleItem.heads(&reader),
                    signature: try reader.readBytes(exactly: Signature.length)))
        case .batch: self = .batch(try reader.readBytes(upTo: Limits.encodedBatch))
        case .state:
            self = .state(vector: try reader.readDigest(), digest: try reader.readDigest())
        case .end:
            self = .end(
                batches: try reader.readUnsigned(), hash: try reader.readDigest(),
                signature: try reader.readBytes(exactly: Signature.length))
        }
    }

    private static func key(_ reader: inout CBORReader) throws(CBORError) -> DeviceKey {
        DeviceKey(try reader.readDigest().value)
    }

    private static func room(_ reader: inout CBORReader) throws(CBORError) -> RoomID? {
        guard !reader.isNextNull else {
            try reader.readNull()
            return nil
        }
        return RoomID(try reader.readDigest())
    }

    private static func heads(_ reader: inout CBORReader) throws(CBORError) -> CoveredHeads {
        try reader.readArray(exactly: 2)
        let control = try JoinAcceptance.heads(&reader)
        return CoveredHeads(control: control, records: try JoinAcceptance.heads(&reader))
    }
}

/// The first item of a bundle, about the bundle itself. The signature at the end proves `writer`,
/// and nothing else of it.
package struct BundleHeader: Hashable, Sendable {
    /// The room whose batches follow; nil where only a request to join does.
    package let room: RoomID?
    /// The name that the writer has for the room: a label.
    package let name: String
    package let writer: DeviceKey
    /// Milliseconds since 1970 by the writer's clock, for display.
    package let wall: UInt64
    /// Whether everything is in it that the writer holds, also what is passed on to owners alone.
    package let isWhole: Bool

    package init(
        room: RoomID?, name: String, writer: DeviceKey, wall: UInt64, isWhole: Bool
    ) {
        self.room = room
        self.name = name
        self.writer = writer
        self.wall = wall
        self.isWhole = isWhole
    }
}
