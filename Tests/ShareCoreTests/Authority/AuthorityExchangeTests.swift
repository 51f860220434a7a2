import ShareCore
import ShareCrypto
import ShareTestKit
import Testing

/// Devices that hold different parts of a history, and pass on nothing that one of two takes to
/// be cut or from a stranger, come to the same authority.
@Suite struct AuthorityExchangeTests {
    private struct Side {
        private(set) var held: [ControlBatch]
        private(set) var authority: Authority
        private var graphs: [DeviceKey: LogGraph] = [:]

        init(_ batches: [ControlBatch]) {
            held = []
            authority = Authority(room: AuthorityHistory.room, batches: [])
            take(batches)
        }

        mutating func take(_ batches: [ControlBatch]) {
            for batch in batches {
                graphs[batch.author, default: LogGraph()]
                    .insert(batch.head, previous: batch.previous)
            }
            held += batches
            authority = Authority(room: AuthorityHistory.room, batches: held)
        }

        func holds(_ batch: BatchID, of author: DeviceKey) -> Bool {
            graphs[author]?.number(of: batch) != nil
        }

        /// Whether a batch that comes next in a log is passed on, or asked for.
        func isOpen(_ batch: ControlBatch) -> Bool {
            let log = LogName(author: batch.author, kind: .control)
            guard let cut = authority.cut(of: log) else { return true }
            var graph = graphs[batch.author] ?? LogGraph()
            graph.insert(batch.head, previous: batch.previous)
            return cut.contains { graph.covers($0, batch.head) }
        }
    }

    @Test func `devices that exchange what is not cut agree, in histories of any kind`() {
        exchange("exchanges") { AuthorityExhaustiveTests.randomLines(&$0) }
    }

    @Test func `devices that exchange what is not cut agree, in wars of owners`() {
        exchange("wars") { AuthorityWars.lines(&$0) }
    }

    @Test func `devices that exchange what is not cut agree, where a log has too many branches`() {
        exchange("forks") { AuthorityForks.lines(&$0) }
    }

    private func exchange(_ what: String, _ lines: (inout SeededRandom) -> [String]) {
        let seed = TestSeed.printed(by: what)
        var random = SeededRandom(seed: seed)
        var found: [String] = []
        let cases = Exhaustive.isOn ? 10_000 : 250
        for _ in 0..<cases {
            let history = lines(&random)
            if let fault = fault(in: history, &random) { found.append(fault) }
        }
        print("authority: \(cases) \(what) with seed \(seed), \(found.count) that did not agree")
        #expect(found.prefix(3).joined(separator: "\n\n") == "", "seed \(seed)")
    }

    private func fault(in lines: [String], _ random: inout SeededRandom) -> String? {
        let history = AuthorityHistory(lines)
        var sides = (0..<3).map { _ in Side(part(of: history.batches, &random)) }
        let before = sides.map(labels)
        var isMoving = true
        while isMoving {
            isMoving = false
            for sender in sides.indices.shuffled(using: &random) {
                for receiver in sides.indices.shuffled(using: &random) where receiver != sender {
                    if give(from: sides[sender], to: &sides[receiver]) { isMoving = true }
                }
            }
        }
        guard let first = sides.first else { return nil }
        for side in sides.dropFirst()
        where side.authority.members != first.authority.members || accepted(side) != accepted(first)
        {
            return """
                \(lines.joined(separator: "\n"))
                -> \(before) came to \(sides.map(labels)): \(sides.map(accepted))
                """
        }
        return nil
    }

    /// Some of the batches, each with its predecessors; the founding batch always.
    private func part(
        of batches: [ControlBatch], _ random: inout SeededRandom
    ) -> [ControlBatch] {
        var held: [ControlBatch] = []
        let share = Int.random(in: 5...9, using: &random)
        for batch in batches
        where batch.head.number == 1 || held.contains(where: { $0.head.batch == batch.previous }) {
            let isFounding = batch.head.batch.digest == AuthorityHistory.room.digest
            if isFounding || Int.random(in: 0..<10, using: &random) < share { held.append(batch) }
        }
        return held
    }

    /// One round; false where nothing was given.
    private func give(from sender: Side, to receiver: inout Side) -> Bool {
        let given = sender.held.filter { batch in
            !receiver.holds(batch.head.batch, of: batch.author)
                && (batch.head.number == 1 || receiver.holds(batch.previous, of: batch.author))
                && sender.authority.knows(batch.author) && receiver.authority.knows(batch.author)
                && sender.isOpen(batch) && receiver.isOpen(batch)
        }
        receiver.take(given)
        return !given.isEmpty
    }

    private func labels(_ side: Side) -> String {
        side.held.map { AuthorityHistory.label($0.head.batch) }.joined(separator: " ")
    }

    private func accepted(_ side: Side) -> [String] {
        side.authority.verdicts.filter { $0.value == .accepted }
            .map { "\(AuthorityHistory.label($0.key.batch)).\($0.key.index)" }.sorted()
    }
}
