import ShareControl
import ShareCore
import ShareCrypto
import ShareStore

/// Waits until all in reach are alike, for `sync`, and says truly what came of it.
struct SyncWait: Sendable {
    let own: OwnDevice
    let names: DeviceNames
    let sync: SyncService
    let reach: ReachService
    let membersProgress: MembersProgress
    let push: PushService

    /// How often a waiting `sync` tells how far it is.
    private static let progressEvery = Duration.milliseconds(250)
    /// How soon a session that has replaced another one is looked at.
    private static let replacing = Duration.milliseconds(20)
    /// Time to find somebody at all.
    private static let findTime = Duration.seconds(3)

    /// - Throws: `Problem` with `nobody_in_reach` where no member is connected and answers, or none
    ///   any more.
    func run(
        in room: OpenRoom, within time: Duration,
        progress report: @Sendable (Int, Int?, String?) -> Void
    ) async throws -> SyncAnswer {
        await reach.reconsider()
        let deadline = ContinuousClock.now + time
        let members = await room.store.authority().members.map(\.device)
        let others = members.filter { !own.keys.contains($0) }
        guard !others.isEmpty else {
            throw Problem(
                .nobodyInReach, "nobody else is in \(room.name) yet",
                hint: "Let somebody in: `shared invite`.")
        }
        guard await sync.connection(to: room.id, within: min(time, Self.findTime)) else {
            throw Problem(
                .nobodyInReach,
                "no other member of \(room.name) is in reach: \(await list(others, of: room))"
                    + (try await keptHere(in: room)),
                hint: "`shared peers` shows who is nearby, and `shared doctor` why nobody is.")
        }
        let wait = ContinuousClock.now.duration(to: deadline)
        await sync.ask(in: room.id, within: max(min(wait, SyncService.patience), .zero))
        let before = await sync.operationsOfOthers(in: room.id)
        var met: Set<DeviceKey> = []
        var hadDifferences = false
        var most = 0
        while !Task.isCancelled {
            let progress = await sync.progress(in: room.id)
            met.formUnion(progress.keys)
            hadDifferences = hadDifferences || progress.values.contains { $0.state == .differing }
            let left = max(ContinuousClock.now.duration(to: deadline), .zero)
            let isAlike = await sync.untilIdentical(
                room.id, within: min(left, Self.progressEvery))
            guard left > .zero else { break }
            if isAlike {
                // A session may have made way for another one just then.
                let now = await sync.progress(in: room.id).values.map(\.state)
                guard now.contains(where: { $0 == .comparing || $0 == .differing }) else { break }
                try? await Task.sleep(for: Self.replacing)
            }
            let missing = progress.values.map { Int(clamping: $0.ahead) }.max() ?? 0
            most = max(most, missing)
            report(most - missing, most, await lacking(progress, in: room))
        }
        // What others have entered meanwhile is known as of now.
        if hadDifferences { await sync.look() }
        return try await answer(met, in: room, since: before, hadDifferences: hadDifferences)
    }

    private static let named = 3

    /// `daouda lacks 20 entries or other changes and amina lacks 1 entry or other change`; nil where nobody is known to lack anything.
    private func lacking(
        _ progress: [DeviceKey: PeerProgress], in room: OpenRoom
    ) async -> String? {
        let behind = progress.filter { $0.value.behind > 0 }
            .sorted { ($0.value.behind, $0.key) > ($1.value.behind, $1.key) }
        let called = await names.called(behind.prefix(Self.named).map(\.key), in: room)
        var words: [String] = []
        for (key, progress) in behind.prefix(Self.named) {
            let lacks = EntryWords.progress(behind: Int(clamping: progress.behind), ahead: 0)
            words.append("\(called[key] ?? key.short) \(lacks)")
        }
        if behind.count > words.count {
            let more = behind.count - words.count
            words.append("\(more) more \(more == 1 ? "lacks" : "lack") something")
        }
        return words.isEmpty ? nil : Sentence.list(words)
    }

    private func answer(
        _ met: Set<DeviceKey>, in room: OpenRoom, since before: UInt64, hadDifferences: Bool
    ) async throws -> SyncAnswer {
        let connected = await sync.meetings(in: room.id).filter(\.value.isConnected)
        let now = connected.filter { $0.value.silence == nil }.compactMapValues(\.progress)
        let silent = connected.filter { $0.value.silence != nil }.compactMapValues(\.progress)
        let gone = await departed(met.subtracting(connected.keys), from: room)
        // Something was under way with these, or is missing.
        let stuck = silent.filter { ![.identical, .unheard].contains($0.value.state) }
        let after = await sync.operationsOfOthers(in: room.id)
        let received = after > before ? Int(clamping: after - before) : 0
        let missing = [now, stuck, gone].flatMap { $0.values.map(\.ahead) }.max() ?? 0
        guard !now.isEmpty else {
            let kept = try await keptHere(in: room)
            throw silent.isEmpty
                ? nobodyLeft(gone, received, kept)
                : try await nobodyAnswers(silent, in: room, kept)
        }

        let isDifferent = now.values.contains { $0.state == .digestDiffers }
        let counts = try await room.store.counts().inEntries
        let isIdentical =
            gone.isEmpty && stuck.isEmpty && now.values.contains { $0.state == .identical }
            && now.values.allSatisfy { $0.state == .identical || $0.state == .unheard }
        let outcome =
            isDifferent
            ? "digest_differs"
            : !isIdentical
                ? "interrupted" : received > 0 || hadDifferences ? "done" : "nothing_new"
        var peers: [SyncPeer] = []
        for (key, progress) in now { peers.append(await peer(key, progress, progress.state.name)) }
        for (key, progress) in stuck { peers.append(await peer(key, progress, "silent")) }
        for (key, progress) in gone { peers.append(await peer(key, progress, "gone")) }
        peers.sort { ($0.name, $0.id) < ($1.name, $1.id) }
        let members = await membersProgress.list(in: room)
        let role = await room.store.authority().currentRole(of: own.key)
        return SyncAnswer(
            identical: isIdentical, outcome: outcome, received: received,
            missing: Int(clamping: missing), peers: peers,
            absent: members.filter { ["away", "never_met", "silent"].contains($0.state) },
            withUnsent: members.filter { ($0.unsent ?? 0) > 0 },
            pending: room.autopush ? 0 : counts.unsealed, pendingEntries: counts.pendingEntries,
            withheld: counts.withheld, isContributor: role?.readsAll == false)
    }

    /// Of those who went, the ones that went with something still to be exchanged.
    private func departed(
        _ keys: Set<DeviceKey>, from room: OpenRoom
    ) async -> [DeviceKey: PeerProgress] {
        await sync.lastProgress(in: room.id).filter {
            keys.contains($0.key) && $0.value.state != .identical
        }
    }

    private func peer(
        _ key: DeviceKey, _ progress: PeerProgress, _ state: String
    ) async -> SyncPeer {
        let named = await names.named(key)
        return SyncPeer(
            id: named.id, name: named.name, state: state, behind: Int(clamping: progress.behind),
            ahead: Int(clamping: progress.ahead))
    }

    /// The names of devices: `amina, bakary and chloe`.
    private func list(_ devices: some Sequence<DeviceKey>, of room: OpenRoom) async -> String {
        Sentence.list(await names.called(devices, in: room).values.sorted())
    }

    /// What nobody else has of what was made here, at the end of a sentence; nothing where there is
    /// none.
    private func keptHere(in room: OpenRoom) async throws -> String {
        let unsent = try await push.unsentNow(in: room)
        var parts: [String] = []
        if unsent.pending > 0 {
            let what = EntryWords.unsent(unsent.pending, new: unsent.entries)
            parts.append("\(what) here \(unsent.pending == 1 ? "is" : "are") not sent yet")
        }
        if unsent.goingOut > 0 {
            parts.append(
                EntryWords.unsent(unsent.goingOut, new: unsent.goingOutEntries)
                    + " \(unsent.goingOut == 1 ? "is" : "are") on this device alone")
        }
        return parts.map { "; " + $0 }.joined()
    }

    /// Whether something here waits for `push`.
    private func isUnsent(in room: OpenRoom) async throws -> Bool {
        try await push.unsentNow(in: room).pending > 0
    }

    /// Nobody answers: the others may be silent, and this device may be off the network as well.
    private func nobodyAnswers(
        _ silent: [DeviceKey: PeerProgress], in room: OpenRoom, _ kept: String
    ) async throws -> Problem {
        // How one stands that has told nothing is not known.
        let known = silent.filter { $0.value.state != .unheard }
        let lack = await lacking(known, in: room).map { "; \($0)" } ?? ""
        let others =
            "\(await list(silent.keys, of: room)) \(silent.count == 1 ? "is" : "are") silent"
        let noSignal = NetworkLink.silence(of: NetworkLink.all())
        let why =
            noSignal.map { "this device is off the network, \($0)" }
            ?? "perhaps this device is off the network, or \(others)"
        return Problem(
            .nobodyInReach, "nobody of \(room.name) answers: " + why + lack + kept,
            hint: (noSignal == nil ? "Which of the two: `shared doctor`. " : "")
                + (try await isUnsent(in: room)
                    ? "Nothing is lost; what is not sent yet goes out with `shared push`."
                    : "Nothing is lost; it goes on by itself."))
    }

    private func nobodyLeft(
        _ gone: [DeviceKey: PeerProgress], _ received: Int, _ kept: String
    ) -> Problem {
        let ahead = gone.values.map { Int(clamping: $0.ahead) }.max() ?? 0
        let behind = gone.values.map { Int(clamping: $0.behind) }.max() ?? 0
        var rest = ahead > 0 ? "; \(EntryWords.anyChanges(ahead)) not here yet" : ""
        if behind > 0, kept.isEmpty { rest += "; \(EntryWords.anyChanges(behind)) not there yet" }
        if received > 0 { rest += "; \(EntryWords.anyChanges(received)) came in" }
        return Problem(
            .nobodyInReach, "the last member in reach has gone" + rest + kept,
            hint: "What came in is kept, and the rest follows when you meet again:"
                + " `shared peers` shows who is nearby.")
    }
}

extension PeerProgress.State {
    /// The name in answers.
    var name: String {
        switch self {
        case .unheard: "unheard"
        case .identical: "identical"
        case .comparing: "comparing"
        case .differing: "differs"
        case .digestDiffers: "digest_differs"
        }
    }
}
