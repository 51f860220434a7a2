import ShareCore
import ShareCrypto

/// How the batches of one log in the file descend from each other.
struct Ancestry {
    /// A log's answers to the questions of authority.
    enum Answers: LogAncestry {
        /// A log without forks, which its numbers describe.
        case straight(StraightLog)
        case forked(LogGraph)

        var hasTooManyHeads: Bool {
            switch self {
            case .straight(let log): log.hasTooManyHeads
            case .forked(let log): log.hasTooManyHeads
            }
        }

        func coverage(of batch: LogHead, by head: LogHead) -> LogCoverage {
            switch self {
            case .straight(let log): log.coverage(of: batch, by: head)
            case .forked(let log): log.coverage(of: batch, by: head)
            }
        }
    }

    /// Keeps the numbers of heads that were looked up, and the first error.
    private final class LookUp {
        var known: [BatchID: UInt64?] = [:]
        var error: (any Error)?
    }

    private let answers: Answers
    private let lookUp = LookUp()

    init(_ graph: LogGraph) { answers = .forked(graph) }

    /// A log without forks.
    ///
    /// - Parameter number: the number of a batch of the log that is held; asked again and again
    ///   for the few heads that operations name.
    init(number: @escaping (BatchID) throws -> UInt64?) {
        let lookUp = lookUp
        answers = .straight(
            StraightLog { id in
                if let number = lookUp.known[id] { return number }
                do {
                    let number = try number(id)
                    lookUp.known[id] = .some(number)
                    return number
                } catch {
                    lookUp.error = lookUp.error ?? error
                    return nil
                }
            })
    }

    /// Hands the log to a question about it.
    ///
    /// - Throws: what the look-up of a head came to: an error of the disk is no answer.
    func asked<R>(_ question: (Answers) -> R) throws -> R {
        let answer = question(answers)
        if let error = lookUp.error {
            lookUp.error = nil
            throw error
        }
        return answer
    }
}

extension BatchLog {

    /// The ancestry of a log as it is now.
    func ancestry(of author: Int64, _ kind: LogKind) throws -> Ancestry {
        let name = LogName(author: try devices.key(of: author), kind: kind)
        guard (logs[name]?.heads.count ?? 0) > 1 else {
            let database = database
            return Ancestry { try database.number(of: $0, author, kind) }
        }
        if let forked = cache.forked, forked.log == name { return Ancestry(forked.graph) }
        var graph = LogGraph()
        try eachBatch(of: author, kind) { graph.insert($0.head, previous: $0.previous) }
        cache.forked = (name, graph)
        return Ancestry(graph)
    }

}

extension Database {
    /// The number of a batch that is held in this log: anybody may name any id as a head of it.
    func number(of batch: BatchID, _ author: Int64, _ kind: LogKind) throws -> UInt64? {
        try integer(
            """
            SELECT number FROM _batch WHERE id = ?1 AND author = ?2 AND kind = ?3 AND state = 0
            """, .blob(batch.bytes), .integer(author), .integer(Int64(kind.rawValue))
        ).flatMap { UInt64(exactly: $0) }
    }
}
