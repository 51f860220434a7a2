import ShareCrypto

/// The parts of a batch's COSE_Sign1 structure (RFC 9052 §4.2) whose bytes are always the same.
enum Envelope {
    /// CBOR's tag 18, COSE_Sign1.
    static let tag: UInt8 = 0xd2
    static let version: UInt64 = 1
    static let contentType = "application/vnd.shared.batch"

    private enum Header {
        static let algorithm = 1
        static let contentType = 3
        static let keyID = 4
        static let edDSA = -8
    }

    /// Keys of the payload's map.
    enum Field {
        static let version = 0
        static let room = 1
        static let kind = 2
        static let number = 3
        static let previous = 4
        static let clock = 5
        static let rawLength = 6
        static let body = 7
        static let count = 8
    }

    /// The protected header of an author's batches.
    static func protected(author: DeviceKey) -> [UInt8] {
        var writer = CBORWriter(reserving: 80)
        writer.map(3)
        writer.write(Header.algorithm)
        writer.write(Header.edDSA)
        writer.write(Header.contentType)
        writer.write(text: contentType)
        writer.write(Header.keyID)
        writer.write(bytes: author.bytes)
        return writer.bytes
    }

    static let protectedLength = protected(author: DeviceKey(.zero)).count

    /// What is signed: Sig_structure of RFC 9052 §4.4.
    static func signed(protected: [UInt8], payload: some Collection<UInt8>) -> [UInt8] {
        var writer = CBORWriter(reserving: payload.count + protected.count + 32)
        writer.array(4)
        writer.write(text: "Signature1")
        writer.write(bytes: protected)
        writer.write(bytes: [])
        writer.write(bytes: payload)
        return writer.bytes
    }
}
