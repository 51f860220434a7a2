import ShareCore
import ShareCrypto

/// A control batch that is held.
struct ControlRecord {
    typealias Entry = (index: Int, entry: ControlBlock.Entry)

    /// Its row; 0 before it has one.
    var batch: Int64
    /// The verdicts on its operations; nil before it is judged.
    var outcome: ControlOutcome?
    private let content: Content

    /// The part that never changes; shared, as the list of all batches is copied with each
    /// transaction.
    private final class Content: Sendable {
        let isMalformed: Bool
        let control: ControlBatch
        let entries: [Entry]
        let definesForms: Bool
        let definesLists: Bool
        let givesSettings: Bool
        let foreign: [ControlNote]
        /// The places of forms and lists that no device can use.
        let unsound: Set<Int>

        init(_ source: Batch, _ body: Body?) {
            isMalformed = body == nil
            control =
                ControlBatch(source, body: body)
                ?? ControlBatch(
                    author: source.author, head: source.head, previous: source.previous,
                    entries: [])
            entries = (body?.blocks ?? []).flatMap { block -> [Entry] in
                guard case .control(let block) = block else { return [] }
                return block.entries.enumerated().map { (block.firstIndex + $0, $1.withoutCells) }
            }
            definesForms = entries.contains {
                if case .form = $0.entry.operation { true } else { false }
            }
            definesLists = entries.contains {
                switch $0.entry.operation {
                case .list, .part: true
                default: false
                }
            }
            givesSettings = entries.contains {
                switch $0.entry.operation {
                case .found, .set: true
                default: false
                }
            }
            foreign = ControlNote.foreign(in: body)
            unsound = Set(entries.filter { !$0.entry.operation.isSound }.map(\.index))
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
    /// True where any of them defines a list, or has rows of one.
    var definesLists: Bool { content.definesLists }
    /// True where any of them gives a setting a value, or founds the room.
    var givesSettings: Bool { content.givesSettings }
    /// Notes on blocks that do not belong in a control log, and on those that a newer release
    /// knows.
    var foreign: [ControlNote] { content.foreign }

    /// Whether devices can use the form or list that is defined at a place.
    func isSound(at position: Int) -> Bool { !content.unsound.contains(position) }

    func name(_ index: Int) -> OperationName { OperationName(batch: head.batch, index: index) }

    /// The verdict over the operation at a place.
    func verdict(at position: Int) -> Verdict {
        outcome.map { $0.verdict(at: position) } ?? .waiting(.author)
    }

    /// Whether any operation of this sort is accepted.
    func accepts(_ sort: OperationSort) -> Bool { outcome?.accepts(sort) ?? false }
}

extension ControlBlock.Entry {
    fileprivate var withoutCells: ControlBlock.Entry {
        ControlBlock.Entry(clock: clock, wall: wall, operation: operation.withoutCells)
    }
}

extension ControlOperation {
    /// Whether devices can use the form or list that it defines.
    fileprivate var isSound: Bool {
        switch self {
        case .form(let form): form.isSound
        case .list(let list): list.isSound
        default: true
        }
    }
}

extension ControlNote {
    /// One note for what is misplaced and one for what is unknown, however many blocks there are:
    /// anybody with a role can send thousands.
    fileprivate static func foreign(in body: Body?) -> [ControlNote] {
        var notes: [ControlNote] = []
        for note in (body?.blocks ?? []).compactMap(ControlNote.init(foreign:)) {
            if let known = notes.firstIndex(where: { $0.verdict == note.verdict }) {
                notes[known].positions =
                    notes[known].positions.lowerBound..<note.positions.upperBound
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
                positions: first..<first + count, count: count, verdict: .waiting(.kind, key: []))
        case .misplaced(_, let first, let count):
            self.init(
                positions: first..<first + count, count: count,
                verdict: .refused(.misplaced, what: "operation"))
        case .unknown, .records, .control: return nil
        }
    }
}

/// The verdicts on the operations of a control batch. They are worked out again only where they can
/// have changed, so that batches of which nothing counts cost no more than they did when they came.
struct ControlOutcome: Equatable {
    /// Those without effect, in the order of their places, none of which lies in two; the others are
    /// accepted.
    private(set) var notes: [ControlNote] = []
    /// A bit for each sort of which any operation is accepted.
    private var accepted: UInt16 = 0

    /// Whether any operation of this sort is accepted.
    func accepts(_ sort: OperationSort) -> Bool { accepted >> sort.rawValue & 1 == 1 }

    var acceptsAny: Bool { accepted != 0 }

    /// The verdict over the operation at a place.
    ///
    /// - Complexity: O(log notes).
    func verdict(at position: Int) -> Verdict {
        var range = notes.indices
        while !range.isEmpty {
            let middle = (range.lowerBound + range.upperBound) / 2
            let note = notes[middle]
            if note.positions.contains(position) { return note.verdict.verdict }
            range =
                note.positions.lowerBound < position
                ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return .accepted
    }

    private mutating func add(_ note: ControlNote) {
        if let last = notes.last, last.positions.upperBound == note.positions.lowerBound,
            last.verdict == note.verdict
        {
            notes[notes.count - 1].positions = last.positions.lowerBound..<note.positions.upperBound
            notes[notes.count - 1].count += note.count
        } else {
            notes.append(note)
        }
    }
}

extension ControlOutcome {
    /// The verdicts of an authority on a batch.
    init(of record: ControlRecord, by authority: Authority) {
        guard !record.isMalformed else {
            add(
                ControlNote(
                    positions: 0..<1, count: 1, verdict: .refused(.malformed, what: "batch")))
            return
        }
        let verdicts = authority.verdicts(of: record.control)
        for (entry, verdict) in zip(record.control.entries, verdicts) {
            let sort = OperationSort(entry.operation)
            let positions = entry.index..<entry.index + 1
            switch verdict {
            case .accepted:
                // What authority accepts and no device can use is refused by all.
                if !record.isSound(at: entry.index) {
                    add(
                        ControlNote(
                            positions: positions, count: 1,
                            verdict: .refused(.definition, what: sort.word)))
                } else {
                    accepted |= 1 << sort.rawValue
                }
            case .waiting(let waiting):
                add(
                    ControlNote(
                        positions: positions, count: 1,
                        verdict: .waiting(waiting, key: record.author.bytes)))
            case .refused(let refusal):
                add(
                    ControlNote(
                        positions: positions, count: 1, verdict: .refused(refusal, what: sort.word))
                )
            }
        }
    }
}

/// A row about operations of a control batch that have no effect, or none yet, for the same reason.
struct ControlNote: Hashable {
    /// From the first one to behind the last one.
    var positions: Range<Int>
    /// How many they are: operations of other blocks may lie between them.
    var count: Int
    let verdict: NotedVerdict
}

/// The verdict over operations that have no effect, or none yet, as the file notes it.
enum NotedVerdict: Hashable {
    /// - Parameter what: the kind of operation, or the field whose value does not fit.
    case refused(Refusal, what: String)
    /// - Parameter key: the bytes that name what is waited for.
    case waiting(Waiting, key: [UInt8])

    var verdict: Verdict {
        switch self {
        case .refused(let refusal, _): .refused(refusal)
        case .waiting(let waiting, _): .waiting(waiting)
        }
    }
}

/// The rows about members and definitions, for those who look. They are kept in memory so that a
/// control batch writes no more than it changes.
struct ControlNotes {
    struct Definition: Hashable {
        let local: LocalName
        let verdict: String
        let isInForce: Bool
    }

    var definitions: [OperationName: Definition] = [:]
    var members: [Member] = []
}
