package import ShareCore
package import ShareCrypto
package import ShareStore
import Synchronization

/// Rooms of this device, and what becomes of their batches.
extension SyncService {
    /// Begins to share a room unless it is shared already.
    ///
    /// - Throws: what the store does; then it is not shared.
    package func add(_ store: RoomStore) async throws {
        let room = store.room
        let counts = try await store.counts()
        let view = try await store.view()
        guard rooms[room] == nil else { return }
        let merger = RoomMerger(store: store)
        rooms[room] = merger
        await noteForms(of: store)
        // The first word to each member carries the number: without it 0 would be told, and this
        // device would pass for up to date until the next telling.
        handle(.pending(room, counts.untold))
        show(view, of: store)
        Task {
            while let group = await merger.next() {
                await self.merge(group, room, store)
            }
        }
    }

    /// Stops sharing a room.
    package func remove(_ room: RoomID) {
        reapplying.removeValue(forKey: room)?.cancel()
        definitions.set([:], of: room)
        // The store hears of the end of a pause as well.
        handle(.roomGone(room))
        let left = rooms.removeValue(forKey: room)?.stop() ?? []
        for item in left {
            handle(
                .merged(room, from: item.session, [MergeOutcome(item.incoming.batch, .dropped)]))
        }
    }

    /// Merges batches that have come from peers, and answers for each.
    func merge(_ group: [RoomMerger.Item], _ room: RoomID, _ store: RoomStore) async {
        do {
            try await merge(group.map(\.incoming), into: store) { outcomes in
                var bySession: [SessionID: [MergeOutcome]] = [:]
                for (item, outcome) in zip(group, outcomes) {
                    bySession[item.session, default: []].append(outcome)
                }
                for (session, outcomes) in bySession {
                    handle(.merged(room, from: session, outcomes))
                }
            }
        } catch {
            // Nothing was committed, so nothing is acknowledged and the peer will send again.
            guard let item = group.first, group.count == 1 else {
                // One batch that cannot be merged declines itself, not those that came with it.
                for item in group { await merge([item], room, store) }
                return
            }
            log.error("merging failed", ["room": room.short, "error": "\(error)"])
            let fate =
                (error as? SQLiteError)?.isDiskFull == true
                ? MergeOutcome.Fate.diskFull : .failed
            handle(
                .merged(room, from: item.session, [MergeOutcome(item.incoming.batch, fate)]))
        }
    }

    /// Merges batches that came in a file, and tells what has become of each.
    ///
    /// - Throws: what the store does; nothing was committed then.
    func takeIn(_ group: [IncomingBatch], of room: RoomID) async throws -> [MergeOutcome] {
        guard let store = rooms[room]?.store else { throw RoomError.noRoom }
        var outcomes: [MergeOutcome] = []
        try await merge(group, into: store) { outcomes = $0 }
        return outcomes
    }

    /// Merges batches, hands over what has become of each, and then passes on what is new.
    private func merge(
        _ group: [IncomingBatch], into store: RoomStore, answer: ([MergeOutcome]) -> Void
    ) async throws {
        let room = store.room
        let report = try await store.merge(group)
        if report.changedControl { await noteForms(of: store) }
        if let view = report.view { show(view, of: store) }
        answer(report.outcomes)
        let fresh = zip(group, report.outcomes).filter {
            // Batches past a cutoff are for this device alone, until they are accepted.
            $1.fate == .stored && !$0.isWantedPastCutoff
        }.map(\.0.batch)
        if !fresh.isEmpty { handle(.fresh(room, fresh)) }
        // Less may wait to be sent: it was sent before a backup was put back, or is not allowed now.
        if report.sealedBefore > 0 || report.changedControl, engine.unsealed(in: room) > 0 {
            notePending(in: room)
        }
        self.report(.changed(room, report))
    }

    /// Takes in a change that was made here: fresh batches are offered to everybody.
    ///
    /// - Parameter view: the room as it is since then, where the caller knows.
    package func changed(
        _ room: RoomID, sealed: [Batch] = [], view: RoomView? = nil
    ) async throws {
        guard let store = rooms[room]?.store else { return }
        for batch in sealed { track(batch.id) }
        let isRecords = !sealed.isEmpty && sealed.allSatisfy { $0.kind == .records }
        if !isRecords, !sealed.isEmpty { await noteForms(of: store) }
        let hasLess = !sealed.isEmpty && engine.unsealed(in: room) > 0
        let counts = hasLess ? try? await store.counts() : nil
        var view = view
        if view == nil { view = try await store.view() }
        if let view { show(view, of: store) }
        // With what goes out members hear that it is not unsent any more.
        if let counts { handle(.pending(room, counts.untold)) }
        if !sealed.isEmpty { handle(.fresh(room, sealed)) }
        notePending(in: room)
        // Entries alone change neither members nor forms.
        report(.changed(room, isRecords ? MergeReport() : nil))
    }

    /// How long entries are gathered before members hear that there are more of them.
    private static let pendingGathering = Duration.milliseconds(500)

    /// Lets members hear how many operations are not sealed, soon after that has changed.
    package func notePending(in room: RoomID) {
        changesCounted += 1
        uncounted[room] = changesCounted
        guard counting.insert(room).inserted else { return }
        Task {
            try? await Task.sleep(for: Self.pendingGathering)
            counting.remove(room)
            await countPending(in: room)
        }
    }

    /// Counts at once what was to be counted soon.
    func countPending() async {
        for room in uncounted.keys.sorted() { await countPending(in: room) }
    }

    private func countPending(in room: RoomID) async {
        let change = uncounted[room]
        guard let store = rooms[room]?.store else { return uncounted[room] = nil }
        guard let counts = try? await store.counts() else { return }
        handle(.pending(room, counts.untold))
        // What was entered meanwhile is not in it.
        if uncounted[room] == change { uncounted[room] = nil }
    }

    private func noteForms(of store: RoomStore) async {
        let held = await store.definitions()
        guard rooms[store.room]?.store === store else { return }
        definitions.set(held, of: store.room)
    }

    /// Tells the engine what a room is like, and sees to what its store has left to do.
    private func show(_ view: RoomView, of store: RoomStore) {
        // What was still being merged when the room was left must not bring it back: nobody would
        // answer for what comes then.
        guard rooms[view.room]?.store === store,
            engine.rooms[view.room].map({ $0.revision <= view.revision }) ?? true
        else { return }
        handle(.room(view))
        guard view.isReapplying, reapplying[view.room] == nil else { return }
        reapplying[view.room] = Task { await reapply(store) }
    }

    /// Lets a room's records follow a change of authority, a little at a time: whatever else the
    /// store is asked comes in between.
    private func reapply(_ store: RoomStore) async {
        let room = store.room
        while !Task.isCancelled {
            do {
                let report = report
                let hasMore = try await store.reapply { changes in
                    if changes != RoomChanges() {
                        report(.changed(room, MergeReport(changes: changes)))
                    }
                }
                if !hasMore { break }
            } catch {
                // A full disk, for instance: what is left is in the file and can wait.
                log.error(
                    "records do not follow yet", ["room": room.short, "error": "\(error)"])
                try? await Task.sleep(for: Self.reapplyRetry)
            }
        }
        guard !Task.isCancelled else { return }
        reapplying[room] = nil
        log.info("records are as members and forms say", ["room": room.short])
        do {
            try await changed(room)
        } catch {
            log.error("reading the store failed", ["room": room.short, "error": "\(error)"])
        }
    }

    private static let reapplyRetry = Duration.seconds(10)

    /// Takes in what members of a room call themselves, to be told to others.
    func setNames(_ names: [DeviceKey: String], of room: RoomID) { handle(.names(room, names)) }

    package func setAddresses(_ map: [DeviceKey: [String]], in room: RoomID) {
        handle(.addresses(room, map))
    }

    /// Batches of which acknowledgements are kept: those of some sixty million new entries.
    private static let mostTracked = 16_384

    /// Keeps the acknowledgements of a batch, and forgets those of the oldest.
    private func track(_ batch: BatchID) {
        acknowledgements[batch] = [:]
        tracked.append(batch)
        if tracked.count > Self.mostTracked { acknowledgements[tracked.removeFirst()] = nil }
    }
}

extension RoomCounts {
    /// What members hear of as not sent, as people count it: owners, who alone can give more or allow
    /// more, hear so of what is above the quota, or not allowed any more, as well.
    fileprivate var untold: UInt64 { UInt64(max(inEntries.pending, 0)) }
}

extension MergeOutcome {
    /// A batch that could not be merged now.
    fileprivate init(_ batch: Batch, _ fate: Fate) {
        self.init(
            log: batch.log, head: batch.head, fate: fate,
            size: batch.size, accepted: 0, waiting: 0, refused: 0)
    }
}

/// The form definitions of each room, where those who unpack batches can look them up without
/// waiting for anybody.
final class DefinitionCache: Sendable {
    private let rooms = Mutex<[RoomID: [OperationName: FormDefinition]]>([:])

    func definitions(of room: RoomID) -> [OperationName: FormDefinition] {
        rooms.withLock { $0[room] ?? [:] }
    }

    func set(_ definitions: [OperationName: FormDefinition], of room: RoomID) {
        rooms.withLock { $0[room] = definitions.isEmpty ? nil : definitions }
    }
}
