import ShareCore
import ShareCrypto

@testable import ShareStore

/// A device that seals whatever it likes, whether it may or not.
struct HostileMember {
    let identity: DeviceIdentity
    let room: RoomID
    /// A record that it made while it was a collector, and one of the founder's.
    var own: RecordName
    var other: RecordName
    let form: OperationName
    /// Somebody else, and what is in force about it.
    let victim: DeviceKey
    let seenOfVictim: [OperationName]
    let seenOfItself: [OperationName]
    var heads: [LogKind: LogHead] = [:]
    let clock = Timestamp(milliseconds: 1_700_000_500_000, counter: 0)

    func seal(_ operation: RoleOperation) -> Batch {
        switch operation {
        case .put: records(.put, nil, [.integer(7)], fields: [1])
        case .editOwn: records(.edit, own, [.integer(8)], fields: [1])
        case .editOther: records(.edit, other, [.integer(8)], fields: [1])
        case .deleteOwn: records(.delete, own)
        case .deleteOther: records(.delete, other)
        case .restoreOwn: records(.restore, own)
        case .restoreOther: records(.restore, other)
        case .commentOwn: records(.comment, own, [.absent])
        case .commentOther: records(.comment, other, [.absent])
        case .reviewOwn: records(.review, own, [.absent, .absent])
        case .reviewOther: records(.review, other, [.absent, .absent])
        default: control(controlOperation(operation))
        }
    }

    func controlOperation(_ operation: RoleOperation) -> ControlOperation {
        let none = CoveredHeads(control: [], records: [])
        return switch operation {
        case .form:
            .form(
                FormDefinition(
                    formID: "forged", version: "1", parents: [],
                    fields: [FormField(name: "a", type: .text)], json: "{}"))
        case .list: .list(ListDefinition(name: "forged", parents: [], columns: ["name"], parts: []))
        case .set: .set(Setting(key: "name", value: "forged", parents: []))
        case .setOpen: .set(Setting(key: Authority.openSetting, value: "true", parents: []))
        case .setHidden: .set(Setting(key: Authority.hiddenSetting, value: "true", parents: []))
        case .setAutopush:
            .set(Setting(key: Authority.autopushSetting, value: "true", parents: []))
        case .setQuota: .set(Setting(key: Authority.quotaSetting, value: "9", parents: []))
        case .grantViewer: grant(.viewer)
        case .grantContributor: grant(.contributor)
        case .grantCollector: grant(.collector)
        case .grantReviewer: grant(.reviewer)
        case .grantEditor: grant(.editor)
        case .grantOwner: grant(.owner)
        case .roleChange:
            .roleChange(
                RoleChange(subject: victim, role: .editor, heads: none, supersedes: seenOfVictim))
        case .removal:
            .removal(Removal(subject: victim, heads: none, supersedes: seenOfVictim, reason: ""))
        case .accept: .accept(Acceptance(subject: victim, heads: none))
        case .leave:
            .removal(
                Removal(
                    subject: identity.key,
                    heads: CoveredHeads(
                        control: [], records: heads[.records].map { [$0] } ?? []),
                    supersedes: seenOfItself, reason: ""))
        default:
            .found(
                Founding(
                    name: "forged", nonce: [UInt8](repeating: 1, count: 16), isOpen: true,
                    recovery: victim))
        }
    }

    func control(_ operation: ControlOperation) -> Batch {
        seal(
            .control,
            .control(
                ControlBlock(
                    firstIndex: 0,
                    entries: [ControlBlock.Entry(clock: clock, operation: operation)])))
    }

    func records(
        _ kind: RecordsBlock.Kind, _ record: RecordName?, _ cells: [Cell] = [],
        fields: [Int] = [], parents: [OperationName] = []
    ) -> Batch {
        let isOther = record.map { $0.creator != identity.key } ?? false
        let row = RecordsBlock.Row(
            id: record?.id ?? RecordID(high: 9, low: 9), clock: clock, creator: isOther ? 1 : 0,
            parents: 0..<Int32(parents.count))
        return seal(
            .records,
            .records(
                RecordsBlock(
                    kind: kind, firstIndex: 0, form: form, fields: fields,
                    creators: [identity.key] + (isOther ? [other.creator] : []), rows: [row],
                    parents: parents, cells: cells, storage: [])))
    }

    private func grant(_ role: Role) -> ControlOperation {
        // A new device: whoever may grant can do so without anything about it in the way.
        .grant(
            Grant(
                subject: DeviceKey(Hash.digest([9]).value), role: role, firstControl: 1,
                firstRecords: 1, supersedes: []))
    }

    private func seal(_ kind: LogKind, _ block: Body.Block) -> Batch {
        let head = heads[kind]
        return Batch.seal(
            room: room, kind: kind, number: (head?.number ?? 0) + 1,
            previous: head?.batch ?? BatchID(room.digest), clock: clock, blocks: [block],
            by: identity)
    }
}
