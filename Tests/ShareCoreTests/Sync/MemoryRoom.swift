import ShareCore
import ShareCrypto

/// A room's logs in memory, for tests of the synchronisation: every batch counts, none is
/// judged.
struct MemoryRoom {
    let room: RoomID
    private(set) var batches: [BatchID: Batch] = [:]
    private(set) var logs: [LogName: LogState] = [:]
    var standings: [DeviceKey: RoomView.Standing]
    /// Authors without a standing that are known all the same: their grants are void.
    var voided: Set<DeviceKey> = []
    /// What the room comes to where that is not what the batches say: a fault.
    var fault: Digest?
    var isReapplying = false

    init(room: RoomID, standings: [DeviceKey: RoomView.Standing]) {
        self.room = room
        self.standings = standings
    }

    var view: RoomView {
        let heads = logs.sorted { $0.key < $1.key }.flatMap {
            $0.value.heads.flatMap(\.batch.bytes)
        }
        let digest = Hash.digest(heads)
        let logs = logs.mapValues { log in
            guard log.heads.count > Limits.headsTold else { return log }
            return LogState(
                heads: Array(log.heads.prefix(Limits.headsTold)),
                all: LogState.digest(of: log.heads), operations: log.operations)
        }
        return RoomView(
            room: room, logs: logs, standings: standings, known: voided.union(standings.keys),
            vector: RoomView.vector(of: logs),
            digest: fault ?? digest, isReapplying: isReapplying)
    }

    mutating func merge(_ batch: Batch) -> MergeOutcome {
        var fate = MergeOutcome.Fate.stored
        if batches[batch.id] != nil {
            fate = .known
        } else if batch.number > 1, batches[batch.previous] == nil {
            fate = .gap
        } else {
            batches[batch.id] = batch
            var state = logs[batch.log] ?? LogState(heads: [], operations: 0)
            state.heads.removeAll { $0.batch == batch.previous }
            state.heads = (state.heads + [batch.head]).sorted()
            state.operations += 1
            logs[batch.log] = state
        }
        return MergeOutcome(
            log: batch.log, head: batch.head, fate: fate,
            size: batch.bytes.count, accepted: 1, waiting: 0, refused: 0)
    }

    func load(
        _ log: LogName, after: [LogHead], cursor: LogHead?, bytes: Int
    ) -> SyncEngine.LoadedBatches {
        var excluded: Set<BatchID> = []
        for head in after {
            var place = batches[head.batch]
            while let batch = place {
                excluded.insert(batch.id)
                place = batch.number > 1 ? batches[batch.previous] : nil
            }
        }
        let isLost = !after.isEmpty && excluded.isEmpty
        var found: [Batch] = []
        var size = 0
        var next: LogHead?
        let all = batches.values.filter { $0.log == log && !excluded.contains($0.id) }
            .sorted { $0.head < $1.head }.filter { batch in cursor.map { $0 < batch.head } ?? true }
        for batch in isLost ? [] : all {
            if size > bytes, let last = found.last {
                next = last.head
                break
            }
            found.append(batch)
            size += batch.bytes.count
        }
        return SyncEngine.LoadedBatches(
            room: room, log: log, batches: found, next: next, isLost: isLost)
    }

    /// Heads that are not held, and places of the own log to ask from.
    func find(_ log: LogName, _ heads: [LogHead]) -> (missing: [LogHead], places: [LogHead]) {
        let missing = heads.filter { batches[$0.batch] == nil }
        var places = logs[log]?.heads ?? []
        for head in places {
            var place = batches[head.batch]
            var step = 1
            while let batch = place, places.count < 60 {
                places.append(batch.head)
                for _ in 0..<step { place = place.flatMap { batches[$0.previous] } }
                step *= 2
            }
        }
        return (missing, Array(places.prefix(SyncLimits.positions)))
    }
}
