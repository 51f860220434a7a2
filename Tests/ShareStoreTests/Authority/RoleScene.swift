import ShareCore
import ShareCrypto

@testable import ShareStore

/// A founder that receives, and a member that means harm, on one wire.
final class RoleScene {
    let bench: Bench
    let receiver: WiredDevice
    private(set) var member: HostileMember
    private var wire: Wire

    init(_ author: RoleOperation.Author) throws {
        bench = try Bench()
        let founder = bench.founder
        let form = try bench.addForm()
        let other = try founder.append([bench.row(form, "founder", 1)], wall: bench.wall)
        _ = try founder.seal(wall: bench.wall)
        let victim = try bench.device(.collector).identity.key
        let identity = DeviceIdentity.generate()
        let room = bench.founding.room
        var member = HostileMember(
            identity: identity, room: room,
            own: RecordName(form: "visit", creator: identity.key, id: RecordID(high: 9, low: 9)),
            other: other[0], form: form, victim: victim,
            seenOfVictim: founder.authority.latest(about: victim),
            seenOfItself: [])
        if author != .stranger {
            try bench.grant(.collector, to: identity.key)
            let put = member.seal(.put)
            try Bench.merge([put], into: founder)
            member.heads[.records] = put.head
            member.own = RecordName(
                form: "visit", creator: identity.key, id: RecordID(high: 9, low: 9))
            try Self.change(author, of: identity.key, put.head, by: bench)
        }
        let authority = founder.authority
        self.member = HostileMember(
            identity: identity, room: room, own: member.own, other: member.other, form: form,
            victim: victim, seenOfVictim: member.seenOfVictim,
            seenOfItself: authority.latest(about: identity.key), heads: member.heads)
        let receiver = try WiredDevice(founder, seed: 1)
        let sender = try WiredDevice(bench.store(identity), seed: 2)
        self.receiver = receiver
        wire = try Wire(receiver, sender)
    }

    private static func change(
        _ author: RoleOperation.Author, of key: DeviceKey, _ head: LogHead, by bench: Bench
    ) throws {
        let after = bench.founder.authority.latest(about: key)
        let heads = CoveredHeads(control: [], records: [head])
        let operation: ControlOperation
        switch author {
        case .stranger: return
        case .removed:
            operation = .removal(Removal(subject: key, heads: heads, supersedes: after, reason: ""))
        case .member(let role):
            operation = .roleChange(
                RoleChange(subject: key, role: role, heads: heads, supersedes: after))
        }
        bench.wall += 1
        _ = try bench.founder.sealControl([operation], wall: bench.wall)
        while try bench.founder.reapply() {}
    }

    /// Hands a batch to the receiver as the member would send it.
    func send(_ batch: Batch) throws { try wire.inject(.batch(batch)) }

    /// What the room comes to, without the list of what was refused.
    func state() throws -> [String] {
        let writer = receiver.writer
        return try Bench.dump(writer).filter { line in
            !["refused:", "refused record:", "waiting:", "early:", "definition:"].contains {
                line.hasPrefix($0)
            }
        } + ["\(writer.settings())", "\(writer.members)"]
    }

    /// Whether an accepted operation can be seen in the receiver's tables.
    func shows(_ operation: RoleOperation, _ batch: Batch) throws -> Bool {
        let writer = receiver.writer
        let authority = writer.authority
        let name = OperationName(batch: batch.id, index: 0)
        func count(_ sql: String) throws -> Int64 { try writer.integer(sql) ?? 0 }
        switch operation {
        case .put, .editOwn, .editOther, .deleteOwn, .deleteOther, .restoreOwn, .restoreOther,
            .commentOwn, .commentOther, .reviewOwn, .reviewOther:
            guard let row = try writer.row(of: batch.id) else { return false }
            let local = LocalName(batch: row, index: 0).rawValue
            let versions = try count("SELECT count(*) FROM _version WHERE version = \(local)")
            let plain = try count("SELECT count(*) FROM visit WHERE _version = \(local)")
            return versions + plain > 0
        case .form: return writer.form("forged") != nil
        case .list: return authority.verdict(of: name) == .accepted
        case .set: return writer.settings().name == "forged"
        case .setOpen: return writer.settings().isOpen
        case .setHidden: return writer.settings().isHidden
        case .setAutopush: return writer.settings().autopush
        case .setQuota: return writer.settings().quota != nil
        case .grantViewer, .grantContributor, .grantCollector, .grantReviewer, .grantEditor,
            .grantOwner:
            return authority.currentRole(of: DeviceKey(Hash.digest([9]).value))?.name
                == operation.rawValue.split(separator: " ").last.map(String.init)
        case .roleChange: return authority.currentRole(of: member.victim) == .editor
        case .removal: return authority.currentRole(of: member.victim) == nil
        case .accept: return authority.verdict(of: name) == .accepted
        case .leave: return authority.currentRole(of: member.identity.key) == nil
        case .found: return false
        }
    }
}
