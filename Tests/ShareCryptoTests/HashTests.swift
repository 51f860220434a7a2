import ShareCrypto
import Testing

@Suite struct HashTests {
    // The first two are widely published; the keyed one below is from Python's hashlib.
    @Test(arguments: [
        ("", "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8"),
        ("616263", "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319"),
    ])
    func `the hash is BLAKE2b with 32 bytes of output`(message: String, digest: String) throws {
        #expect(try Hash.digest(hex(message)).bytes == (try hex(digest)))
        #expect(try Hash.digest(hex(message).reversed().reversed()).bytes == (try hex(digest)))
    }

    @Test func `the keyed hash is BLAKE2b's own, not a hash of key and message`() throws {
        let key = try #require(Bytes32(0..<32))
        let expected = try hex("d63a32d3e44738d7907f964316c241adaba0abfeabc32349677578a15a203f7f")
        #expect(Hash.digest([0x61, 0x62, 0x63], key: key).bytes == expected)
        #expect(Hash.digest(key.bytes + [0x61, 0x62, 0x63]).bytes != expected)
    }
}
