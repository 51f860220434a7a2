import ShareControl
import ShareCore
import ShareCrypto
import ShareStore

/// Takes the batches of a bundle into its room, as many in one transaction as of what peers send, and
/// counts what becomes of them.
struct BundleMerge {
    let room: OpenRoom
    private let services: BundleReading
    private var group: [IncomingBatch] = []
    private var groupBytes = 0
    private var fileLogs: [LogName: FileLog] = [:]
    /// How far each log goes in the file, of what is here now: no more than the room has.
    var logs: [LogName: LogState] { fileLogs.mapValues(\.state) }
    /// Removed devices with batches in the file that lie past their cutoff.
    private(set) var removed: Set<DeviceKey> = []
    /// The batches that lay past a cutoff as they came, and may lie before it by what follows in
    /// the file.
    private var pastCutoff: [IncomingBatch] = []
    private var pastCutoffBytes = 0

    /// Batches past a cutoff, as they lie in memory, that are looked at again when the file ends.
    private static let pastCutoffLimit = 64 << 20

    init(into room: OpenRoom, through services: BundleReading) {
        self.room = room
        self.services = services
    }

    /// Takes a batch in, with others.
    mutating func add(_ batch: Batch, _ answer: inout BundleAnswer) async throws {
        let definitions = services.sync.definitions.definitions(of: batch.room)
        try await add(IncomingBatch(batch, definitions: definitions), &answer)
    }

    private mutating func add(
        _ incoming: IncomingBatch, _ answer: inout BundleAnswer
    ) async throws {
        group.append(incoming)
        groupBytes += incoming.size
        // As much in one transaction as of what comes from peers.
        guard group.count >= RoomMerger.groupCount || groupBytes >= RoomMerger.groupBytes else {
            return
        }
        try await flush(&answer)
    }

    /// Takes in those that wait for others.
    mutating func flush(_ answer: inout BundleAnswer) async throws {
        guard !group.isEmpty else { return }
        let taken = group
        group = []
        groupBytes = 0
        let outcomes = try await services.sync.takeIn(taken, of: room.id)
        let definitions = services.sync.definitions.definitions(of: room.id)
        for (batch, outcome) in zip(taken, outcomes) {
            Self.note(outcome.fate, &answer)
            if [.stored, .known].contains(outcome.fate) { note(batch) }
            guard outcome.fate == .stored else { continue }
            if outcome.log.kind == .control {
                answer.accepted += outcome.accepted
                answer.decisions += outcome.accepted
            } else if outcome.accepted > 0 {
                let tally = batch.tally(definitions)
                let accepted = max(outcome.accepted - tally.parts, 1)
                answer.accepted += accepted
                answer.newEntries += min(tally.entries, accepted)
            }
            answer.waiting += Int(clamping: outcome.waiting)
            answer.refused += Int(clamping: outcome.refused)
        }
        var overflow: [IncomingBatch] = []
        for (batch, outcome) in zip(taken, outcomes) where outcome.fate == .pastCutoff {
            if pastCutoffBytes < Self.pastCutoffLimit {
                pastCutoff.append(batch)
                pastCutoffBytes += batch.size
            } else {
                overflow.append(batch)
            }
        }
        try await leaveOut(overflow, &answer)
    }

    /// Takes in all that is left when no more comes.
    mutating func end(_ answer: inout BundleAnswer) async throws {
        try await flush(&answer)
        try await takeAgain(&answer)
    }

    /// Takes in once more what lay past a cutoff as it came, until none of it does any good: a
    /// decision that follows in the file may have undone the removal that made the cutoff.
    private mutating func takeAgain(_ answer: inout BundleAnswer) async throws {
        var before = -1
        while !pastCutoff.isEmpty, before != answer.batches.new {
            before = answer.batches.new
            let again = pastCutoff
            pastCutoff = []
            pastCutoffBytes = 0
            answer.batches.leftOut -= again.count
            for batch in again { try await add(batch, &answer) }
            try await flush(&answer)
        }
        for first in stride(from: 0, to: pastCutoff.count, by: RoomMerger.groupCount) {
            let end = min(first + RoomMerger.groupCount, pastCutoff.count)
            try await leaveOut(Array(pastCutoff[first..<end]), &answer)
        }
    }

    /// Leaves batches past a cutoff out of the room, but for what an owner may want to accept.
    private mutating func leaveOut(
        _ batches: [IncomingBatch], _ answer: inout BundleAnswer
    ) async throws {
        removed.formUnion(batches.map(\.batch.author))
        // Only an owner can accept records; its role may have come with this very file. Decisions
        // past a cutoff are revoked for good.
        let records = batches.filter { $0.batch.kind == .records }
        guard !records.isEmpty, await services.rooms.role(in: room.id) == .owner
        else { return }
        try await keep(records, &answer)
    }

    /// Stores records past a cutoff, which count for nothing: whoever chose the file may want to
    /// accept them, and nobody but a file brings them.
    private func keep(
        _ records: [IncomingBatch], _ answer: inout BundleAnswer
    ) async throws {
        let wanted = records.map { batch in
            var batch = batch
            batch.isWantedPastCutoff = true
            return batch
        }
        for outcome in try await services.sync.takeIn(wanted, of: room.id) {
            answer.batches.leftOut -= 1
            if outcome.fate == .stored {
                answer.batches.kept += 1
            } else {
                Self.note(outcome.fate, &answer)
            }
        }
    }

    /// Notes that the file has a batch; those of a log come in its order.
    private mutating func note(_ incoming: IncomingBatch) {
        let batch = incoming.batch
        fileLogs[batch.log, default: FileLog()].heads[batch.previous] = nil
        fileLogs[batch.log]?.heads[batch.id] = batch.head
        fileLogs[batch.log]?.operations += UInt64(incoming.body?.operationCount ?? 0)
    }

    private static func note(_ fate: MergeOutcome.Fate, _ answer: inout BundleAnswer) {
        switch fate {
        case .stored: answer.batches.new += 1
        case .known: answer.batches.known += 1
        case .gap, .apart: answer.batches.waiting += 1
        case .pastCutoff: answer.batches.leftOut += 1
        case .dropped, .failed, .diskFull: answer.batches.refused += 1
        }
    }
}

/// How far a log goes in a file.
private struct FileLog {
    /// The batches that none in the file follows.
    var heads: [BatchID: LogHead] = [:]
    var operations: UInt64 = 0

    var state: LogState { LogState(heads: heads.values.sorted(), operations: operations) }
}

extension IncomingBatch {
    /// What it comes to for people: a row of a repeat is a part of an entry.
    fileprivate func tally(_ definitions: [OperationName: FormDefinition]) -> EntryTally {
        EntryTally(
            body?.records ?? [],
            repeats: Set(definitions.filter { $0.value.isRepeat }.keys), entry: { _, _ in nil })
    }
}
