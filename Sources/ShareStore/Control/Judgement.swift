package import ShareCore
import ShareCrypto

/// The room's authority, in the words that the store keeps.
struct Judgement {
    let authority: Authority
    /// Batches up to which an operation draws a line: while one is not held, numbers stand in.
    let namedHeads: Set<BatchID>
    let standings: [DeviceKey: RoomView.Standing]

    init(_ controls: [ControlRecord], room: RoomID) {
        authority = Authority(room: room, batches: controls.map(\.control))
        var heads: Set<BatchID> = []
        for record in controls {
            for (_, entry) in record.entries {
                for head in entry.operation.covered { heads.insert(head.batch) }
            }
        }
        namedHeads = heads
        var standings: [DeviceKey: RoomView.Standing] = [:]
        for member in authority.formerMembers {
            standings[member.device] = member.leftByItself ? .left : .removed
        }
        for member in authority.members { standings[member.device] = .member(member.role) }
        self.standings = standings
    }

    /// Whether a device's logs are passed on only up to a line.
    func isRemoved(_ device: DeviceKey) -> Bool { standings[device]?.isGone ?? false }

    var members: [Member] { authority.members }

    func isKnown(_ author: DeviceKey) -> Bool { authority.knows(author) }

    /// Whether the ancestry of a device's batches can matter: a grant draws its line by number.
    func drawsLines(through author: DeviceKey) -> Bool { authority.namesRecords(of: author) }

    /// Why the operation does not hold; nil if it does.
    func refusal(of operation: OperationName) -> String? {
        switch authority.verdict(of: operation) {
        case .accepted: nil
        case .waitingForAuthor, nil: "author"
        case .refused(let refusal): refusal.word
        }
    }

    /// Whether an operation that does not hold may yet come to hold without a new removal or
    /// grant by anybody who is known.
    func isWaiting(_ operation: OperationName) -> Bool {
        authority.verdict(of: operation) == .waitingForAuthor
    }
}

extension StandingRefusal {
    var word: String {
        switch self {
        case .removed: "removed"
        case .beforeGrant: "before grant"
        case .tooManyHeads: "forked"
        }
    }
}

extension ControlRefusal {
    /// The reason as the file notes it.
    package var word: String {
        switch self {
        case .standing(let refusal): refusal.word
        case .roleTooLow: "role"
        case .notTheFounding: "founding"
        case .outranked: "outranked"
        case .lastOwner: "last owner"
        case .tooMany: "too many"
        }
    }
}

extension Standing {
    /// The standing as the file notes it, to see later whether it has changed.
    var note: String {
        switch self {
        case .unknown: "unknown"
        case .member(let role): role.name
        case .refused(let refusal): refusal.word
        }
    }
}

extension ControlOperation {
    /// The heads that it names, of both logs.
    fileprivate var covered: [LogHead] {
        switch self {
        case .found, .set, .form, .list, .grant: []
        case .roleChange(let change): change.heads.control + change.heads.records
        case .removal(let removal): removal.heads.control + removal.heads.records
        case .accept(let acceptance): acceptance.heads.control + acceptance.heads.records
        }
    }
}
