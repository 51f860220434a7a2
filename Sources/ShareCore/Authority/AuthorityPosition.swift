import ShareCrypto

/// A place in one of a device's logs: which operations about the device act there
/// (docs/protocol/authority.md §2).
enum AuthorityPosition {
    /// Beyond every batch that there is or will be.
    case end
    case control(LogGraph.Position)
    case records(LogHead, isCovered: (LogHead) -> Bool)
    /// A batch with that number beside all that heads name: what a device seals after what it
    /// holds, as those see it who hold the heads.
    case next(LogKind, number: UInt64)

    /// A batch of a records log.
    static func records(_ batch: LogHead, in log: some LogAncestry) -> AuthorityPosition {
        .records(batch) { log.covers($0, batch) }
    }

    /// Whether the heads that an operation about the place's device names cover it.
    func isCovered(by operation: AuthorityOperation, in room: AuthorityRoom) -> Bool {
        switch self {
        case .end, .next: false
        case .control(let place):
            place.number < operation.controlBelow
                || operation.controlHeads.contains {
                    room.graphs[operation.subject].isUpTo(place, $0)
                }
        case .records(_, let isCovered): operation.heads.records.contains(where: isCovered)
        }
    }

    /// Whether an operation in force about the place's device acts there.
    func isActedOn(by operation: AuthorityOperation, in room: AuthorityRoom) -> Bool {
        switch operation.kind {
        case .found: return true
        case .accept: return false
        case .grant:
            return switch self {
            case .end: true
            case .control(let place): place.number >= operation.firstControl
            case .records(let batch, _): batch.number >= operation.firstRecords
            case .next(.control, let number): number >= operation.firstControl
            case .next(.records, let number): number >= operation.firstRecords
            }
        case .roleChange, .removal:
            guard operation.isAboutItsAuthor else { return !isCovered(by: operation, in: room) }
            // What a device says of itself holds for what it writes after that: on that branch, and
            // of records by number, as others need not hold the heads that it names.
            switch self {
            case .control(let place):
                return place != operation.place
                    && room.graphs[operation.subject].isUpTo(operation.place, place)
            case .records(let batch, _):
                return batch.number > operation.heads.records.last?.number ?? 0
            case .end, .next: return true
            }
        }
    }
}
