import Foundation
import ShareCore
import ShareCrypto
import ShareTestKit
import Testing

/// Two devices that hold different parts of a history, and pass on nothing that one of them
/// takes to be cut, come to the same authority.
@Suite struct AuthorityExchangeTests {
    private struct Side {
        var held: [ControlBatch]
        var authority: Authority { Authority(room: AuthorityHistory.room, batches: held) }
    }

    @Test func `two devices that exchange what is not cut agree`() {
        let seed =
            ProcessInfo.processInfo.environment["SHARED_SEED"].flatMap { UInt64($0) }
            ?? UInt64.random(in: 0...UInt64.max)
        print("authority: exchanges with seed \(seed)")
        var random = SeededRandom(seed: seed)
        var found: [String] = []
        for _ in 0..<(AuthorityExhaustiveTests.isFull ? 6_000 : 300) {
            let lines = AuthorityExhaustiveTests.randomLines(&random)
            if let fault = fault(in: lines, &random) { found.append(fault) }
        }
        print("authority: \(found.count) exchanges that did not agree")
        #expect(found.prefix(3).joined(separator: "\n\n") == "", "seed \(seed)")
    }

    private func fault(in lines: [String], _ random: inout SeededRandom) -> String? {
        let history = AuthorityHistory(lines)
        var a = Side(held: part(of: history.batches, &random))
        var b = Side(held: part(of: history.batches, &random))
        let before = (labels(a), labels(b))
        while give(from: a, to: &b) || give(from: b, to: &a) {}
        let (one, other) = (a.authority, b.authority)
        if one.members == other.members, accepted(one) == accepted(other) { return nil }
        return """
            \(lines.joined(separator: "\n"))
            -> \(before.0) | \(before.1) came to \(labels(a)) | \(labels(b)): \
            \(accepted(one)) | \(accepted(other))
            """
    }

    /// Some of the batches, each with its predecessors; the founding batch always.
    private func part(
        of batches: [ControlBatch], _ random: inout SeededRandom
    ) -> [ControlBatch] {
        var held: [ControlBatch] = []
        for batch in batches where batch.head.number == 1 || holds(held, batch.previous) {
            let isFounding = batch.head.batch.digest == AuthorityHistory.room.digest
            if isFounding || Int.random(in: 0..<10, using: &random) < 7 { held.append(batch) }
        }
        return held
    }

    private func holds(_ held: [ControlBatch], _ batch: BatchID) -> Bool {
        held.contains { $0.head.batch == batch }
    }

    /// One round; false where nothing was given.
    private func give(from sender: Side, to receiver: inout Side) -> Bool {
        let (giving, taking) = (sender.authority, receiver.authority)
        let union = AuthorityModel(sender.held + receiver.held)
        let given = sender.held.filter { batch in
            !holds(receiver.held, batch.head.batch)
                && (batch.head.number == 1 || holds(receiver.held, batch.previous))
                && isOpen(batch, giving, union) && isOpen(batch, taking, union)
        }
        receiver.held += given
        return !given.isEmpty
    }

    private func isOpen(
        _ batch: ControlBatch, _ authority: Authority, _ union: AuthorityModel
    ) -> Bool {
        let log = LogName(author: batch.author, kind: .control)
        guard let cut = authority.cut(of: log) else { return true }
        return cut.contains { AuthorityExhaustiveTests.isUpTo($0, batch, in: union) }
    }

    private func labels(_ side: Side) -> String {
        side.held.map { AuthorityHistory.label($0.head.batch) }.joined(separator: " ")
    }

    private func accepted(_ authority: Authority) -> [String] {
        authority.verdicts.filter { $0.value == .accepted }
            .map { AuthorityHistory.label($0.key.batch) }.sorted()
    }
}
