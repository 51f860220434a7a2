import ShareCore
import ShareCrypto
import Testing

@Suite struct JoinExchangeTests {
    private func wrong(_ code: JoinCode) throws -> JoinCode {
        JoinCode(selector: code.selector, secret: try #require(JoinSecret("ZZZZZZ")))
    }

    @Test func `the right code makes one grant, in the order of the protocol`() throws {
        let play = JoinPlay()
        let code = try play.invite(role: .editor)
        let ending = try play.exchange(code)
        #expect(ending.joiner == .joined(play.founding.room))
        #expect(ending.inviter == .granted(play.name(of: 0)))
        #expect(play.joining?.room == play.founding.room)
        #expect(play.joining?.founding == play.founding.bytes)
        #expect(play.joining?.name == "clinic")
        #expect(play.grants.map(\.role) == [.editor])
        #expect(play.grants.map(\.subject) == [play.joiner.key])
        #expect(play.grants.map(\.firstControl) == [1] && play.grants.map(\.firstRecords) == [1])
        #expect(
            play.trace == [
                "J setDeadline", "J send", "I setDeadline", "I open", "I send", "J send",
                "I send", "J commitJoining", "J send", "J expectControlLogs", "I recordUse",
                "I commitGrant", "I recordGrant", "I close", "I sendControlLogs", "I finish",
                "J finish",
            ])
        #expect(
            play.messages.map(JoinPlay.label) == ["start", "reply", "proof", "welcome", "accept"])
        for message in play.messages { #expect(message.encoded.count <= JoinLimits.message) }
    }

    @Test func `the grant begins after the joiner's own heads`() throws {
        let play = JoinPlay()
        let batch = BatchID(Hash.digest([1]))
        play.heads = CoveredHeads(
            control: [LogHead(number: 4, batch: batch)],
            records: [LogHead(number: 9, batch: batch), LogHead(number: 7, batch: batch)])
        _ = try play.exchange(play.invite())
        #expect(play.grants.first?.firstControl == 5)
        #expect(play.grants.first?.firstRecords == 10)
    }

    @Test func `five wrong codes end an invite and its maker is told`() throws {
        let play = JoinPlay()
        let code = try play.invite()
        for left in (0..<5).reversed() {
            let ending = try play.exchange(wrong(code))
            #expect(ending.joiner == .failed(.refused(.wrongCode(attemptsLeft: left))))
            #expect(ending.inviter == .refused(.wrongCode(attemptsLeft: left)))
            #expect(play.ended.isEmpty == (left > 0))
            try play.restart()
            #expect(play.book.all.first?.attemptsLeft == left)
        }
        #expect(play.book.all.first?.end(at: play.now) == .wrongCodes)
        #expect(try play.exchange(code).joiner == .failed(.refused(.noInvite)))
        #expect(play.ended == [code.selector])
        #expect(play.grants.isEmpty && play.joining == nil)
    }

    @Test func `a wrong code is stored before it is answered`() throws {
        let play = JoinPlay()
        let code = try play.invite()
        // Cut right after the attempt was stored: nothing has been said, yet it counts.
        let whole = try play.exchange(wrong(code))
        #expect(whole.inviter != nil)
        let place = try #require(play.trace.firstIndex(of: "I recordFailedAttempt"))
        #expect(play.trace[(place + 1)...].first == "I close")
        #expect(play.messages.map(JoinPlay.label) == ["start", "reply", "proof", "refused"])
        _ = try play.exchange(wrong(code), cut: place + 1)
        #expect(play.messages.map(JoinPlay.label) == ["start", "reply", "proof"])
        try play.restart()
        #expect(play.book.all.first?.attemptsLeft == 3)
    }

    @Test func `a join cut at any step leaves at most one grant, and one after a retry`() throws {
        let whole = JoinPlay()
        _ = try whole.exchange(whole.invite())
        let steps = whole.trace.count
        for cut in 1...steps {
            let play = JoinPlay()
            let code = try play.invite()
            _ = try play.exchange(code, cut: cut)
            #expect(play.grants.count <= 1)
            if play.joining == nil { #expect(play.grants.isEmpty) }
            if !play.messages.contains(where: { JoinPlay.label($0) == "accept" }) {
                #expect(play.grants.isEmpty)
            }
            try play.restart()
            // The device that was cut off, cut off once more at every step, then in peace.
            for second in 1...steps {
                let again = play.copy()
                _ = try again.exchange(code, cut: second)
                try again.restart()
                let ending = try again.exchange(code)
                #expect(ending.joiner == .joined(again.founding.room))
                #expect(ending.inviter == .granted(again.name(of: 0)))
                #expect(again.grants.count == 1)
                #expect(again.book.all.first?.usesLeft == 0)
                #expect(again.book.all.first?.usedBy.count == 1)
            }
        }
    }

    @Test func `a message lost with the connection ends both sides and frees the invite`() throws {
        for lost in 0..<5 {
            let play = JoinPlay()
            let code = try play.invite()
            var seen = 0
            let ending = try play.exchange(code) { message in
                defer { seen += 1 }
                return seen == lost ? nil : message
            }
            #expect(ending.joiner != nil)
            #expect(ending.inviter != nil || lost == 0)
            #expect(play.grants.isEmpty)
            #expect(try play.exchange(code).joiner == .joined(play.founding.room))
            #expect(play.grants.count == 1)
        }
    }

    @Test func `a used invite answers its user with the same grant and nobody else`() throws {
        let play = JoinPlay()
        let code = try play.invite()
        _ = try play.exchange(code)
        try play.restart()
        let again = try play.exchange(code)
        #expect(again.inviter == .granted(play.name(of: 0)))
        #expect(!play.trace.contains("I commitGrant") && !play.trace.contains("I recordUse"))

        let other = JoinPlay(joiner: TestBatches.identity(3))
        other.stored = play.stored
        try other.restart()
        #expect(try other.exchange(code).joiner == .failed(.refused(.noInvite)))
        play.now += JoinLimits.inviteLifetime
        #expect(try play.exchange(code).joiner == .failed(.refused(.noInvite)))
    }

    @Test func `a wrong room asked for by its id is not joined`() throws {
        let play = JoinPlay()
        let other = RoomID(Hash.digest([9]))
        let ending = try play.exchange(play.invite(), expecting: other)
        #expect(ending.joiner == .failed(.otherRoom(play.founding.room, "clinic")))
        #expect(play.joining == nil && play.grants.isEmpty)
    }

    @Test(arguments: [Role.viewer, .collector, .editor])
    func `a member joins again only for a better role, and uses up nothing else`(
        held: Role
    ) throws {
        let play = JoinPlay()
        let code = try play.invite(role: .collector)
        play.held = held
        let ending = try play.exchange(code)
        let isBetter = held < .collector
        #expect(
            ending.joiner
                == (isBetter
                    ? .joined(play.founding.room)
                    : .failed(.alreadyMember(play.founding.room, "clinic", held))))
        #expect(play.grants.count == (isBetter ? 1 : 0))
        #expect(play.book.all.first?.usesLeft == (isBetter ? 0 : 1))
        #expect(play.book.all.first?.attemptsLeft == JoinLimits.attemptsPerInvite)
    }

    @Test func `an invite withdrawn in the middle of an exchange is like none`() throws {
        for place in ["I recordFailedAttempt", "I recordUse"] {
            let play = JoinPlay()
            let code = try play.invite()
            let typed = place == "I recordUse" ? code : try wrong(code)
            let ending = try play.exchange(typed) { message in
                // The message that leads to it is on its way.
                let label = JoinPlay.label(message)
                if label == (place == "I recordUse" ? "accept" : "proof") {
                    _ = play.book.withdraw(code.selector, now: play.now)
                }
                return message
            }
            #expect(play.trace.contains(place))
            #expect(ending.inviter == .refused(.noInvite))
            #expect(ending.joiner == .failed(.refused(.noInvite)))
            #expect(play.grants.isEmpty && play.ended.isEmpty)
        }
    }

    @Test func `an unknown selector and a device without invites look alike`() throws {
        let with = JoinPlay()
        let code = try with.invite()
        let other = JoinCode(
            selector: try #require(JoinSelector("ZZ")), secret: code.secret)
        let without = JoinPlay()
        #expect(try with.exchange(other) == without.exchange(other))
        #expect(with.trace == without.trace)
        #expect(with.messages.last == without.messages.last)
        #expect(with.messages.last == .refused(.noInvite))
        #expect(with.book.all.first?.attemptsLeft == JoinLimits.attemptsPerInvite)
    }

    @Test func `changing any message on its way makes no member`() throws {
        for place in 0..<5 {
            let play = JoinPlay()
            let code = try play.invite()
            var seen = 0
            let ending = try play.exchange(code) { message in
                defer { seen += 1 }
                return seen == place ? JoinExchangeTests.changed(message) : message
            }
            if case .joined = ending.joiner { Issue.record("joined with message \(place) changed") }
            #expect(play.grants.isEmpty)
        }
    }

    private static func changed(_ message: JoinMessage) -> JoinMessage {
        func flip(_ bytes: [UInt8]) -> [UInt8] { bytes.dropLast() + [(bytes.last ?? 0) ^ 1] }
        // The generator of ristretto255: a valid element, but not the one that was sent.
        let element = CPaceShare(
            Bytes32([
                0xe2, 0xf2, 0xae, 0x0a, 0x6a, 0xbc, 0x4e, 0x71, 0xa8, 0x84, 0xa9, 0x61, 0xc5, 0x00,
                0x51, 0x5f, 0x58, 0xe3, 0x0b, 0x6a, 0xa5, 0x82, 0xdd, 0x8d, 0xb6, 0xa6, 0x59, 0x45,
                0xe0, 0x8d, 0x2d, 0x76,
            ]) ?? .zero)
        switch message {
        case .start(let selector, _): return .start(selector, element)
        case .reply: return .reply(element)
        case .proof(let tag): return CPaceTag(flip(tag.bytes)).map { .proof($0) } ?? message
        case .welcome(let tag, let sealed): return .welcome(tag, sealed: flip(sealed))
        case .accept(let sealed): return .accept(sealed: flip(sealed))
        case .refused, .ask, .offer, .enter: return message
        }
    }

    @Test func `one exchange takes this long`() throws {
        let clock = ContinuousClock()
        let play = JoinPlay()
        let code = try play.invite()
        let rounds = 50
        let time = try clock.measure { for _ in 0..<rounds { _ = try play.exchange(code) } }
        print("one exchange, both sides: \(time / rounds)")
        #expect(play.grants.count == 1)
    }
}
