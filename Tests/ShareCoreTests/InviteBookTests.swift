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
    func use(_ selector: JoinSelector, _ key: DeviceKey) -> Invite? { book.use(selector, by: key) }
    func note(_ grant: OperationName, _ key: DeviceKey, _ selector: JoinSelector) -> Invite? {
        book.note(grant, to: key, from: selector)
    }
    func removeExpired(_ now: UInt64) -> [Invite] { book.removeExpired(now: now) }
    func remove(_ selector: JoinSelector) -> Invite? { book.remove(selector) }
    func admits(_ address: Int, _ now: ContinuousClock.Instant) -> Bool {
        limiter.admits(address, now: now)
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
        #expect(book.removeExpired(now + JoinLimits.inviteLifetime).count == 64)
        #expect(book.all.isEmpty)
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
        #expect(book.removeExpired(.max).isEmpty)
        book.book.close(selector)
        #expect(book.open(selector, keys[1], now) != .busy)
    }

    @Test func `an expired, withdrawn or used up invite is like none`() throws {
        let (book, selector) = try desk()
        let fresh = book.book
        #expect(book.open(selector, keys[0], now + JoinLimits.inviteLifetime) == .none)
        // The clock was set back by a day.
        #expect(book.open(selector, keys[0], now - 86_400_000) == .none)
        #expect(book.remove(selector) != nil)
        #expect(book.open(selector, keys[0], now) == .none)
        book.book = fresh
        _ = book.use(selector, keys[0])
        #expect(book.open(selector, keys[1], now) == .none)
        #expect(book.open(selector, keys[0], now) != .none)
    }

    @Test func `giving a device its use twice takes one`() throws {
        let (book, selector) = try desk(uses: 2)
        #expect(book.use(selector, keys[0])?.usesLeft == 1)
        #expect(book.use(selector, keys[0])?.usesLeft == 1)
        #expect(book.note(grant, keys[0], selector)?.usedBy[keys[0]] == .granted(grant))
        #expect(book.use(selector, keys[0])?.usedBy[keys[0]] == .granted(grant))
        #expect(book.use(selector, keys[1])?.usesLeft == 0)
        #expect(book.use(selector, keys[2]) == nil)
        #expect(book.note(grant, keys[2], selector) == nil)
    }

    @Test func `an invite is read from the store as it was`() throws {
        let (book, selector) = try desk(uses: 3)
        _ = book.book.countFailure(selector)
        _ = book.use(selector, keys[0])
        _ = book.use(selector, keys[1])
        let invite = try #require(book.note(grant, keys[1], selector))
        let bytes = invite.encoded
        #expect(try Invite(encoded: bytes) == invite)
        #expect(InviteBook([invite]).all == [invite])
        for length in 0..<bytes.count {
            #expect(throws: CBORError.self) { try Invite(encoded: Array(bytes.prefix(length))) }
        }
    }

    @Test func `an address gets ten exchanges in a minute`() {
        let limiter = Desk()
        let start = ContinuousClock.now
        for second in 0..<10 {
            #expect(limiter.admits(1, start + .seconds(second)))
        }
        #expect(!limiter.admits(1, start + .seconds(30)))
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
