import ShareCore
import ShareCrypto

/// How the batches of one log in the file descend from each other.
struct RecordLog {
    /// What authority asks a log.
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

extension RoomWriter {
    /// The ancestry of a log as it is now.
    func ancestry(of author: Int64, _ kind: LogKind) throws -> RecordLog {
        let name = LogName(author: try devices.key(of: author), kind: kind)
        guard (state.logs[name]?.heads.count ?? 0) > 1 else {
            let database = database
            return RecordLog { try database.number(of: $0, author, kind) }
        }
        if let forked, forked.log == name { return RecordLog(forked.graph) }
        var graph = LogGraph()
        try eachBatch(of: author, kind) { graph.insert($0.head, previous: $0.previous) }
        forked = (name, graph)
        return RecordLog(graph)
    }

    /// What the author may do at a batch.
    func standing(of held: HeldBatch, in log: RecordLog) throws -> Standing {
        try log.asked {
            state.judgement.authority.standing(
                of: held.author, kind: .records, at: held.head, in: $0)
        }
    }

    /// What the author may do at a batch, also at one that is being filled: while batches are
    /// missing that come before it, its place is not known, and its author's role now holds.
    func standing(of held: HeldBatch) throws -> Standing {
        let standing = try standingAtPlace(of: held)
        guard held.isOpen, standing != .refused(.forked), isMissing(before: held),
            let role = state.judgement.authority.currentRole(of: held.author)
        else { return standing }
        return .member(role)
    }

    /// Whether a member's batch that is being filled comes after batches that are not here, by
    /// what the room's control logs tell: it would be a branch beside them, and be refused.
    func isMissing(before open: HeldBatch) -> Bool {
        isMissing(.records, before: open.number)
    }

    /// Whether owners have told of a batch of this device's own with this number, or a later one, so
    /// that what it sealed there would be refused: its grant begins later. Any owner can tell of
    /// batches that there never were; where it makes no difference nothing is waited for.
    func isMissing(_ kind: LogKind, before number: UInt64) -> Bool {
        let authority = state.judgement.authority
        let log = LogName(author: identity.key, kind: kind)
        guard let role = authority.currentRole(of: identity.key),
            authority.nextNumber(in: log) > number
        else { return false }
        return authority.standing(ofNext: number, in: log).role != role
    }

    private func standingAtPlace(of held: HeldBatch) throws -> Standing {
        let branches = state.logs[LogName(author: held.author, kind: .records)]?.heads.count ?? 0
        let log: RecordLog =
            branches > Limits.headsPerLog || state.judgement.drawsLines(through: held.author)
            ? try ancestry(of: held.authorNumber, .records)
            : RecordLog { _ in nil }
        return try standing(of: held, in: log)
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
