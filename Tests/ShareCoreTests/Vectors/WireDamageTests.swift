import ShareCore
import ShareCrypto
import Testing

/// Messages that were cut or changed on their way.
@Suite struct WireDamageTests {
    @Test(arguments: WireSamples.all.indices)
    func `a message is what it was, to the byte, after reading`(index: Int) throws {
        let bytes = WireSamples.all[index].message.encoded()
        #expect(try WireMessage(decoding: bytes).encoded() == bytes)
    }

    @Test(arguments: WireSamples.all.indices)
    func `a message cut anywhere, or with a byte too many, is none`(index: Int) {
        let bytes = WireSamples.all[index].message.encoded()
        for count in bytes.indices {
            #expect(throws: WireError.self) { try WireMessage(decoding: Array(bytes[..<count])) }
        }
        #expect(throws: WireError.self) { try WireMessage(decoding: bytes + [0]) }
    }

    @Test(arguments: WireSamples.all.indices)
    func `a message with a changed bit is another one or none`(index: Int) {
        let bytes = WireSamples.all[index].message.encoded()
        for place in bytes.indices {
            for bit in 0..<8 {
                var changed = bytes
                changed[place] ^= 1 << UInt8(bit)
                guard let read = try? WireMessage(decoding: changed) else { continue }
                // Of another version nothing but the version is read.
                if case .otherHello = read { continue }
                #expect(read.encoded() == changed, "bit \(bit) of byte \(place)")
            }
        }
    }
}
