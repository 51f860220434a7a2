import ShareCore
import ShareCrypto

/// What the operations of a control batch come to. It is worked out again only where it can have
/// changed, so that batches of which nothing counts cost no more than they did when they came.
struct ControlOutcome: Equatable {
    /// Those without effect, in the order of their places, none of which lies in two; the others are
    /// accepted.
    private(set) var notes: [ControlNote] = []
    private var accepted: Set<OperationSort> = []

    /// Whether any operation of this sort is accepted.
    func accepts(_ sort: OperationSort) -> Bool { accepted.contains(sort) }

    var acceptsAny: Bool { !accepted.isEmpty }

    /// The verdict over the operation at a place.
    ///
    /// - Complexity: O(log notes).
    func verdict(at place: Int) -> Verdict {
        var range = notes.indices
        while !range.isEmpty {
            let middle = (range.lowerBound + range.upperBound) / 2
            let note = notes[middle]
            if note.places.contains(place) { return note.verdict.verdict }
            range =
                note.places.lowerBound < place
                ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return .accepted
    }

    private mutating func add(_ note: ControlNote) {
        if let last = notes.last, last.places.upperBound == note.places.lowerBound,
            last.verdict == note.verdict
        {
            notes[notes.count - 1].places = last.places.lowerBound..<note.places.upperBound
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
            add(
                ControlNote(
                    places: 0..<1, count: 1, verdict: .refused(.malformed, what: "batch")))
            return
        }
        let verdicts = authority.verdicts(of: record.control)
        for (entry, verdict) in zip(record.control.entries, verdicts) {
            let sort = OperationSort(entry.operation)
            let places = entry.index..<entry.index + 1
            switch verdict {
            case .accepted:
                // What authority accepts and no device can use is refused by all.
                if case .form(let form) = entry.operation, let fault = FormCatalog.fault(of: form) {
                    add(
                        ControlNote(
                            places: places, count: 1, verdict: .refused(fault, what: sort.word)))
                } else {
                    accepted.insert(sort)
                }
            case .waiting(let waiting):
                add(
                    ControlNote(
                        places: places, count: 1,
                        verdict: .waiting(waiting, key: record.author.bytes)))
            case .refused(let refusal):
                add(
                    ControlNote(
                        places: places, count: 1, verdict: .refused(refusal, what: sort.word)))
            }
        }
    }
}
