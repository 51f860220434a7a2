import Glibc
import ShareControl
import ShareCore
import ShareCrypto
import ShareNet
import ShareStore

/// Looks for reasons why devices do not find each other.
struct Doctor: Sendable {
    let own: OwnDevice
    let rooms: RoomBook
    let peers: Peers
    let names: DeviceNames
    let sync: SyncService
    let reach: ReachService
    let faults: DeviceFaults
    let membership: Membership
    let rotation: IdentityRotation
    let discovery: Discovery?
    let transport: Transport
    /// Where this device listens.
    let endpoint: Endpoint
    /// The folder that holds everything of this device.
    let folder: String
    /// What became of a damaged `node.sqlite` at the start.
    let mending: NodeMending?
    let reaching: ReachChecks
    let facts: DoctorFacts
    let wall: @Sendable () -> UInt64

    /// - Parameter isVerbose: whether to say too how rooms and devices stand in figures.
    func examine(isVerbose: Bool = false) async -> DoctorAnswer {
        discovery?.refresh()
        var checks = discoveryChecks()
        checks.append(await portCheck())
        checks += addressChecks()
        let peers = await self.peers.list(in: nil)
        let reached = await reaching.checks()
        checks.append(peersCheck(peers, silent: reached.silent))
        checks += reached.checks
        checks += await silenceChecks()
        checks += strangerChecks(peers)
        checks += await identityChecks()
        checks += await stateChecks(peers)
        checks += await releaseChecks()
        checks += await admissionChecks()
        checks += await roomChecks()
        checks += await clockChecks()
        checks.append(diskCheck())
        checks += writingChecks()
        checks += await mendingChecks()
        if isVerbose { checks += await facts.all() }
        return DoctorAnswer(ok: !checks.contains { $0.state == "failed" }, checks: checks)
    }

    private func discoveryChecks() -> [DoctorCheck] {
        guard let snapshot = discovery?.snapshot else {
            return [
                DoctorCheck(
                    name: "discovery", state: "skipped", detail: "sharedd runs with --no-discovery",
                    hint: "Only addresses given by --peer or learned from members are tried.")
            ]
        }
        guard snapshot.state == .running else {
            return [
                DoctorCheck(
                    name: "discovery", state: "failed",
                    detail: "discovery is \(snapshot.state.word)",
                    hint: snapshot.state.hint ?? "Wait a few seconds and ask again.")
            ]
        }
        let own =
            snapshot.ownSeen
            ? DoctorCheck(
                name: "own advertisement", state: "ok",
                detail: "seen as \"\(snapshot.registeredName ?? own.name)\"")
            : DoctorCheck(
                name: "own advertisement", state: "warning",
                detail: "this device's own advertisement has not come back yet",
                hint: "Right after the start that is normal; later multicast may be filtered.")
        return [
            DoctorCheck(name: "discovery", state: "ok", detail: "avahi-daemon answers"), own,
        ]
    }

    /// Dials this device's own port over an address that others would use.
    private func portCheck() async -> DoctorCheck {
        let port = self.endpoint.port
        let bound = self.endpoint.host
        let isAny = bound == "::" || bound == "0.0.0.0"
        let host = isAny ? LocalAddresses.all().first ?? "127.0.0.1" : bound
        let endpoint = Endpoint(host: host, port: port)
        do {
            let connection = try await transport.dial(endpoint, deadline: .seconds(3))
            connection.close("only a look")
            let isOwn = connection.peerKey == own.key
            return isOwn
                ? DoctorCheck(name: "port", state: "ok", detail: "\(endpoint.text) answers")
                : DoctorCheck(
                    name: "port", state: "failed",
                    detail: "another device answers at \(endpoint.text)",
                    hint: "Choose another port with --listen ADDR:PORT.")
        } catch {
            let why = error.description(at: endpoint)
            return DoctorCheck(
                name: "port", state: "failed", detail: "\(endpoint.text) does not answer: \(why)",
                hint: "Allow TCP port \(port) in this device's firewall.")
        }
    }

    /// Its addresses; where none of its networks has a signal, others say so.
    private func addressChecks() -> [DoctorCheck] {
        guard !NetworkLink.isSilent(NetworkLink.all()) else { return [] }
        let addresses = LocalAddresses.all()
        guard !addresses.isEmpty else {
            return [
                DoctorCheck(
                    name: "network", state: "failed", detail: "this device has no network address",
                    hint: "Connect it to the Wi-Fi that the others are on.")
            ]
        }
        return [
            DoctorCheck(
                name: "network", state: "ok",
                detail: addresses.prefix(4).joined(separator: ", "))
        ]
    }

    /// - Parameter silent: how many of the connected ones do not answer.
    private func peersCheck(_ peers: [PeerAnswer], silent: Int) -> DoctorCheck {
        let near = peers.filter { ["connected", "nearby"].contains($0.state) }
        guard near.isEmpty else {
            let connected = near.count { $0.state == "connected" }
            return DoctorCheck(
                name: "peers", state: "ok",
                detail: "\(near.count) nearby, \(connected) connected"
                    + (silent > 0 ? ", \(silent) of them without an answer" : ""))
        }
        return DoctorCheck(
            name: "peers", state: "warning", detail: "no other device is in reach",
            hint:
                "Are they on, on the same Wi-Fi, with sharedd running? Guest networks keep devices"
                + " apart: then try --peer HOST:PORT, or another access point.")
    }

    /// Addresses that were typed and do not answer.
    private func silenceChecks() async -> [DoctorCheck] {
        await reach.silentEndpoints().map { endpoint in
            DoctorCheck(
                name: "peer \(endpoint.text)", state: "warning",
                detail: "nobody has answered there",
                hint: "Look at the address, the other device's firewall, and whether sharedd"
                    + " runs there.")
        }
    }

    /// Members of whom this device has no address, so that only they can come here.
    private func strangerChecks(_ peers: [PeerAnswer]) -> [DoctorCheck] {
        var strangers: [String] = []
        let selves = Set(own.keys.map(\.text))
        for peer in peers where peer.state == "known" {
            guard let id = peer.id, peer.address == nil, !selves.contains(id) else { continue }
            let short = String(id.dropFirst(4).prefix(8))
            strangers.append(peer.name == short ? short : "\(peer.name) (\(short))")
        }
        guard !strangers.isEmpty else { return [] }
        let more = strangers.count > 5 ? " and \(strangers.count - 5) more" : ""
        return [
            DoctorCheck(
                name: "members", state: "warning",
                detail: "no address is known of " + strangers.prefix(5).joined(separator: ", ")
                    + more,
                hint: "It comes from discovery, from other members, or from --peer HOST:PORT.")
        ]
    }

    /// Identities in two hands, and what waits until this device has its own batches back.
    private func identityChecks() async -> [DoctorCheck] {
        let rooms = await self.rooms.all()
        var interrupted: [DoctorCheck] = []
        if rotation.isCutOff {
            interrupted.append(
                DoctorCheck(
                    name: "identity", state: "warning",
                    detail: "a change of this device's identity was cut off",
                    hint: "Go on with it: `shared identity new`."))
        }
        let faults = await self.faults.all(in: rooms)
        var checks = faults.enumerated().map { index, fault in
            // What helps against several that follow each other is said once.
            let isSaid = index + 1 < faults.count && faults[index + 1].hint == fault.hint
            return DoctorCheck(
                name: "identity of \(fault.device.name)", state: "warning",
                detail: fault.room.map { "\(fault.detail), in \($0)" } ?? fault.detail,
                hint: isSaid ? nil : fault.hint)
        }
        for room in rooms {
            guard let recovery = await self.faults.recovery(of: room) else { continue }
            checks.append(
                DoctorCheck(
                    name: "own log", state: "warning",
                    detail: "\(recovery.peer.name) has entries of this device"
                        + " in \(room.name) that are not here, for \(recovery.seconds) s now",
                    hint: "They come by themselves while it is in reach; nothing is sent before.")
            )
        }
        return interrupted + checks
    }

    /// Peers that made something else of the same entries, and peers of another release.
    private func stateChecks(_ peers: [PeerAnswer]) async -> [DoctorCheck] {
        var checks: [DoctorCheck] = []
        for peer in peers {
            for standing in peer.standings where standing.state == "digest_differs" {
                checks.append(
                    DoctorCheck(
                        name: "state of \(standing.room)", state: "failed",
                        detail: "\(peer.name) has another state although it holds the same entries",
                        hint: "Run `shared verify` on both devices, and `shared rebuild` on the one"
                            + " that it finds at fault."))
            }
            if let key = peer.id.flatMap({ DeviceKey(text: $0) }),
                let version = await reach.otherVersion(of: key)
            {
                checks.append(
                    DoctorCheck(
                        name: "release", state: "failed",
                        detail:
                            "\(peer.name) speaks version \(version) of the protocol, this device"
                            + " \(SyncLimits.protocolVersion)",
                        hint: "Update the older one."))
            }
        }
        return checks
    }

    /// Rooms that this device was removed from, or that know its former identity only: there is
    /// nobody to share with in them.
    private func admissionChecks() async -> [DoctorCheck] {
        var checks: [DoctorCheck] = []
        for room in await rooms.all() {
            guard let removal = await membership.removal(of: own.key, from: room),
                removal.by.id != own.key.text
            else { continue }
            let kept = (try? await room.store.counts().inEntries.pending) ?? 0
            let unsent = kept == 0 ? "" : "; \(EntryWords.changes(kept)) here not sent"
            checks.append(
                DoctorCheck(
                    name: "room \(room.name)", state: "failed",
                    detail:
                        "removed by \(removal.by.name), \(WallClock.words(removal.at))\(unsent)",
                    hint:
                        "What is here stays. To come back ask for a code, then: `shared join CODE`."
                ))
        }
        for room in await rooms.all() where await membership.isUnadmitted(to: room) {
            checks.append(
                DoctorCheck(
                    name: "room \(room.name)", state: "failed",
                    detail: await membership.unadmitted(to: room),
                    hint: "Ask there for an invite, then: `shared join CODE`."))
        }
        return checks
    }

    /// Rooms whose files could not be opened, or were lost.
    private func roomChecks() async -> [DoctorCheck] {
        let refilling = await rooms.refilling
        let lost = await rooms.all().filter { refilling.contains($0.id) }.map { room in
            DoctorCheck(
                name: "room \(room.name)", state: "failed",
                detail: "its file was lost or damaged: members in reach give back what they hold",
                hint: "Start the device of another member nearby. What only this device had is in"
                    + " no other place than a backup of \(room.store.path).")
        }
        var damaged: [DoctorCheck] = []
        for room in await rooms.all() {
            do {
                try await room.store.requirePlace()
            } catch {
                let problem = Problem(error)
                damaged.append(
                    DoctorCheck(
                        name: "room \(room.name)", state: "failed", detail: problem.detail,
                        hint: problem.hint))
            }
        }
        for room in await rooms.all() where await room.store.isDamaged {
            damaged.append(
                DoctorCheck(
                    name: "room \(room.name)", state: "failed",
                    detail: "its file is damaged, and nothing is sent before it is made anew",
                    hint: "Run `shared rebuild --room \(room.id.short)`."))
        }
        return await lost + damaged
            + rooms.allDamaged().map { room in
                let problem = room.problem
                return DoctorCheck(
                    name: "room \(room.entry.name)", state: "failed", detail: problem.detail,
                    hint: problem.hint)
            }
    }

    /// Below this a room soon cannot be written.
    private static let lowSpace: UInt64 = 200 << 20
    private static let leastSpace: UInt64 = 20 << 20

    private func diskCheck() -> DoctorCheck {
        var figures = statvfs()
        guard statvfs(folder, &figures) == 0 else {
            return DoctorCheck(
                name: "disk", state: "warning", detail: "the free space cannot be told")
        }
        let free = UInt64(figures.f_bavail) &* UInt64(figures.f_frsize)
        let detail = "\(free >> 20) MiB free for the data directory"
        guard free < Self.lowSpace else {
            return DoctorCheck(name: "disk", state: "ok", detail: detail)
        }
        return DoctorCheck(
            name: "disk", state: free < Self.leastSpace ? "failed" : "warning", detail: detail,
            hint: "Make room: entries that cannot be written are refused, not lost.")
    }

    /// Folders of this device in which nothing can be written.
    private func writingChecks() -> [DoctorCheck] {
        [folder, rooms.folder].compactMap { folder in
            Folder.writingError(in: folder).map { error in
                DoctorCheck(
                    name: "data directory", state: "failed",
                    detail: "\(folder) cannot be written: \(error)",
                    hint: "Look at its permissions and its disk: entries that cannot be written are"
                        + " refused, not lost.")
            }
        }
    }

    /// Tells what was lost with a damaged `node.sqlite`, until the next start.
    private func mendingChecks() async -> [DoctorCheck] {
        let found = await rooms.found
        var checks: [DoctorCheck] = []
        if mending == nil, !found.rooms.isEmpty {
            checks.append(
                DoctorCheck(
                    name: "node.sqlite", state: "warning",
                    detail: "it did not list \(found.rooms.joined(separator: ", ")), found by the"
                        + " files in the folder rooms: it was lost, or is an older copy; may be"
                        + " lost: \(NodeMending.allWords.joined(separator: "; "))",
                    hint: "Choose the current room with `shared use ROOM`. Addresses come back when"
                        + " devices meet; make new invites, set autopush. No entry was in it."))
        }
        if !found.unread.isEmpty {
            checks.append(
                DoctorCheck(
                    name: "room files", state: "failed",
                    detail: "\(found.unread.joined(separator: ", ")) in the folder rooms cannot be"
                        + " read as a room's, and no room is listed for it",
                    hint: "Put back a backup; or read the room from another device's file with"
                        + " `shared bundle read FILE --join`. A file that nobody needs may be"
                        + " moved away."))
        }
        guard let mending else { return checks }
        let lost = mending.words.joined(separator: "; ")
        return checks + [
            DoctorCheck(
                name: "node.sqlite", state: "warning",
                detail: "it was damaged and has been made anew; "
                    + (lost.isEmpty ? "nothing is lost" : "may be lost: \(lost)"),
                hint: (lost.isEmpty
                    ? ""
                    : "Addresses come back when devices meet; make new invites, set autopush. ")
                    + "No entry is in it. The damaged file is \(mending.kept).")
        ]
    }

    /// Devices that are named one by one for their clocks.
    private static let namedClocks = 8

    /// This device's clock, and those of others that are off. A device without a clock chip begins
    /// in 1970. All that is shown, never acted on.
    private func clockChecks() async -> [DoctorCheck] {
        let now = wall()
        let clocks = await sync.clockComparison()
        let time = WallClock.words(WallClock.text(now))
        var own = DoctorCheck(name: "clock", state: "ok", detail: time)
        // 1 January 2025, before any release of this program.
        if now < 1_735_689_600_000 || clocks.ownFault != nil {
            own = DoctorCheck(
                name: "clock", state: "warning",
                detail: "this device's clock says \(time)"
                    + (clocks.ownFault.map { "; by most devices in reach that is \($0)" } ?? ""),
                hint: "Set it, so that people can tell when an entry was made.")
        }
        var checks = [own]
        for device in clocks.others.prefix(Self.namedClocks) {
            guard let fault = clocks.fault(of: device) else { continue }
            let name = await names.called(device)
            checks.append(
                DoctorCheck(
                    name: "clock", state: "warning", detail: "\(name)'s clock is \(fault)",
                    hint: "Set the one that is wrong: what is entered on a device has its time."))
        }
        return checks
    }
}
