import ShareCore
import ShareCrypto

/// A control batch that is held.
struct ControlRecord {
    typealias Entry = (index: Int, entry: ControlBlock.Entry)

    /// Its row; 0 before it has one.
    var batch: Int64
    /// What its operations come to; nil before it is judged.
    var outcome: ControlOutcome?
    private let content: Content

    /// What never changes; shared, as the list of all batches is copied with each transaction.
    private final class Content: Sendable {
        let isMalformed: Bool
        let control: ControlBatch
        let entries: [Entry]
        let definesForms: Bool
        let foreign: [ControlNote]

        init(_ source: Batch, _ body: Body?) {
            isMalformed = body == nil
            control =
                ControlBatch(source, body: body)
                ?? ControlBatch(
                    author: source.author, head: source.head, previous: source.previous,
                    entries: [])
            entries = (body?.blocks ?? []).flatMap { block -> [Entry] in
                guard case .control(let block) = block else { return [] }
                return block.entries.enumerated().map { (block.firstIndex + $0, $1) }
            }
            definesForms = entries.contains {
                if case .form = $0.entry.operation { true } else { false }
            }
            foreign = ControlNote.foreign(in: body)
        }
    }

    init(batch: Int64, _ source: Batch, _ body: Body?) {
        self.batch = batch
        content = Content(source, body)
    }

    var head: LogHead { content.control.head }
    var previous: BatchID { content.control.previous }
    var author: DeviceKey { content.control.author }
    var isMalformed: Bool { content.isMalformed }
    /// As authority looks at it.
    var control: ControlBatch { content.control }
    /// Its operations with their places.
    var entries: [Entry] { content.entries }
    /// Whether any of them defines a form.
    var definesForms: Bool { content.definesForms }
    /// What blocks come to that are none of a control log, and those that a newer release knows.
    var foreign: [ControlNote] { content.foreign }

    func name(_ index: Int) -> OperationName { OperationName(batch: head.batch, index: index) }

    /// The verdict over the operation at a place.
    func verdict(at place: Int) -> Verdict {
        outcome.map { $0.verdict(at: place) } ?? .waiting(.author)
    }

    /// Whether any operation of this sort is accepted.
    func accepts(_ sort: OperationSort) -> Bool { outcome?.accepts(sort) ?? false }
}

extension ControlNote {
    /// One note for what is misplaced and one for what is unknown, however many blocks there are:
    /// anybody with a role can send thousands.
    fileprivate static func foreign(in body: Body?) -> [ControlNote] {
        var notes: [ControlNote] = []
        for note in (body?.blocks ?? []).compactMap(ControlNote.init(foreign:)) {
            if let known = notes.firstIndex(where: { $0.verdict == note.verdict }) {
                notes[known].places =
                    notes[known].places.lowerBound..<note.places.upperBound
                notes[known].count += note.count
            } else {
                notes.append(note)
            }
        }
        return notes
    }

    private init?(foreign block: Body.Block) {
        switch block {
        case .unknown(let kind, let first, let count) where kind.isMultiple(of: 2):
            // Of a kind that only a newer release knows.
            self.init(
                places: first..<first + count, count: count, verdict: .waiting(.kind, key: []))
        case .misplaced(_, let first, let count):
            self.init(
                places: first..<first + count, count: count,
                verdict: .refused(.misplaced, what: "operation"))
        case .unknown, .records, .control: return nil
        }
    }
}
