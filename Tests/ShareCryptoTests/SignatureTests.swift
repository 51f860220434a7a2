import ShareCrypto
import Testing

@Suite struct SignatureTests {
    struct Vector: Sendable {
        let seed: String
        let key: String
        let message: String
        let signature: String
    }

    // RFC 8032 §7.1, tests 1 to 3.
    static let vectors = [
        Vector(
            seed: "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
            key: "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
            message: "",
            signature: "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
                + "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"),
        Vector(
            seed: "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
            key: "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
            message: "72",
            signature: "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
                + "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"),
        Vector(
            seed: "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
            key: "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
            message: "af82",
            signature: "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac"
                + "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a"),
    ]

    private func isValid(_ signature: [UInt8], _ message: [UInt8], _ key: DeviceKey) -> Bool {
        signature.withUnsafeBytes { signature in
            message.withUnsafeBytes { Signature.isValid(signature, of: $0, by: key) }
        }
    }

    @Test(arguments: vectors) func `identities sign as RFC 8032 says`(vector: Vector) throws {
        let seed = try hex(vector.seed)
        let identity = try #require(DeviceIdentity(seed: seed))
        let message = try hex(vector.message)
        #expect(try identity.key.bytes == hex(vector.key))
        #expect(try identity.sign(message) == hex(vector.signature))
        #expect(identity.withSeed { Array($0) } == seed)
        #expect(isValid(identity.sign(message), message, identity.key))
    }

    @Test(arguments: vectors) func `any changed bit is refused`(vector: Vector) throws {
        let key = try #require(DeviceKey(hex(vector.key)))
        let message = try hex(vector.message)
        let signature = try hex(vector.signature)
        for bit in 0..<512 {
            var changed = signature
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(!isValid(changed, message, key))
        }
        #expect(!isValid(signature, message + [0], key))
        #expect(!isValid(Array(signature.dropLast()), message, key))
        #expect(!isValid(signature + [0], message, key))
        #expect(!isValid([], message, key))
    }

    @Test(arguments: vectors)
    func `a second form of a signature, S plus the group's order, is refused`(
        vector: Vector
    ) throws {
        let key = try #require(DeviceKey(hex(vector.key)))
        var signature = try hex(vector.signature)
        let order = try hex("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010")
        var carry = 0
        for index in 0..<32 {
            let sum = Int(signature[32 + index]) + Int(order[index]) + carry
            signature[32 + index] = UInt8(sum & 0xff)
            carry = sum >> 8
        }
        #expect(try !isValid(signature, hex(vector.message), key))
    }

    // The points of order 1, 2, 4 and 8, and second encodings of some.
    @Test(arguments: [
        "0100000000000000000000000000000000000000000000000000000000000000",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0000000000000000000000000000000000000000000000000000000000000080",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    ])
    func `a key of small order signs nothing`(text: String) throws {
        let key = try #require(DeviceKey(hex(text)))
        // With such a key, R = the neutral element and S = 0 fit many messages.
        let neutral = [1] + [UInt8](repeating: 0, count: 63)
        for message in 0..<16 as Range<UInt8> {
            #expect(!isValid(neutral, [message], key))
        }
    }

    @Test func `seeds of other lengths make no identity and fresh ones differ`() {
        for length in [0, 31, 33, 64] {
            #expect(DeviceIdentity(seed: [UInt8](repeating: 1, count: length)) == nil)
        }
        #expect(DeviceIdentity.generate().key != DeviceIdentity.generate().key)
    }
}
