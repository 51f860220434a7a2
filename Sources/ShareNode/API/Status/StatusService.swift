import ShareControl
import ShareCore
import ShareCrypto
import ShareNet
import ShareStore

/// Tells how this device and its rooms stand.
struct StatusService: Sendable {
    let own: OwnDevice
    let rooms: RoomBook
    let membership: Membership
    let leaving: Leaving
    let faults: DeviceFaults
    let peers: Peers
    let membersProgress: MembersProgress
    let flags: FlagService
    let sync: SyncService
    let joins: JoinService
    let discovery: Discovery?
    let schemas: SchemaCache
    let parallelForms: ParallelForms
    let parallelLists: ParallelLists
    let wall: @Sendable () -> UInt64

    /// How this device stands in one room, or in all of them.
    func status(of only: OpenRoom?) async throws -> StatusAnswer {
        let current = await rooms.currentRoom
        let open = await rooms.all().filter { only == nil || only?.id == $0.id }
        var statuses: [RoomStatus] = []
        for room in open {
            do {
                statuses.append(try await status(of: room, isCurrent: room.id == current))
            } catch {
                // One damaged table must not hide how everything else stands.
                statuses.append(
                    RoomStatus(
                        name: room.name, id: room.id.text, current: room.id == current,
                        autopush: room.autopush, problem: Problem(error)))
            }
        }
        for room in await rooms.allDamaged() where only == nil {
            statuses.append(
                RoomStatus(
                    name: room.entry.name, id: room.entry.id.text,
                    current: room.entry.id == current, autopush: room.entry.autopush ?? false,
                    problem: room.problem))
        }
        return StatusAnswer(
            device: NamedDevice(id: own.key.text, name: own.name), version: Release.version,
            network: NetworkLink.silence(of: NetworkLink.all()), rooms: statuses,
            peers: Self.counts(await peers.list(in: only)),
            discovery: discoveryStatus(), faults: await faults.all(in: open))
    }

    /// What the user should know beside the status.
    func notices(about only: OpenRoom?) async -> [String] {
        var notices: [String] = []
        for room in await rooms.all() where only == nil || only?.id == room.id {
            if let notice = await peers.aloneNotice(room) { notices.append(notice) }
            if let notice = await quotaNotice(room) { notices.append(notice) }
        }
        if let space = DiskSpace(of: rooms.opening.folder), space.isUsedUp {
            notices.append(
                "the disk is nearly full, \(space.free >> 20) MiB are free: what cannot be written is"
                    + " refused")
        }
        return notices + (await clockNotices()) + (await inviteNotices(only))
    }

    /// Whose clock is off: its dates and days are wrong, and nobody notices by itself.
    private func clockNotices() async -> [String] {
        let clocks = await sync.clockComparison()
        if let fault = clocks.ownFault {
            return [
                "this device's clock is \(fault): times and \"today\" are wrong here; set it right"
            ]
        }
        let others = clocks.others
        guard let first = others.first, let fault = clocks.fault(of: first) else { return [] }
        let name = await peers.reach.peerName(first)
        let more = others.count > 1 ? ", and \(others.count - 1) more are off: shared members" : ""
        return ["the clock of \(name) is \(fault)\(more): what is entered there has wrong times"]
    }

    /// That a quota may be why members have not sent entries: owners alone can give more.
    private func quotaNotice(_ room: OpenRoom) async -> String? {
        guard let quota = await room.store.settings().quota,
            await rooms.role(in: room.id) == .owner
        else { return nil }
        let waiting = await membersProgress.list(in: room).filter { ($0.unsent ?? 0) > 0 }.map(
            \.name)
        guard let first = waiting.first else { return nil }
        let who =
            waiting.count == 1
            ? "\(first) has" : "\(first) and \(waiting.count - 1) more have"
        return "\(who) entries not sent, and the room's quota of \(quota.text) may be why: to give"
            + " more: shared set quota"
    }

    private static func counts(_ peers: [PeerAnswer]) -> PeerCounts {
        // Who is connected and in none of the rooms is about to join or to leave.
        let sharing = peers.filter { $0.state == "connected" && !$0.rooms.isEmpty }
        return PeerCounts(
            nearby: peers.count { ["connected", "nearby"].contains($0.state) },
            connected: sharing.count,
            identical: sharing.count { $0.identical },
            differing: sharing.filter { !$0.identical }.map {
                PeerDifference(
                    id: $0.id ?? "", name: $0.name, behind: $0.behind ?? 0, ahead: $0.ahead ?? 0,
                    digestDiffers: $0.progress.contains { $0.state == "digest_differs" },
                    isUnheard: $0.progress.contains { $0.state == "unheard" })
            })
    }

    private func status(of room: OpenRoom, isCurrent: Bool) async throws -> RoomStatus {
        let counts = try await room.store.counts().inEntries
        let left = try await leftRows(in: room)
        let authority = await room.store.authority()
        let removal = await membership.removal(of: own.key, from: room)
        let settings = await room.store.settings()
        let own = own.keys
        let readers = authority.members.filter { $0.role.readsAll && !own.contains($0.device) }
        let alone = try await peers.sealedOnlyHere(in: room)
        return RoomStatus(
            name: room.name, id: room.id.text, role: await membership.roleWord(in: room, removal),
            members: authority.members.count, records: counts.records, pending: counts.pending,
            waiting: counts.waiting, refused: counts.refused,
            conflicts: counts.conflicts + left,
            digest: counts.digest.text, current: isCurrent, autopush: room.autopush,
            withheld: counts.withheld, blocked: counts.blocked, isOpen: settings.isOpen,
            isHidden: settings.isHidden,
            activity: try await activity(in: room, counts),
            ownLogRecovery: await faults.recovery(of: room), removed: removal,
            onlyHere: counts.pending + alone.all,
            onlyHereEntries: counts.pendingEntries + alone.new,
            readers: readers.count, isStale: try await isStale(room),
            others: await membersProgress.list(in: room), pendingEntries: counts.pendingEntries,
            invalid: await flags.invalid(in: room.id).sorted { $0.key < $1.key }.map {
                FormCount(form: $0.key, count: $0.value)
            },
            // Beside the rest: where it cannot be told, the rest still is.
            repeatedKeys: (try? await repeatedKeys(in: room)) ?? [],
            parallelForms: await parallelForms.list(in: room),
            parallelLists: (try? await parallelLists.list(in: room)) ?? [],
            scopes: await ScopeReading.answers(
                authority.currentScopes(of: self.own.key), in: room.store, schemas))
    }

    /// The records of a form whose keys are counted for a status: all of them are looked at.
    private static let keyedRecords = 20_000
    /// So long it takes at most: keys of 256 KiB, which people do not write, take long.
    private static let keysTake = Duration.milliseconds(250)

    /// Keys that several entries have: two devices that do not meet may enter one household each.
    private func repeatedKeys(in room: OpenRoom) async throws -> [FormCount] {
        let forms = await room.store.forms().filter { 2...Self.keyedRecords ~= $0.records }
            .map { (info: $0, places: schemas.schema(of: $0).keyPlaces) }
            .filter { !$0.places.isEmpty }
        guard !forms.isEmpty else { return [] }
        // The connection that questions share may be busy with a long one.
        let reader = try RoomReader(path: room.store.path)
        let look = Task {
            var counts: [FormCount] = []
            for form in forms.sorted(by: { $0.info.formID < $1.info.formID })
            where !Task.isCancelled {
                do {
                    let count = try await reader.repeatedKeys(of: form.info, at: form.places)
                    guard count > 0 else { continue }
                    counts.append(FormCount(form: form.info.formID, count: count))
                } catch let error as SQLiteError where error.isInterrupted { break }
            }
            return counts
        }
        let patience = Task {
            try await Task.sleep(for: Self.keysTake)
            look.cancel()
        }
        defer { patience.cancel() }
        return try await look.value
    }

    /// Deleted entries and rows in which rows are left, but for those whose deletion is in conflict
    /// already.
    private func leftRows(in room: OpenRoom) async throws -> Int {
        let forms = await room.store.forms()
        guard forms.contains(where: { $0.form.isRepeat }) else { return 0 }
        let left = try await RoomReader(path: room.store.path).leftRows(in: forms)
        guard !left.isEmpty else { return 0 }
        return try await room.store.notInConflict(left).count
    }

    /// Whether a contributor holds entries of others, from when it had another role.
    private func isStale(_ room: OpenRoom) async throws -> Bool {
        let role = await room.store.authority().currentRole(of: own.key)
        guard role?.readsAll == false else { return false }
        let own = own.keys
        return try await room.store.view().logs.contains {
            $0.key.kind == .records && !own.contains($0.key.author) && $0.value.operations > 0
        }
    }

    /// What is going on in a room that takes time, or keeps entries from being sealed.
    private func activity(in room: OpenRoom, _ counts: RoomCounts) async throws -> String? {
        if room.isLeaving {
            let isSaid = await rooms.role(in: room.id) == nil
            return "left when a member is in reach that can hear of it; "
                + (isSaid ? "" : "to stay: shared join \(room.name); ")
                + "to let go of it now: shared leave \(room.name)"
        }
        if room.isJoining, await rooms.role(in: room.id) == nil {
            return "waiting to be admitted"
        }
        if await room.store.isRefilling {
            let others = await room.store.authority().members.contains { $0.device != own.key }
            return "its file was lost or damaged: waiting for a member to give back what it held"
                + (others ? "" : "; if nobody else has the room: man shared, at rebuild")
        }
        if await room.store.isDamaged {
            return "its file is damaged, and nothing is sent before `shared rebuild`"
        }
        if room.loss.count > 0 {
            return "\(EntryWords.changes(room.loss.count)) made here and not sent"
                + " \(room.loss.count == 1 ? "was" : "were") lost with the damaged file:"
                + " to be entered again"
        }
        if await membership.isUnadmitted(to: room) {
            return await membership.unadmitted(to: room)
                + ": ask there for an invite, then join it with the code"
        }
        if let recovery = await faults.recovery(of: room) {
            return "taking back entries of this device's own from \(recovery.peer.name), for"
                + " \(recovery.seconds) s now; nothing new is sent before"
        }
        if let progress = counts.reapplying { return Self.text(progress) }
        if await leaving.isKept(room) { return Self.kept }
        if let above = try await room.store.aboveQuota() { return above }
        guard counts.pending > counts.withheld else { return nil }
        if try await room.store.isMissingOwn(.records) {
            return "waiting for entries of this device's own that owners have told of;"
                + " nothing new is sent before"
        }
        guard await sync.awaitsFirstTelling(in: room.id) else { return nil }
        return "has just started: sends when a member has said how far it is, or after 5 s"
    }

    /// What became of a leave that came to nothing.
    private static let kept =
        "not left: this device is the only owner by now; to leave make another member an owner,"
        + " and leave again"

    /// How far records follow a change of authority, for people.
    private static func text(_ progress: ReapplyProgress) -> String {
        func grouped(_ number: Int) -> String {
            let digits = String(max(number, 0))
            return String(
                digits.enumerated().flatMap { index, digit in
                    index > 0 && (digits.count - index).isMultiple(of: 3) ? [",", digit] : [digit]
                })
        }
        guard progress.total > 0 else { return "taking in records of a new member" }
        return (progress.isTakingOut ? "taking out records: " : "putting back records: ")
            + "\(grouped(progress.done)) of \(grouped(progress.total))"
    }

    private func discoveryStatus() -> DiscoveryStatus {
        guard let state = discovery?.snapshot.state else {
            return DiscoveryStatus(
                state: "off", hint: "It runs without discovery: only --peer addresses count.")
        }
        return DiscoveryStatus(state: state.word, hint: state.hint)
    }

    /// What to say of invites that somebody has guessed at until they ended.
    private func inviteNotices(_ only: OpenRoom?) async -> [String] {
        let now = wall()
        var notices: [String] = []
        for invite in await joins.invites()
        where invite.end(at: now) == .wrongCodes && (only == nil || only?.id == invite.room) {
            guard let room = await rooms.open(invite.room) else { continue }
            notices.append(
                "wrong codes have ended the invite \(invite.code.selector.text) to \(room.name):"
                    + " somebody mistyped it, or guesses")
        }
        return notices
    }
}
