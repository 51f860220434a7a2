import ShareCore
import ShareCrypto

/// A control batch that is held.
struct ControlRecord {
    typealias Entry = (index: Int, entry: ControlBlock.Entry)

    /// Its row; 0 before it has one.
    var batch: Int64
    /// The verdicts on its operations; nil before it is judged.
    var outcome: ControlOutcome?
    private var content: Content

    /// The part that verdicts do not change; shared, as the list of all batches is copied with each
    /// transaction.
    private final class Content: Sendable {
        let isMalformed: Bool
        let control: ControlBatch
        let entries: [Entry]
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
                return block.entries.enumerated().map { (block.firstIndex + $0, $1.withoutCells) }
            }
            foreign = ControlNote.foreign(in: body)
        }

        init(_ content: Content, keeping places: Set<Int>) {
            isMalformed = content.isMalformed
            control = content.control.keeping(places)
            entries = content.entries.filter { places.contains($0.index) }
            foreign = content.foreign
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
    var outline: ControlOutline { content.control.outline }
    /// Its operations that are at hand, with their places.
    var entries: [Entry] { content.entries }
    /// Whether any of them defines a form.
    var definesForms: Bool { outline.has { $0 == .form } }
    /// True where any of them defines a list, or has rows of one.
    var definesLists: Bool { outline.has { $0 == .list || $0 == .part } }
    /// True where any of them gives a setting a value, or founds the room.
    var givesSettings: Bool {
        outline.has { $0 == .found || $0 == .set || $0 == .ownersSetting }
    }
    /// Notes on blocks that do not belong in a control log, and on those that a newer release
    /// knows.
    var foreign: [ControlNote] { content.foreign }

    /// Whether all of its operations are at hand.
    var isOpen: Bool { content.control.isOpen }

    /// The places of the operations that have to be: those that count, and the forms and lists of who is
    /// or was an editor, by which entries and other versions go.
    var needed: Set<Int> {
        guard let outcome else { return [] }
        var places: Set<Int> = []
        for (place, item) in outline.items.enumerated()
        where outcome.verdict(on: place) == .accepted
            || outcome.isByEditor && [.form, .list, .part].contains(item.sort)
        {
            places.insert(item.index)
        }
        return places
    }

    /// Leaves to the file what all other operations say.
    mutating func keep(_ places: Set<Int>) {
        guard entries.contains(where: { !places.contains($0.index) }) else { return }
        content = Content(content, keeping: places)
    }

    /// Takes up what all of its operations say.
    ///
    /// - Throws: `StoreError.damaged` where the file has them no more.
    mutating func open(from log: BatchLog) throws {
        guard !isOpen else { return }
        let source = try log.readBatch(try log.bytes(of: batch), at: batch)
        let opened = Content(source, try? source.openBody())
        guard opened.control.outline == outline, opened.control.isOpen else {
            throw StoreError.damaged("batch \(batch)")
        }
        content = opened
    }

    /// Whether devices can use the form or list that is defined at a place.
    func isSound(at position: Int) -> Bool {
        outline.item(at: position).map { outline.items[$0].isSound } ?? true
    }

    /// Whether any of these is an operation of it.
    func defines(anyOf names: Set<OperationName>) -> Bool {
        !names.isEmpty && outline.items.contains { names.contains(name($0.index)) }
    }

    func name(_ index: Int) -> OperationName { control.name(at: index) }

    /// The verdict over the operation at a place.
    func verdict(at position: Int) -> Verdict {
        guard let outcome else { return .waiting(.author) }
        return outline.item(at: position).map { outcome.verdict(on: $0) } ?? .accepted
    }

    /// Whether any operation of this sort is accepted.
    func accepts(_ sort: OperationSort) -> Bool { outcome?.accepts(sort) ?? false }

    /// Whether its author is or was an editor or owner: who else defines something, defines it for
    /// nobody.
    var isByEditor: Bool { outcome?.isByEditor ?? false }
}

/// What is noted of operations without effect.
extension ControlRecord {
    /// Those without effect, or none yet, in the order of their places, none of which lies in two.
    var notes: [ControlNote] {
        guard let outcome else { return [] }
        guard !isMalformed else {
            return [
                ControlNote(
                    positions: 0..<1, count: 1, verdict: .refused(.malformed, what: "batch"))
            ]
        }
        var notes: [ControlNote] = []
        for (place, item) in outline.items.enumerated() {
            guard
                let verdict = NotedVerdict(
                    outcome.verdict(on: place), of: item.sort, by: author)
            else { continue }
            if let last = notes.last, last.positions.upperBound == item.index,
                last.verdict == verdict
            {
                notes[notes.count - 1].positions = last.positions.lowerBound..<item.index + 1
                notes[notes.count - 1].count += 1
            } else {
                notes.append(
                    ControlNote(
                        positions: item.index..<item.index + 1, count: 1, verdict: verdict))
            }
        }
        return notes
    }
}

extension ControlBlock.Entry {
    fileprivate var withoutCells: ControlBlock.Entry {
        ControlBlock.Entry(clock: clock, wall: wall, operation: operation.withoutCells)
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
    /// The verdict on all, where it is the same.
    private var common: Verdict?
    /// Where it is not, each, in the order of the outline.
    private var each: [Verdict] = []
    /// A bit for each sort of which any operation is accepted.
    private var accepted: UInt16 = 0
    /// Whether the author is or was an editor or owner.
    let isByEditor: Bool

    /// The verdicts of an authority on a batch.
    init(of record: ControlRecord, by authority: Authority) {
        isByEditor = authority.isOrWasEditor(record.author)
        var verdicts = authority.verdicts(of: record.control)
        for (place, item) in record.outline.items.enumerated() where verdicts[place] == .accepted {
            if item.isSound {
                accepted |= 1 << item.sort.rawValue
            } else {
                // What authority accepts and no device can use is refused by all.
                verdicts[place] = .refused(.definition)
            }
        }
        if let first = verdicts.first, verdicts.allSatisfy({ $0 == first }) {
            common = first
        } else {
            each = verdicts
        }
    }

    /// Whether any operation of this sort is accepted.
    func accepts(_ sort: OperationSort) -> Bool { accepted >> sort.rawValue & 1 == 1 }

    var acceptsAny: Bool { accepted != 0 }

    /// The verdict on one of the outline's items.
    func verdict(on item: Int) -> Verdict { common ?? each[item] }
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

    /// Nil for an operation that counts.
    init?(_ verdict: Verdict, of sort: OperationSort, by author: DeviceKey) {
        switch verdict {
        case .accepted: return nil
        case .waiting(let waiting): self = .waiting(waiting, key: author.bytes)
        case .refused(let refusal): self = .refused(refusal, what: sort.word)
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
