package import ShareCore
import ShareCrypto

/// The room's authority, in the words that the store keeps.
struct Judgement {
    let authority: Authority
    /// Batches of records that an operation in force names as a cutoff; numbers count while one is not held.
    let namedHeads: Set<BatchID>
    let standings: [DeviceKey: RoomView.Standing]
    /// The authors whose batches are not quarantined.
    let known: Set<DeviceKey>
    /// The batches that had to be opened for it.
    let opened: [BatchID: ControlRecord]

    /// - Parameter open: reads batches that authority has to look into.
    init(
        _ authority: Authority, open: (Set<BatchID>) throws -> [ControlRecord]
    ) rethrows {
        var authority = authority
        var opened: [BatchID: ControlRecord] = [:]
        while !authority.wanted.isEmpty {
            let records = try open(authority.wanted)
            for record in records { opened[record.head.batch] = record }
            authority = authority.opening(records.map(\.control))
        }
        self.init(authority, opened: opened)
    }

    private init(_ authority: Authority, opened: [BatchID: ControlRecord]) {
        self.authority = authority
        self.opened = opened
        namedHeads = authority.recordsNamed
        known = authority.known
        var standings: [DeviceKey: RoomView.Standing] = [:]
        standings.reserveCapacity(authority.members.count + authority.formerMembers.count)
        for member in authority.formerMembers {
            standings[member.device] = member.leftByItself ? .left : .removed
        }
        for member in authority.members { standings[member.device] = .member(member.role) }
        self.standings = standings
    }

    /// The same with batches opened, or closed, that authority does not look into.
    func holding(_ batches: [ControlBatch]) -> Judgement {
        Judgement(authority.holding(batches), opened: [:])
    }

    /// Whether a device's logs are passed on only up to a cutoff.
    func isRemoved(_ device: DeviceKey) -> Bool { standings[device]?.isGone ?? false }

    var members: [Member] { authority.members }

    func isKnown(_ author: DeviceKey) -> Bool { known.contains(author) }

    /// Whether the ancestry of a device's batches can matter: a grant names its cutoff by number.
    func namesCutoff(of author: DeviceKey) -> Bool { authority.namesRecords(of: author) }
}

extension Standing {
    /// The standing as the file notes it, to see later whether it has changed.
    var note: String {
        switch self {
        case .unknown: "unknown"
        case .member(let role, let scopes):
            // The scopes themselves may be long.
            scopes.isEmpty
                ? role.name : "\(role.name) \(Base32.encode(Scope.digest(of: scopes).bytes))"
        case .refused(let refusal): refusal.rawValue
        }
    }
}

extension OperationSort {
    /// The word for it in lists of refused operations.
    package var word: String {
        switch self {
        case .found: "found"
        case .set, .ownersSetting: "set"
        case .form: "form"
        case .part: "part of a list"
        case .list: "list"
        case .grant, .ownersGrant: "grant"
        case .roleChange: "role change"
        case .removal: "removal"
        case .accept: "accept"
        }
    }
}

extension ControlOperation {
    /// The word for it in lists of refused operations.
    package var word: String { OperationSort(self).word }
}
