import ShareCore
import ShareTestKit
import Testing

/// What members write that cannot count costs nobody a look (docs/security.md).
@Suite struct AuthorityFloodTests {
    private static let start = ["A1 founds", "A2 grants D collector; grants B owner"]

    /// Batches that each hold the same operation many times.
    private static func flood(
        _ author: String, batches: Int, each count: Int, _ operation: String
    ) -> [String] {
        (1...batches).map {
            "\(author)\($0) " + Array(repeating: operation, count: count).joined(separator: "; ")
        }
    }

    @Test(arguments: ["grants Z collector", "removes B", "accepts D", "makes B viewer"])
    func `what a member's role does not allow is not looked at`(operation: String) {
        let flood = Self.flood("D", batches: 10, each: 300, operation)
        let authority = AuthorityHistory(Self.start + flood).authority
        #expect(authority.operationsLookedAt == 3)
        #expect(authority.verdicts.count == 3_003)
        #expect(
            authority.verdicts[AuthorityHistory.name("D10.299")]
                == .refused(.role))
    }

    @Test func `of a member's leaves as many come into force as there is room for`() {
        let flood = Self.flood("D", batches: 50, each: 64, "leaves covering D90x")
        let authority = AuthorityHistory(Self.start + flood).authority
        let accepted = authority.verdicts.values.count { $0 == .accepted }
        #expect(accepted == 3 + Limits.leavesInForce)
    }

    @Test func `nobody has to open what a member's role does not allow`() {
        let flood = Self.flood("D", batches: 100, each: 30, "grants Z collector; removes B; founds")
        let history = AuthorityHistory(Self.start + flood)
        let closed = Authority(
            room: AuthorityHistory.room,
            batches: history.batches.map { $0.author == AuthorityHistory.key("D") ? $0.closed : $0 }
        )
        #expect(closed.wanted.isEmpty)
        #expect(closed.verdicts == history.authority.verdicts)
        // A role that allows it is a reason to.
        let promoted = AuthorityHistory(Self.start + flood + ["A3 makes D editor after A2.0"])
        let grown = closed.adding([promoted.batches.last!])
        #expect(grown.wanted.count == 100)
        let opened = grown.opening(history.batches)
        #expect(opened.wanted.isEmpty && opened.verdicts == promoted.authority.verdicts)
    }

    @Test func `a closed founding is asked for`() {
        let history = AuthorityHistory(Self.start)
        let closed = Authority(
            room: AuthorityHistory.room, batches: history.batches.map(\.closed))
        #expect(closed.members.isEmpty)
        #expect(closed.wanted == [history.batches[0].head.batch])
        let half = closed.opening([history.batches[0]])
        #expect(half.wanted == [history.batches[1].head.batch])
        #expect(half.opening(history.batches).members == history.authority.members)
    }

    @Test func `what an owner writes past its removal is not looked at`() {
        let flood = Self.flood("B", batches: 10, each: 300, "grants Z collector")
        let before = AuthorityHistory(Self.start + flood).authority
        #expect(before.operationsLookedAt == 3_003)
        let after = AuthorityHistory(Self.start + flood + ["A3 removes B after A2.1"]).authority
        #expect(after.operationsLookedAt == 4)
    }

    @Test func `operations on both sides of other blocks have their verdicts`() {
        let mixed = (0..<200).map { $0.isMultiple(of: 2) ? "grants Z viewer" : "removes B" }
        let history = AuthorityHistory(Self.start + ["D1 " + mixed.joined(separator: "; ")])
        func moved(_ place: Int) -> Int { place < 50 ? place : place + 700 }
        let batches = history.batches.map { batch in
            ControlBatch(
                author: batch.author, head: batch.head, previous: batch.previous,
                entries: batch.entries.map {
                    .init(index: moved($0.index), operation: $0.operation)
                })
        }
        let authority = Authority(room: AuthorityHistory.room, batches: batches)
        let refused = Verdict.refused(.role)
        for (place, verdict) in [(49, refused), (50, nil), (749, nil), (750, refused)] {
            #expect(authority.verdict(of: AuthorityHistory.name("D1.\(place)")) == verdict)
        }
        #expect(authority.verdict(of: AuthorityHistory.name("D1.899")) == refused)
        #expect(authority.verdicts.values.count { $0 == refused } == 200)
        #expect(authority.verdicts.count == 203)
    }
}
