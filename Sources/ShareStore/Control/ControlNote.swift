import ShareCore

/// What the file says of operations of a control batch that have no effect, or none yet, and
/// come to the same.
struct ControlNote: Hashable {
    /// From the first one to behind the last one.
    var places: Range<Int>
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
