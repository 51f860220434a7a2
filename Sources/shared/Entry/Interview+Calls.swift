internal import JSON
internal import ShareControl

/// What an answer that is changed from the summary calls for: questions that are asked with it,
/// and were not before, and those whose answer it takes away.
extension Interview {
    /// Notes what was not asked before an answer, and is with it; but for what has an answer from
    /// when it was asked.
    mutating func call(for answer: EntryStateAnswer) {
        guard reviews, let state, state.version == answer.version else { return }
        let before = Set(Stops(state).places.filter(\.isAsked).map(\.stop))
        let fields = Dictionary(answer.fields.map { ($0.path, $0) }) { first, _ in first }
        for place in Stops(answer).places where place.isAsked && !before.contains(place.stop) {
            switch place.stop {
            case .field(let path) where answers.has(path): continue
            case .more(let path) where !answers.repetitions(at: path).isEmpty: continue
            case .field(let path), .more(let path):
                // An entry that is edited may have had it all the time.
                let isFilled = fields[path].map { $0.value != .null || $0.repeat?.count ?? 0 > 0 }
                if record != nil, isFilled == true, field(path) != nil { continue }
                called.insert(place.stop)
            case .note, .changed: called.insert(place.stop)
            }
        }
    }

    /// Has a question asked before the summary comes again.
    mutating func call(_ path: String) {
        if reviews { called.insert(.field(path)) }
    }

    /// Asks what is called for, in the order of the form; then the summary comes.
    mutating func answerCalls() -> Step {
        if let stop { called.remove(stop) }
        for place in state.map({ Stops($0).places }) ?? []
        where place.isAsked && called.contains(place.stop) {
            if let step = reach(place.stop) { return step }
            called.remove(place.stop)
        }
        called = []
        return review()
    }
}
