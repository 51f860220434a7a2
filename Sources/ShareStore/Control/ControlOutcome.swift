import ShareCore
import ShareCrypto

/// What the operations of a control batch come to. It is worked out again only where it can have
/// changed, so that batches of which nothing counts cost no more than they did when they came.
struct ControlOutcome: Equatable {
    /// Those without effect, in the order of their places; the others are accepted.
    private(set) var notes: [ControlNote] = []
    private var accepted: Set<OperationSort> = []

    /// Whether any operation of this sort is accepted.
    func accepts(_ sort: OperationSort) -> Bool { accepted.contains(sort) }

    var acceptsAny: Bool { !accepted.isEmpty }

    /// Why the operation at a place does not count; nil if it does.
    func refusal(at place: Int) -> String? {
        notes.last { $0.first <= place && place < $0.first + $0.count }?.reason
    }

    mutating func accept(_ sort: OperationSort) { accepted.insert(sort) }

    mutating func add(_ note: ControlNote) {
        if let last = notes.last, last.first + last.count == note.first,
            last.reason == note.reason, last.what == note.what, last.key == note.key
        {
            notes[notes.count - 1].count += note.count
        } else {
            notes.append(note)
        }
    }
}

extension ControlOutcome {
    /// What a judgement makes of a batch.
    init(of record: ControlRecord, by authority: Authority) {
        guard !record.isMalformed else {
            add(ControlNote(first: 0, count: 1, reason: "malformed", what: "batch", key: nil))
            return
        }
        for run in authority.verdicts(of: record.control) {
            switch run.verdict {
            case .accepted: add(accepted: run, of: record)
            case .waitingForAuthor:
                add(
                    ControlNote(
                        first: run.first, count: run.count, reason: "author", what: "",
                        key: record.author.bytes))
            case .refused(let refusal):
                add(
                    ControlNote(
                        first: run.first, count: run.count, reason: refusal.word,
                        what: run.sort?.word ?? "operation", key: nil))
            }
        }
        for note in record.foreign { add(note) }
    }

    /// What authority accepts and no device can use is refused by all.
    private mutating func add(accepted run: VerdictRun, of record: ControlRecord) {
        if let sort = run.sort, sort != .form { return accept(sort) }
        for (index, entry) in record.entries
        where run.first <= index && index < run.first + run.count {
            let sort = OperationSort(entry.operation)
            if case .form(let form) = entry.operation, let fault = FormCatalog.fault(of: form) {
                add(ControlNote(first: index, count: 1, reason: fault, what: sort.word, key: nil))
            } else {
                accept(sort)
            }
        }
    }
}
