import ShareCrypto
import Testing

@testable import ShareCore

/// What is noted of how far a peer's log goes, one batch after the other.
@Suite struct LogStateTests {
    private static func head(_ name: String) -> LogHead {
        LogHead(
            number: UInt64(name.dropFirst()) ?? 0, batch: BatchID(Hash.digest(Array(name.utf8))))
    }

    /// A branch and a number name a batch.
    struct Advance: Sendable, CustomTestStringConvertible {
        let known: [String]
        let head: String
        let previous: String?
        let heads: Set<String>

        init(_ known: [String], _ head: String, after previous: String?, _ heads: Set<String>) {
            self.known = known
            self.head = head
            self.previous = previous
            self.heads = heads
        }

        var testDescription: String { "\(known) and \(head) after \(previous ?? "nil")" }
    }

    @Test(arguments: [
        // A line, and what is behind its head.
        Advance([], "A1", after: nil, ["A1"]),
        Advance(["A5"], "A6", after: "A5", ["A6"]),
        Advance(["A6"], "A6", after: "A5", ["A6"]),
        Advance(["A6"], "A4", after: "A3", ["A6"]),
        // Each branch of a fork goes on by itself, whichever is longer.
        Advance(["A6", "B5"], "B6", after: "B5", ["A6", "B6"]),
        Advance(["A9", "B5"], "B6", after: "B5", ["A9", "B6"]),
        Advance(["A5", "B6"], "B7", after: "B6", ["A5", "B7"]),
        // A batch that follows two heads of one log, one of which is named, leaves the other.
        Advance(["A6", "B5", "C5"], "B6", after: "B5", ["A6", "C5", "B6"]),
        // A second branch shows where its batch has the number of the head, or follows none.
        Advance(["A6"], "B6", after: "B5", ["A6", "B6"]),
        Advance(["A6"], "B8", after: "B7", ["A6", "B8"]),
        Advance(["A6"], "B6", after: nil, ["A6", "B6"]),
        Advance(["A6", "B5"], "B6", after: nil, ["A6", "B5", "B6"]),
        // Where it is not known what a batch follows, a line is taken to go on.
        Advance(["A5"], "A6", after: nil, ["A6"]),
        Advance(["A5"], "B6", after: nil, ["B6"]),
        Advance(["A6"], "A5", after: nil, ["A5", "A6"]),
    ])
    func `a batch takes the place of the one that it follows, and of no branch`(_ step: Advance) {
        var state = LogState(heads: step.known.map(Self.head).sorted(), operations: 0)
        state.advance(
            to: Self.head(step.head), previous: step.previous.map { Self.head($0).batch },
            operations: nil)
        #expect(state.heads == step.heads.map(Self.head).sorted())
    }
}
