import ShareCore
import ShareCrypto
import Testing

@testable import ShareStore

/// Records that follow a change of authority in many transactions.
struct ReapplyTests {
    private func comesToARebuild(_ writer: TestRoom) throws {
        let before = try Bench.dump(writer)
        try writer.rebuild()
        #expect(try Bench.dump(writer) == before)
    }

    /// The state of the records alone, in words.
    private func records(_ writer: TestRoom) throws -> [String] {
        try Bench.dump(writer).filter {
            !$0.hasPrefix("member") && !$0.hasPrefix("digest")
        }
    }

    @Test func `a removal takes effect at once and records follow in small steps`() throws {
        let story = try ReapplyStory(records: 20_000)
        let before = try story.other.counts()
        let removal = try story.removal()
        let report = try story.other.merge([IncomingBatch(removal)])
        #expect(report.outcomes.map(\.fate) == [.stored])
        // The authority is there, and what depends on it.
        #expect(story.other.authority.currentRole(of: story.key) == nil)
        var view = try story.other.view()
        #expect(view.isReapplying)
        let log = LogName(author: story.key, kind: .records)
        #expect(view.logs[log]?.heads == story.known.records)
        #expect(view.logs[log]?.operations == 20)
        #expect(
            try story.other.load(log, after: [], cursor: nil, bytes: .max).batches.map(\.head)
                == story.known.records)
        do {
            let later = try story.member.append(
                [story.bench.row(story.form, "no", 1)], wall: story.bench.wall)
            #expect(later.count == 1)
            let batches = try story.member.seal(wall: story.bench.wall)
            let outcomes = try story.other.merge(batches.map { IncomingBatch($0) }).outcomes
            #expect(outcomes.map(\.fate) == [.pastCutoff])
        }
        let total = try #require(try story.other.counts().reapplying).total
        #expect(total > 20_000 && total < 20_100)
        var done = try #require(try story.other.counts().reapplying).done
        #expect(done <= TestRoom.reappliedAtOnce)
        var transactions = 1
        while try story.other.reapply() {
            transactions += 1
            let progress = try #require(try story.other.counts().reapplying)
            #expect(progress.isTakingOut && progress.total == total)
            #expect(progress.done > done && progress.done - done <= TestRoom.reappliedAtOnce)
            done = progress.done
            #expect(try story.other.view().isReapplying)
            // Whoever looks and whoever enters goes on meanwhile.
            try story.other.append(
                [story.bench.row(story.form, "meanwhile", 1)], wall: story.bench.wall)
            #expect(try story.other.counts().records < before.records)
        }
        #expect(transactions >= total / TestRoom.reappliedAtOnce)
        view = try story.other.view()
        #expect(!view.isReapplying)
        #expect(try story.other.counts().reapplying == nil)
        let sealed = try story.other.seal(wall: story.bench.wall)
        try Bench.merge(sealed, into: story.bench.founder)
        #expect(try story.other.view().digest == story.bench.founder.view().digest)
        #expect(try story.other.view().vector == story.bench.founder.view().vector)
        #expect(try Bench.dump(story.other) == Bench.dump(story.bench.founder))
        try comesToARebuild(story.other)
        // Nobody's row is left that the member wrote late, but what it wrote early is, and where
        // it had edited, the value before is back.
        let form = try #require(story.other.form("visit"))
        #expect(form.records == 20 + 20 + transactions - 1)
        let count = "SELECT count(*) FROM visit WHERE name = ?1"
        for (text, rows) in [
            ("early", 20), ("member", 0), ("other", 5), ("last", 3), ("on top", 0),
        ] {
            #expect(try story.other.integer(count, .text(text)) == Int64(rows), "\(text)")
        }
    }

    @Test(arguments: [false, true])
    func `a job that is cut off anywhere goes on when the file is opened`(
        definesForm: Bool
    ) async throws {
        let story = try ReapplyStory(records: 9_000, definesForm: definesForm)
        let batches = try Bench.batches(of: story.bench.founder)
        let removal = try story.removal()
        let expected = try Bench.dump(story.bench.founder)
        var copy = try story.bench.store()
        try Bench.merge(batches, into: copy)
        copy.reappliedAtOnce = 1_000
        try Bench.merge([removal], into: copy, reapplying: false)
        var opened = 0
        while copy.isReapplying {
            copy = try TestRoom(path: copy.path, identity: copy.identity)
            copy.reappliedAtOnce = 1_000
            #expect(try copy.view().isReapplying)
            _ = try copy.reapply()
            opened += 1
        }
        #expect(opened > 2)
        #expect(try Bench.dump(copy) == expected)
        #expect(try await CheckTests.check(copy) == [])
    }

    @Test func `a member that is accepted again was never removed`() throws {
        let story = try ReapplyStory(records: 5_000)
        let before = try records(story.bench.founder)
        let removal = try story.removal()
        #expect(try records(story.bench.founder) != before)
        let refusals = try story.bench.founder.refusals(of: story.key)
        #expect(refusals.operations > 5_000)
        var listed = 0
        for item in try story.bench.founder.refused(at: story.bench.founder.refusedPlaces())
        where item.author == story.key {
            #expect(item.refusal == .removed && item.batch != nil)
            listed += item.count
        }
        #expect(listed == refusals.operations)
        let acceptance = try story.accept()
        #expect(try records(story.bench.founder) == before)
        #expect(try story.bench.founder.refusals(of: story.key).isEmpty)

        // Where both arrive while the first is still being worked at, and where they arrive
        // together, it is the same.
        for together in [false, true] {
            let late = try story.bench.store()
            late.reappliedAtOnce = 1_000
            try Bench.merge(
                Bench.batches(of: story.bench.founder).filter {
                    $0.id != removal.id && $0.id != acceptance.id
                }, into: late)
            #expect(try records(late) == before)
            if together {
                try Bench.merge([removal, acceptance], into: late, reapplying: false)
            } else {
                try Bench.merge([removal], into: late, reapplying: false)
                _ = try late.reapply()
                #expect(try records(late) != before)
                try Bench.merge([acceptance], into: late, reapplying: false)
            }
            while try late.reapply() {}
            #expect(try Bench.dump(late) == Bench.dump(story.bench.founder))
            #expect(try late.view().digest == story.bench.founder.view().digest)
        }
    }

    @Test func `a form goes at once and its records in steps, for whoever wrote them`() throws {
        let story = try ReapplyStory(records: 100, definesForm: true)
        let (bench, other) = (story.bench, story.other)
        let extra = try #require(other.form("extra")?.definition)
        try other.append(
            [
                .put(
                    NewRows(
                        definition: extra, fields: [0],
                        rows: (0..<5_000).map { _ in [.text("y")] }))
            ], wall: bench.wall)
        let mine = try other.seal(wall: bench.wall)
        try Bench.merge(mine, into: bench.founder)
        let records = try other.counts().records
        other.reappliedAtOnce = 1_000
        let removal = try story.removal()
        try Bench.merge([removal], into: other, reapplying: false)
        #expect(other.form("extra") == nil)
        #expect(other.forms().map(\.formID) == ["visit"])
        #expect(throws: StoreError.self) {
            try other.append(
                [.put(NewRows(definition: extra, fields: [0], rows: [[.text("z")]]))],
                wall: bench.wall)
        }
        #expect(try other.counts().records < records)
        #expect(try other.view().isReapplying)
        while try other.reapply() {}
        #expect(try Bench.dump(other) == Bench.dump(bench.founder))
        #expect(
            try other.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'extra'")
                == 0)
        // With the delete that its author made in view of the member's version of the other form.
        #expect(try other.integer("SELECT sum(count) FROM _waiting") == 5_001)
        try comesToARebuild(other)
    }

    @Test func `a rebuild and a check may come in the middle`() async throws {
        let story = try ReapplyStory(records: 9_000, definesForm: true)
        let batches = try Bench.batches(of: story.bench.founder)
        let removal = try story.removal()
        let copy = try story.bench.store()
        try Bench.merge(batches, into: copy)
        copy.reappliedAtOnce = 1_000
        try Bench.merge([removal], into: copy, reapplying: false)
        let progress = try copy.counts().reapplying
        #expect(progress != nil)
        #expect(try await CheckTests.check(copy) == [])
        #expect(try copy.counts().reapplying == progress)
        try copy.rebuild()
        #expect(try copy.counts().reapplying == nil)
        #expect(try Bench.dump(copy) == Bench.dump(story.bench.founder))
    }

    @Test func `what waits to be sealed follows in steps as well`() throws {
        let story = try ReapplyStory(records: 100)
        let (bench, member) = (story.bench, story.member)
        member.reappliedAtOnce = 1_000
        try member.append(
            [
                .put(
                    NewRows(
                        definition: story.form, fields: [0],
                        rows: (0..<9_000).map { _ in [.text("pending")] }))
            ], wall: bench.wall)
        let pending = try member.counts().records
        let lowered = try story.seal(
            .roleChange(
                RoleChange(
                    subject: story.key, role: .viewer, heads: bench.founder.heads(of: story.key),
                    supersedes: story.after)))
        try Bench.merge([lowered], into: member, reapplying: false)
        #expect(try member.view().isReapplying)
        #expect(try member.seal(wall: bench.wall).isEmpty)
        while try member.reapply() {}
        #expect(try member.counts().records == pending - 9_000)
        #expect(try member.counts().withheld == 9_000 && member.counts().refused == 0)
        let raised = try story.seal(
            .roleChange(
                RoleChange(
                    subject: story.key, role: .collector,
                    heads: CoveredHeads(
                        control: [], records: story.bench.founder.heads(of: story.key).records),
                    supersedes: story.after)))
        try Bench.merge([raised], into: member, reapplying: false)
        #expect(try #require(try member.counts().reapplying).isTakingOut == false)
        // Sealed in the middle: some are in the tables, some are not.
        _ = try member.reapply()
        let sealed = try member.seal(wall: bench.wall)
        #expect(try sealed.map { try $0.openBody().operationCount }.reduce(0, +) == 9_000)
        while try member.reapply() {}
        #expect(try member.counts().records == pending)
        try Bench.merge(sealed + Bench.batches(of: member), into: bench.founder)
        try Bench.merge(Bench.batches(of: bench.founder), into: member)
        #expect(try Bench.dump(member) == Bench.dump(bench.founder))
        try comesToARebuild(member)
    }

    @Test func `where all is covered nothing is left to do`() throws {
        let story = try ReapplyStory(records: 5_000)
        let heads = story.bench.founder.heads(of: story.key)
        let removal = try story.bench.remove(story.key, heads: heads)
        #expect(try story.bench.founder.counts().reapplying == nil)
        try Bench.merge([removal], into: story.other, reapplying: false)
        #expect(try story.other.counts().reapplying == nil)
        #expect(try Bench.dump(story.other) == Bench.dump(story.bench.founder))
    }
}
