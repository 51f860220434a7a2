import ShareCore
import ShareCrypto

/// A control batch that is held. Its operations are at hand where they are few (`ControlBatch`).
struct ControlRecord {
    typealias Entry = (index: Int, entry: ControlBlock.Entry)
    /// A definition that no device can use.
    typealias Fault = (place: Int, reason: String)

    /// Its row; 0 before it has one.
    var batch: Int64
    let head: LogHead
    let previous: BatchID
    let author: DeviceKey
    let isMalformed: Bool
    /// As authority looks at it.
    let control: ControlBatch
    /// What blocks come to that are none of a control log, and those that a newer release knows.
    let foreign: [ControlNote]
    /// What its operations come to; nil before it is judged.
    var outcome: ControlOutcome?

    private enum Content {
        case open([Entry])
        case sealed([UInt8])
    }

    private let content: Content

    init(batch: Int64, _ source: Batch, _ body: Body?) {
        self.batch = batch
        head = source.head
        previous = source.previous
        author = source.author
        isMalformed = body == nil
        control =
            ControlBatch(source, body: body)
            ?? ControlBatch(
                author: source.author, head: source.head, previous: source.previous, entries: [])
        content =
            control.isOpen ? .open(ControlRecord.entries(of: body)) : .sealed(source.bytes)
        foreign = ControlNote.foreign(in: body)
    }

    /// Its operations with their places.
    ///
    /// - Complexity: that of opening the batch, where it is kept sealed.
    var entries: [Entry] {
        switch content {
        case .open(let entries): entries
        case .sealed(let bytes):
            ControlRecord.entries(of: try? Batch(trusted: bytes).openBody())
        }
    }

    /// Its definitions that no device can use, by their places.
    ///
    /// - Complexity: that of `entries`.
    var faults: [Fault] {
        entries.compactMap { index, entry in
            guard case .form(let form) = entry.operation else { return nil }
            return FormCatalog.fault(of: form).map { (index, $0) }
        }
    }

    func name(_ index: Int) -> OperationName { OperationName(batch: head.batch, index: index) }

    /// Why the operation at a place does not count; nil if it does.
    func refusal(at place: Int) -> String? {
        outcome.map { $0.refusal(at: place) } ?? "author"
    }

    /// Whether any operation of this sort is accepted.
    func accepts(_ sort: OperationSort) -> Bool { outcome?.accepts(sort) ?? false }

    /// Whether its definitions are kept at hand. Where none of them counts, only those of a batch
    /// that is kept open are: anybody with a role can send thousands, or great ones.
    var listsDefinitions: Bool { control.has(.form) && (control.isOpen || accepts(.form)) }

    private static func entries(of body: Body?) -> [Entry] {
        (body?.blocks ?? []).flatMap { block -> [Entry] in
            guard case .control(let block) = block else { return [] }
            return block.entries.enumerated().map { (block.firstIndex + $0, $1) }
        }
    }
}

extension ControlNote {
    /// One note for what is misplaced and one for what is unknown, however many blocks there are:
    /// anybody with a role can send thousands.
    fileprivate static func foreign(in body: Body?) -> [ControlNote] {
        var notes: [ControlNote] = []
        for note in (body?.blocks ?? []).compactMap(ControlNote.init(foreign:)) {
            if let known = notes.firstIndex(where: { $0.reason == note.reason }) {
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
                places: first..<first + count, count: count, reason: "kind", what: "", key: [])
        case .misplaced(_, let first, let count):
            self.init(
                places: first..<first + count, count: count, reason: "misplaced",
                what: "operation", key: nil)
        case .unknown, .records, .control: return nil
        }
    }
}
