import ShareCore
import ShareCrypto

/// Control batches that show a device what the room decided about it.
extension RoomPolicy {
    /// The control batches that lead from the founding to a device's grant, founding first, and
    /// those that came to count about owners and editors about whom there are several: what these
    /// did for or against a device may be revoked by them, and whoever has not heard of it takes it
    /// for a member, or for removed. Where branches are left out, these are all that count.
    func grantProof(of key: DeviceKey, in log: BatchLog) throws -> [Batch] {
        let authority = judgement.authority
        var proof = GrantProof(controls, founding: BatchID(room.digest))
        var subjects: Set<DeviceKey> = []
        var left = [key] + (authority.founder.map { [$0] } ?? []) + authority.disputedAdmitters
        while let subject = left.popLast() {
            guard subjects.insert(subject).inserted else { continue }
            for operation in authority.decisions(about: subject) {
                proof.add(operation.name.batch)
                left.append(operation.author)
            }
        }
        // Why a log counts for nothing shows in its branches, which are in force nowhere.
        if authority.leavesOutBranches {
            for (name, held) in log.logs
            where name.kind == .control && judgement.isKnown(name.author) {
                for head in try log.counted(held, name, upTo: cutoff(of: name)).state?.heads ?? [] {
                    proof.add(head.batch)
                }
            }
        }
        return try controlBatches(proof.batches, in: log)
    }

    /// The control batches that show a removed device that it was. Empty if it was not removed.
    ///
    /// A grant that it goes by may be revoked as its author was removed, or lowered, by others; so it
    /// needs to know of that as well (docs/protocol.md, "Sessions").
    func removal(of key: DeviceKey, in log: BatchLog) throws -> [Batch] {
        judgement.authority.formerMember(key) == nil ? [] : try grantProof(of: key, in: log)
    }

    /// Some control batches, each after the one before it in its log and what admits its author.
    private func controlBatches(
        _ needed: Set<BatchID>, in log: BatchLog
    ) throws -> [Batch] {
        // They came in an order in which each can be judged.
        try controls.filter { needed.contains($0.head.batch) }.map {
            try log.readBatch(try log.bytes(of: $0.batch), at: $0.batch)
        }
    }
}

/// Control batches that show something to who holds none: some, with all before them in their logs,
/// and the founding.
struct GrantProof {
    private let byID: [BatchID: ControlRecord]
    private(set) var batches: Set<BatchID> = []

    init(_ controls: [ControlRecord], founding: BatchID) {
        byID = Dictionary(
            controls.map { ($0.head.batch, $0) }, uniquingKeysWith: { first, _ in first })
        add(founding)
    }

    /// Adds a batch, if it is held, and all before it.
    mutating func add(_ batch: BatchID) {
        var next = byID[batch]
        while let record = next, batches.insert(record.head.batch).inserted {
            next = byID[record.previous]
        }
    }
}
