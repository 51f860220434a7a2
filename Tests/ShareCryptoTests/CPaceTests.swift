import Testing

@testable import ShareCrypto

@Suite struct CPaceTests {
    let vectors: CPaceVectors

    init() throws { vectors = try CPaceVectors.load() }

    private func scalar(_ bytes: [UInt8]) throws -> CPaceScalar {
        var bytes = bytes
        return try #require(CPaceScalar(taking: &bytes))
    }

    private func side(
        _ role: CPaceRole, password: [UInt8]? = nil, channel: [UInt8]? = nil,
        session: [UInt8]? = nil
    ) throws -> CPace {
        let isFirst = role == .initiator
        return try CPace(
            role: role, password: password ?? vectors["PRS"], channel: channel ?? vectors["CI"],
            session: session ?? vectors["sid"],
            associated: vectors[isFirst ? "ADa" : "ADb"],
            scalar: scalar(vectors[isFirst ? "ya" : "yb"]))
    }

    private func keys(_ a: CPace, _ b: CPace) throws -> (CPaceKey, CPaceKey) {
        (
            try a.key(with: b.share, associated: vectors["ADb"]),
            try b.key(with: a.share, associated: vectors["ADa"])
        )
    }

    @Test func `the block length, the separator and the generator string are the draft's`() throws {
        #expect(SHA512.blockLength == vectors.generator.H_s_in_bytes)
        #expect(CPace.domainSeparation == (try hex(vectors.generator.DSI)))
        let string = try CPace.generatorString(
            password: vectors["PRS"], channel: vectors["CI"], session: vectors["sid"])
        #expect(string.count == vectors.generator.generator_string_length)
    }

    @Test func `the generator is the published one`() throws {
        let generator = try CPace.generator(
            password: vectors["PRS"], channel: vectors["CI"], session: vectors["sid"])
        #expect(try generator.bytes == vectors["g"])
    }

    @Test func `shares, product and key are the published ones`() throws {
        let (a, b) = (try side(.initiator), try side(.responder))
        #expect(try a.share.bytes == vectors["Ya"])
        #expect(try b.share.bytes == vectors["Yb"])
        let product = try Ristretto.withProduct(scalar(vectors["ya"]), b.share.value) { $0 }
        #expect(try product == vectors["K"])
        #expect(
            try Ristretto.withProduct(scalar(vectors["yb"]), a.share.value) { $0 } == vectors["K"])
        let (keyA, keyB) = try keys(a, b)
        let expected = try vectors["ISK_IR"]
        #expect(keyA.secret.withUnsafeBytes { Array($0) } == expected)
        #expect(keyB.secret.withUnsafeBytes { Array($0) } == expected)
    }

    @Test func `the values of the draft that the product does not use agree too`() throws {
        let first = try CPace.lvCat(vectors["Ya"], vectors["ADa"])
        let second = try CPace.lvCat(vectors["Yb"], vectors["ADb"])
        let ordered =
            Array("oc".utf8)
            + (first.lexicographicallyPrecedes(second) ? second + first : first + second)
        let label = Array("CPaceSidOutput".utf8)
        #expect(try SHA512.digest(label + first + second) == vectors["sid_output_ir"])
        #expect(try SHA512.digest(label + ordered) == vectors["sid_output_oc"])
        let key = try CPace.lvCat(CPace.keySeparation, vectors["sid"], vectors["K"])
        #expect(try SHA512.digest(key + ordered) == vectors["ISK_SY"])
    }

    @Test func `scalar multiplication gives the published product`() throws {
        let element = try #require(Bytes32(vectors.point("X")))
        let product = try Ristretto.withProduct(scalar(vectors.point("s")), element) { $0 }
        #expect(try product == vectors.point("G.scalar_mult(s,decode(X))"))
        #expect(try product == vectors.point("G.scalar_mult_vfy(s,X)"))
    }

    @Test func `invalid points are refused`() throws {
        for text in [vectors.points.invalid1, vectors.points.invalid2] {
            let share = try #require(CPaceShare(hex(text)))
            for role in CPaceRole.allCases {
                let side = try side(role)
                #expect(throws: CPaceError.invalidElement) {
                    try side.key(with: share, associated: [])
                }
            }
        }
    }

    @Test func `a scalar of zero and shares of other lengths are refused`() throws {
        let zero = try scalar([UInt8](repeating: 0, count: 32))
        #expect(throws: CPaceError.invalidElement) {
            try CPace(
                role: .initiator, password: [1], channel: [], session: [], associated: [],
                scalar: zero)
        }
        for length in [0, 31, 33, 64] {
            #expect(CPaceShare([UInt8](repeating: 1, count: length)) == nil)
            var bytes = [UInt8](repeating: 1, count: length)
            #expect(CPaceScalar(taking: &bytes) == nil)
            #expect(CPaceTag([UInt8](repeating: 1, count: length + 1)) == nil)
        }
    }

    @Test(arguments: [0, 1, 127, 128, 255, 16_383, 16_384])
    func `lengths are written in LEB128`(length: Int) {
        let output = CPace.lvCat([UInt8](repeating: 7, count: length))
        let prefix = output.dropLast(length)
        let value = prefix.reversed().reduce(0) { $0 << 7 | Int($1 & 0x7f) }
        #expect(value == length)
        #expect(prefix.dropLast().allSatisfy { $0 > 0x7f } && (prefix.last ?? 0xff) < 0x80)
        #expect(prefix.count == (length < 128 ? 1 : length < 16_384 ? 2 : 3))
    }

    @Test func `a long password leaves no room for padding and none is added`() {
        let string = CPace.generatorString(
            password: [UInt8](repeating: 1, count: 200), channel: [], session: [])
        #expect(string.count == 18 + 202 + 1 + 1 + 1)
    }

    @Test func `tags prove the key, each only for its own side`() throws {
        let (a, b) = try keys(side(.initiator), side(.responder))
        #expect(b.isValid(a.tag(of: .initiator), of: .initiator))
        #expect(a.isValid(b.tag(of: .responder), of: .responder))
        #expect(!a.isValid(a.tag(of: .initiator), of: .responder))
        for index in 0..<CPaceTag.length {
            var bytes = a.tag(of: .initiator).bytes
            bytes[index] ^= 1
            #expect(try !b.isValid(#require(CPaceTag(bytes)), of: .initiator))
        }
    }

    @Test func `the tag is the draft's, made again step by step`() throws {
        let (key, _) = try keys(side(.initiator), side(.responder))
        let macKey = try SHA512.digest(
            Array("CPaceMac".utf8) + vectors["sid"] + vectors["ISK_IR"])
        let message = try CPace.lvCat(vectors["Ya"], vectors["ADa"])
        let tag = macKey.withUnsafeBytes { SHA512.authenticator(of: message, key: $0) }
        #expect(key.tag(of: .initiator).bytes == tag)
    }

    @Test func `another password, channel or session gives another key`() throws {
        let a = try side(.initiator)
        for b in [
            try side(.responder, password: [1]), try side(.responder, channel: [1]),
            try side(.responder, session: [1]),
        ] {
            let (keyA, keyB) = try keys(a, b)
            #expect(!keyB.isValid(keyA.tag(of: .initiator), of: .initiator))
            #expect(keyB.open(keyA.seal([1, 2, 3], label: "x"), label: "x") == nil)
        }
    }

    @Test func `a sealed message opens under its label and unchanged only`() throws {
        let (a, b) = try keys(side(.initiator), side(.responder))
        for message in [[], [0], Array("hello".utf8), [UInt8](repeating: 9, count: 4_000)] {
            let sealed = a.seal(message, label: "one")
            #expect(sealed.count == message.count + CPaceKey.sealLength)
            #expect(b.open(sealed, label: "one") == message)
            #expect(b.open(sealed, label: "two") == nil)
            #expect(b.open(Array(sealed.dropLast()), label: "one") == nil)
            for index in sealed.indices.prefix(40) {
                var changed = sealed
                changed[index] ^= 0x80
                #expect(b.open(changed, label: "one") == nil)
            }
        }
        #expect(b.open([], label: "one") == nil)
        #expect(b.open([UInt8](repeating: 0, count: 15), label: "one") == nil)
    }

    @Test func `fresh scalars lead to the same key on both sides`() throws {
        for _ in 0..<20 {
            let sides = try CPaceRole.allCases.map {
                try CPace(
                    role: $0, password: [1, 2], channel: [3], session: [4], associated: [5],
                    scalar: .random())
            }
            #expect(sides[0].share != sides[1].share)
            let a = try sides[0].key(with: sides[1].share, associated: [5])
            let b = try sides[1].key(with: sides[0].share, associated: [5])
            #expect(b.isValid(a.tag(of: .initiator), of: .initiator))
        }
    }
}
