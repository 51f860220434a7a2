import ShareCore
import ShareCrypto
import Testing

/// A book, and a limiter, that a check can ask and change at once.
private final class Desk {
    var book = InviteBook()
    var limiter = JoinRateLimiter<Int>()

    var all: [Invite] { book.all }

    func make(uses: Int = 1, random: UInt8, now: UInt64) throws(InviteBookError) -> Invite {
        try book.make(
            room: RoomID(Hash.digest([1])), role: .editor, uses: uses, now: now,
            random: [random, 1, 2, 3, 4, 5, 6, 7])
    }
    func open(_ selector: JoinSelector, _ key: DeviceKey, _ now: UInt64) -> InviteOpening {
        book.open(selector, for: key, now: now)
    }
    func use(_ selector: JoinSelector, _ key: DeviceKey, _ now: UInt64) -> Invite? {
        book.use(selector, by: key, now: now)
    }
    func note(_ grant: OperationName, _ key: DeviceKey, _ selector: JoinSelector) -> Invite? {
        book.note(grant, to: key, from: selector)
    }
    func removeForgotten(_ now: UInt64) -> [Invite] { book.removeForgotten(now: now) }
    func withdraw(_ selector: JoinSelector, _ now: UInt64) -> Invite? {
        book.withdraw(selector, now: now)
    }
    func countFailure(_ selector: JoinSelector, _ now: UInt64) -> Invite? {
        book.countFailure(selector, now: now)
    }
    /// Counts an attempt where one may be made.
    func admits(_ address: Int, _ now: ContinuousClock.Instant) -> Bool {
        guard limiter.wait(for: address, now: now) == 0 else { return false }
        limiter.note(address, now: now)
        return true
    }
}

@Suite struct InviteBookTests {
    private let keys = (1...3).map { TestBatches.identity($0).key }
    private let grant = OperationName(batch: BatchID(Hash.digest([2])), index: 5)
    private let now: UInt64 = 1_700_000_000_000

    private func desk(uses: Int = 1) throws -> (Desk, JoinSelector) {
        let desk = Desk()
        return (desk, try desk.make(uses: uses, random: 1, now: now).code.selector)
    }

    @Test func `selectors of live invites differ even when chance repeats itself`() throws {
        let book = Desk()
        for _ in 0..<JoinLimits.liveInvites {
            _ = try book.make(random: 255, now: now)
        }
        #expect(Set(book.all.map(\.code.selector)).count == JoinLimits.liveInvites)
        #expect(throws: InviteBookError.tooMany) {
            try book.make(random: 0, now: now)
        }
        // Expired ones stand in nobody's way, and are shown for a day.
        let later = now + JoinLimits.inviteLifetime
        _ = try book.make(random: 0, now: later)
        #expect(book.removeForgotten(later).isEmpty && book.all.count == 65)
        #expect(book.removeForgotten(later + JoinLimits.endedInviteKept).count == 64)
        #expect(book.all.count == 1)
    }

    @Test func `no code that is made could be a word`() throws {
        // The first secrets drawn are letters alone.
        var random = [UInt8](repeating: 20, count: InviteBook.randomBytes)
        random[InviteBook.randomBytes - 6] = 3
        var book = InviteBook()
        let code = try book.make(
            room: RoomID(Hash.digest([1])), role: .editor, now: now, random: random
        ).code.text
        #expect(code == "MM3M-MMMM" && JoinCode.hasShape(code))
    }

    @Test(arguments: [0, -1, 1_001]) func `a number of uses out of bounds is refused`(uses: Int) {
        let book = Desk()
        #expect(throws: InviteBookError.uses) {
            try book.make(uses: uses, random: 0, now: now)
        }
    }

    @Test func `one exchange at a time for each invite`() throws {
        let (book, selector) = try desk()
        guard case .invite = book.open(selector, keys[0], now) else {
            Issue.record("a fresh invite opens")
            return
        }
        #expect(book.open(selector, keys[1], now) == .busy)
        #expect(book.removeForgotten(.max).isEmpty)
        book.book.close(selector)
        #expect(book.open(selector, keys[1], now) != .busy)
    }

    @Test func `an expired, withdrawn or used up invite is like none`() throws {
        let (book, selector) = try desk()
        let fresh = book.book
        #expect(book.open(selector, keys[0], now + JoinLimits.inviteLifetime) == .none)
        // The clock was set back by a day.
        #expect(book.open(selector, keys[0], now - 86_400_000) == .none)
        #expect(book.withdraw(selector, now)?.end(at: now) == .withdrawn)
        #expect(book.open(selector, keys[0], now) == .none)
        book.book = fresh
        _ = book.use(selector, keys[0], now)
        #expect(book.open(selector, keys[1], now) == .none)
        #expect(book.open(selector, keys[0], now) != .none)
    }

    @Test func `giving a device its use twice takes one`() throws {
        let (book, selector) = try desk(uses: 2)
        #expect(book.use(selector, keys[0], now)?.usesLeft == 1)
        #expect(book.use(selector, keys[0], now)?.usesLeft == 1)
        #expect(book.note(grant, keys[0], selector)?.usedBy[keys[0]] == .granted(grant))
        #expect(book.use(selector, keys[0], now)?.usedBy[keys[0]] == .granted(grant))
        #expect(book.use(selector, keys[1], now)?.usesLeft == 0)
        #expect(book.use(selector, keys[2], now) == nil)
        #expect(book.note(grant, keys[2], selector) == nil)
    }

    @Test func `what has ended says why, and lists no longer than a day`() throws {
        let day = JoinLimits.endedInviteKept
        let ends: [(InviteEnd, at: UInt64, (Desk, JoinSelector) -> Void)] = [
            (.expired, now + JoinLimits.inviteLifetime, { _, _ in }),
            (.withdrawn, now + 5, { [now] in _ = $0.withdraw($1, now + 5) }),
            (
                .wrongCodes, now + 5,
                { [now] desk, selector in
                    for _ in 1...5 { _ = desk.countFailure(selector, now + 5) }
                }
            ),
        ]
        for (end, moment, happen) in ends {
            let (book, selector) = try desk()
            #expect(book.all.first?.end(at: now) == nil)
            happen(book, selector)
            let stored = try Invite(encoded: try #require(book.all.first).encoded)
            book.book = InviteBook([stored])
            #expect(stored.end(at: moment) == end && !stored.isLive(at: moment))
            #expect(book.open(selector, keys[0], moment) == .none)
            #expect(book.removeForgotten(moment + day - 1).isEmpty)
            #expect(book.removeForgotten(moment + day).count == 1)
        }
        // A used up one answers its user until it expires, however long that is.
        let (book, selector) = try desk()
        _ = book.use(selector, keys[0], now)
        #expect(book.all.first?.end(at: now) == .usedUp)
        #expect(book.removeForgotten(now + JoinLimits.inviteLifetime - 1).isEmpty)
        #expect(book.open(selector, keys[0], now + JoinLimits.inviteLifetime - 1) != .none)
    }

    @Test func `withdrawing what has ended changes nothing, and a withdrawn one is gone`() throws {
        let (book, selector) = try desk()
        #expect(book.withdraw(try #require(JoinSelector("ZZ")), now) == nil)
        let late = now + JoinLimits.inviteLifetime
        #expect(book.withdraw(selector, late)?.end(at: late) == .expired)
        #expect(book.withdraw(selector, now)?.end(at: now) == .withdrawn)
        // An exchange that runs finds it gone, and no code counts against it any more.
        #expect(book.use(selector, keys[0], now) == nil)
        #expect(book.countFailure(selector, now) == nil)
    }

    @Test func `ended invites are bounded, the oldest go first`() throws {
        let book = Desk()
        for number in 0..<100 {
            let made = try book.make(random: 0, now: now + UInt64(number))
            _ = book.withdraw(made.code.selector, now + UInt64(number))
        }
        #expect(book.removeForgotten(now + 100).count == 100 - JoinLimits.endedInvites)
        #expect(book.all.first?.made == now + UInt64(100 - JoinLimits.endedInvites))
    }

    @Test func `an invite is read from the store as it was`() throws {
        let (book, selector) = try desk(uses: 3)
        _ = book.countFailure(selector, now)
        _ = book.use(selector, keys[0], now)
        _ = book.use(selector, keys[1], now)
        let invite = try #require(book.note(grant, keys[1], selector))
        let bytes = invite.encoded
        #expect(try Invite(encoded: bytes) == invite)
        #expect(InviteBook([invite]).all == [invite])
        for length in 0..<bytes.count {
            #expect(throws: CBORError.self) { try Invite(encoded: Array(bytes.prefix(length))) }
        }
    }

    @Test func `an address gets ten attempts in a minute`() {
        let limiter = Desk()
        let start = ContinuousClock.now
        for second in 0..<10 {
            #expect(limiter.admits(1, start + .seconds(second)))
        }
        #expect(!limiter.admits(1, start + .seconds(30)))
        #expect(limiter.limiter.wait(for: 1, now: start + .seconds(30)) == 30)
        #expect(limiter.admits(2, start + .seconds(30)))
        // The first has left the window; the refused one did not count.
        #expect(limiter.admits(1, start + .seconds(60)))
        #expect(!limiter.admits(1, start + .milliseconds(60_500)))
        #expect(limiter.admits(1, start + .seconds(61)))
    }

    @Test func `the addresses that are counted are bounded, the quietest forgotten first`() {
        let limiter = Desk()
        let start = ContinuousClock.now
        for _ in 0..<10 { _ = limiter.admits(-1, start + .seconds(20)) }
        for address in 0..<3_000 {
            #expect(limiter.admits(address, start + .milliseconds(address)))
        }
        #expect(limiter.limiter.count == JoinLimits.countedAddresses)
        #expect(!limiter.admits(-1, start + .seconds(21)))
    }
}
