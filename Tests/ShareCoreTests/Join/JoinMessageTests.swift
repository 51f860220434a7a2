import ShareCore
import ShareCrypto
import ShareTestKit
import Testing

@Suite struct JoinMessageTests {
    static let messages: [JoinMessage] = {
        let selector = JoinSelector("K7")
        let share = CPaceShare(Bytes32.zero)
        let tag = CPaceTag([UInt8](repeating: 3, count: 64))
        guard let selector, let tag else { return [] }
        return [
            .start(selector, share), .reply(share), .proof(tag),
            .welcome(tag, sealed: [UInt8](0..<200)), .accept(sealed: [UInt8](0..<100)),
            .refused(.noInvite), .refused(.wrongCode(attemptsLeft: 3)), .refused(.busy),
            .refused(.tooMany(seconds: 42)), .refused(.ownKey), .refused(.violation),
            .refused(.unavailable),
            .refused(.late), .refused(.notOpen), .refused(.removed), .refused(.notAllowed),
            .ask("clinic"), .ask(""),
            .offer(
                OpenOffer(
                    room: RoomID(Hash.digest([1])), founding: [UInt8](0..<100), name: "clinic",
                    admits: true)),
            .enter(RoomID(Hash.digest([1])), acceptance: [UInt8](0..<100)),
        ]
    }()

    @Test func `every message is read as it was written`() throws {
        #expect(JoinMessageTests.messages.count == 20)
        for message in JoinMessageTests.messages {
            #expect(try JoinMessage(encoded: message.encoded) == message)
            // The same way in which frames of a session are told apart.
            guard case .join(let read) = try WireMessage(decoding: message.encoded) else {
                Issue.record("\(message) is no joining message")
                continue
            }
            #expect(read == message)
        }
    }

    @Test func `a message cut short or with a byte too many is refused`() {
        for message in JoinMessageTests.messages {
            let bytes = message.encoded
            for length in 0..<bytes.count {
                #expect(throws: CBORError.self) {
                    try JoinMessage(encoded: Array(bytes.prefix(length)))
                }
            }
            #expect(throws: CBORError.trailing) { try JoinMessage(encoded: bytes + [0]) }
        }
    }

    @Test(arguments: [
        // Lengths of 2^63 and 2^64 - 1, of an array, a string, and in place of a count.
        [0x9b, 0x80, 0, 0, 0, 0, 0, 0, 0, 0x10],
        [0x9b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x10],
        [0x82, 0x11, 0x5b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
        [0x82, 0x14, 0x5b, 0x80, 0, 0, 0, 0, 0, 0, 0],
        [0x83, 0x15, 0x1b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0],
        // An endless array, a nest, a selector with letters that no code has.
        [0x9f, 0x10, 0xff], [UInt8](repeating: 0x81, count: 4_000),
        [0x83, 0x10, 0x62, 0x4f, 0x49, 0x58, 0x20] + [UInt8](repeating: 0, count: 32),
        [UInt8](repeating: 0, count: 4_065), [0x80], [0x81, 0x10],
    ])
    func `hostile lengths are refused`(bytes: [UInt8]) {
        #expect(throws: CBORError.self) { try JoinMessage(encoded: bytes) }
    }

    @Test func `random and damaged bytes never read as another form of a message`() throws {
        let seed = TestSeed.printed()
        var random = SeededRandom(seed: seed)
        for round in 0..<5_000 {
            var bytes: [UInt8]
            if round.isMultiple(of: 2) {
                bytes = random.bytes(Int(random.next() % 200))
            } else {
                let place = Int(random.next() % UInt64(JoinMessageTests.messages.count))
                let message = JoinMessageTests.messages[place]
                bytes = message.encoded
                for _ in 0...Int(random.next() % 3) {
                    let place = Int(random.next() % UInt64(bytes.count))
                    bytes[place] = UInt8(truncatingIfNeeded: random.next())
                }
            }
            guard let read = try? JoinMessage(encoded: bytes) else { continue }
            // One encoding only: what is read is written the same (a refusal may be one that
            // this release does not know, which reads as another).
            if case .refused = read { continue }
            #expect(read.encoded == bytes, "seed \(seed)")
        }
    }

    @Test func `heads beyond the limits are no acceptance`() throws {
        // Through a whole exchange: the joiner states what it likes.
        let batch = BatchID(Hash.digest([1]))
        let many = (1...9).map { LogHead(number: $0, batch: batch) }
        let beyond = [LogHead(number: (1 << 53) + 1, batch: batch)]
        let zero = [LogHead(number: 0, batch: batch)]
        let twice = [LogHead(number: 2, batch: batch), LogHead(number: 2, batch: batch)]
        for heads in [many, beyond, zero, twice] {
            for covered in [
                CoveredHeads(control: heads, records: []),
                CoveredHeads(control: [], records: heads),
            ] {
                let play = JoinPlay()
                play.heads = covered
                let ending = try play.exchange(play.invite())
                #expect(ending.inviter == .refused(.violation))
                #expect(play.grants.isEmpty)
            }
        }
        let play = JoinPlay()
        play.heads = CoveredHeads(control: Array(many.prefix(8)), records: Array(many.prefix(8)))
        #expect(try play.exchange(play.invite()).joiner == .joined(play.founding.room))
        #expect(play.messages.allSatisfy { $0.encoded.count <= JoinLimits.message })
    }
}
