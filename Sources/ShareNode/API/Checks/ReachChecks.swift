import ShareControl
import ShareCore
import ShareCrypto
import ShareNet
import ShareStore

/// Tries to connect to every device that is seen or known as a member, and says what stands in the
/// way.
struct ReachChecks: Sendable {
    let own: OwnDevice
    let rooms: RoomBook
    let reach: ReachService
    let sync: SyncService
    let transport: Transport
    let discovery: Discovery?

    /// Devices that are tried, all at once; of more the first.
    private static let most = 64

    /// What came of trying one device.
    private struct Attempt: Sendable {
        let peer: KnownPeer
        let isMember: Bool
        /// Where it was tried last, and why that failed; nil where it answered.
        var failure: (endpoint: Endpoint, why: String)?
        /// Whether it is connected and has not answered.
        var isSilent = false
    }

    /// The network, then who answers in it; and how many of the connected devices do not.
    func checks() async -> (checks: [DoctorCheck], silent: Int) {
        let links = NetworkLink.all()
        let attempts = await tryAll()
        let silent = attempts.filter(\.isSilent)
        let answering = attempts.filter { $0.failure == nil && !$0.isSilent }
        guard !NetworkLink.isSilent(links) else { return (Self.signal(links), silent.count) }
        var failing = attempts.filter { $0.failure != nil && ($0.isMember || $0.peer.isNearby) }
        let networks = links.flatMap(\.addresses)
        let elsewhere =
            answering.contains(where: \.isMember)
            ? [] : failing.filter { Self.isElsewhere($0.peer, networks) }
        if !elsewhere.isEmpty { failing.removeAll { Self.isElsewhere($0.peer, networks) } }
        let checks =
            Self.otherNetwork(elsewhere, networks) + Self.frozen(silent)
            + unreachable(failing.filter(\.peer.isNearby), answering, isAll: silent.isEmpty)
            + unseen(failing.filter { !$0.peer.isNearby })
            // Of a room that cannot be opened nobody knows the members.
            + (await rooms.damaged.isEmpty ? strangers(answering) : []) + multicast(answering)
        return (checks, silent.count)
    }

    // MARK: Trying

    private func tryAll() async -> [Attempt] {
        var members: Set<DeviceKey> = []
        for room in await rooms.all() {
            members.formUnion(await room.store.authority().members.map(\.device))
        }
        // A connection outlives by half a minute whom it leads to.
        await sync.ask()
        let connected = await sync.connectedKeys()
        let silent = await sync.silentKeys()
        let known = await reach.peers().filter {
            !own.keys.contains($0.key)
                && ($0.isNearby || members.contains($0.key) || connected.contains($0.key))
                && (!$0.endpoints.isEmpty || connected.contains($0.key)) && $0.otherVersion == nil
        }
        return await withTaskGroup(of: Attempt.self) { group in
            for peer in known.prefix(Self.most) {
                let isMember = members.contains(peer.key)
                let isConnected = connected.contains(peer.key)
                group.addTask {
                    var attempt = Attempt(peer: peer, isMember: isMember)
                    attempt.isSilent = silent.contains(peer.key)
                    if !isConnected {
                        attempt.failure = await self.dial(peer)
                        await reach.note(peer.key, answers: attempt.failure == nil)
                    }
                    return attempt
                }
            }
            var attempts: [Attempt] = []
            for await attempt in group { attempts.append(attempt) }
            return attempts.sorted { ($0.peer.name, $0.peer.key) < ($1.peer.name, $1.peer.key) }
        }
    }

    /// Tries the addresses of a device at once; nil where one of them answers.
    private func dial(_ peer: KnownPeer) async -> (endpoint: Endpoint, why: String)? {
        await withTaskGroup(of: (Endpoint, String?).self) { group in
            for endpoint in peer.endpoints.prefix(4) {
                group.addTask {
                    do throws(TransportError) {
                        let connection = try await transport.dial(
                            endpoint, deadline: SyncService.patience)
                        connection.close("only a look")
                        return (endpoint, nil)
                    } catch TransportError.timedOut {
                        return (endpoint, "no reply in 3 s")
                    } catch {
                        return (endpoint, error.description(at: endpoint))
                    }
                }
            }
            var failure: (Endpoint, String)?
            for await (endpoint, why) in group {
                guard let why else {
                    group.cancelAll()
                    return nil
                }
                if failure == nil || endpoint == peer.endpoints.first { failure = (endpoint, why) }
            }
            return failure
        }
    }

    // MARK: What it comes to

    /// Interfaces that have an address and no carrier, where none has both: a bridge of containers
    /// without any is nobody's concern.
    private static func signal(_ links: [NetworkLink]) -> [DoctorCheck] {
        NetworkLink.silence(of: links).map { silence in
            [
                DoctorCheck(
                    name: "network", state: "failed", detail: silence,
                    hint: "Plug the cable in, or join the Wi-Fi that the others are on.")
            ]
        } ?? []
    }

    /// Whether all that is known of where a device is lies in other networks than this one's.
    static func isElsewhere(_ peer: KnownPeer, _ own: [NetworkLink.Address]) -> Bool {
        let hosts = peer.endpoints.map(\.host).filter {
            !$0.contains(":") && !$0.hasPrefix("127.")
        }
        return !own.isEmpty && !hosts.isEmpty
            && !hosts.contains { host in own.contains { $0.holds(host) } }
    }

    /// Devices on other networks than this one, or such that were met there last.
    private static func otherNetwork(
        _ elsewhere: [Attempt], _ own: [NetworkLink.Address]
    ) -> [DoctorCheck] {
        let endpoints = elsewhere.first?.peer.endpoints ?? []
        guard let host = endpoints.map(\.host).first(where: { !$0.contains(":") }) else {
            return []
        }
        return [
            DoctorCheck(
                name: "network", state: "failed",
                detail: "you are on \(own.map(\.network).joined(separator: ", "));"
                    + " \(names(elsewhere)) \(elsewhere.count == 1 ? "was" : "were")"
                    + " last met elsewhere (\(host)): another Wi-Fi",
                hint: "Join the Wi-Fi that the others are on.")
        ]
    }

    /// Devices that are connected and do not answer.
    private static func frozen(_ silent: [Attempt]) -> [DoctorCheck] {
        guard !silent.isEmpty else { return [] }
        let verb =
            silent.count == 1
            ? "is connected, and does not answer" : "are connected, and none of them answers"
        return [
            DoctorCheck(
                name: "connection",
                state: silent.contains(where: \.isMember) ? "failed" : "warning",
                detail: "\(names(silent)) \(verb) (no reply in 3 s)",
                hint: "Asleep, frozen or just out of reach; the connection ends by itself within"
                    + " 25 s of silence.")
        ]
    }

    /// Devices that are seen and do not answer; where there is none, those that do.
    ///
    /// - Parameter isAll: whether no connected one is without an answer: else names say who answers,
    ///   as some of them may not be connected.
    private func unreachable(
        _ seen: [Attempt], _ answering: [Attempt], isAll: Bool
    ) -> [DoctorCheck] {
        guard !seen.isEmpty else {
            let count = answering.count
            guard count > 0 else { return [] }
            let who =
                isAll ? (count == 1 ? "1 device" : "\(count) devices") : Self.names(answering)
            return [
                DoctorCheck(
                    name: "connection", state: "ok",
                    detail: "\(who) \(count == 1 ? "answers" : "answer")")
            ]
        }
        // Who has others to share with is not held up by a stranger's firewall.
        let matters = seen.contains(where: \.isMember) || !answering.contains(where: \.isMember)
        func check(_ some: [Attempt], _ verb: String, _ cause: String) -> [DoctorCheck] {
            guard let failure = some.first?.failure else { return [] }
            let place = failure.endpoint
            return [
                DoctorCheck(
                    name: "connection", state: matters ? "failed" : "warning",
                    detail: "\(Self.names(some)) \(verb) (\(place.text): \(failure.why))",
                    hint: "\(cause) Try: `nc -vz \(place.host) \(place.port)`; or carry the room"
                        + " on a stick: `shared bundle write FILE`.")
            ]
        }
        let fresh = seen.filter(\.peer.isSeen)
        let stale = seen.filter { !$0.peer.isSeen }
        let apart = "firewall on one of the two, or an access point that keeps devices apart."
        let isSeen =
            fresh.count == 1 ? "is seen, and does not answer" : "are seen, and none of them answers"
        let wasMet =
            stale.count == 1 ? Self.since(stale) : "were met, and none of them answers any more"
        return check(fresh, isSeen, "A \(apart)")
            + check(
                stale, wasMet, "Switched off, out of reach, or the cable pulled; else a \(apart)")
    }

    /// `does not answer since 2026-11-27 09:40`
    private static func since(_ stale: [Attempt]) -> String {
        let met = stale.first?.peer.lastMet.map { " since \(WallClock.words($0))" }
        return "does not answer" + (met ?? "")
    }

    /// Members that are neither seen nor answer where they were met.
    private func unseen(_ away: [Attempt]) -> [DoctorCheck] {
        guard let first = away.first, let failure = first.failure else { return [] }
        let met = first.peer.lastMet.map { ", last met \(WallClock.words($0))" }
        let verb =
            away.count == 1 ? "is not seen, and does not answer" : "are not seen, and do not answer"
        return [
            DoctorCheck(
                name: "members", state: "warning",
                detail: "\(Self.names(away)) \(verb) (\(failure.endpoint.text): \(failure.why)"
                    + "\(away.count == 1 ? met ?? "" : ""))",
                hint: "Switched off, out of reach, or on another network: what is new goes to them"
                    + " when they are back.")
        ]
    }

    /// Devices that answer and share no room with this one.
    private func strangers(_ answering: [Attempt]) -> [DoctorCheck] {
        let strangers = answering.filter { !$0.isMember }
        guard !strangers.isEmpty, strangers.count == answering.count else { return [] }
        return [
            DoctorCheck(
                name: "rooms", state: "warning",
                detail: "\(Self.names(strangers)) \(strangers.count == 1 ? "answers" : "answer"),"
                    + " and no room is common to you",
                hint: "One of the two joins the other's: `shared invite` there, `shared join CODE`"
                    + " here.")
        ]
    }

    /// Members that answer at their addresses, and none of which is seen.
    private func multicast(_ answering: [Attempt]) -> [DoctorCheck] {
        guard let snapshot = discovery?.snapshot, snapshot.state == .running,
            snapshot.hasBrowsed(for: SyncService.patience), !answering.isEmpty,
            !answering.contains(where: { $0.peer.isNearby })
        else { return [] }
        return [
            DoctorCheck(
                name: "multicast", state: "warning",
                detail:
                    "\(Self.names(answering)) \(answering.count == 1 ? "answers" : "answer") and"
                    + " cannot be seen: this network drops multicast",
                hint: "New devices are not found by themselves here: join with the link of"
                    + " `shared invite --qr`, or start sharedd with --peer HOST.")
        ]
    }

    private static func names(_ attempts: [Attempt]) -> String {
        Sentence.list(
            attempts.map { $0.peer.name.isEmpty ? $0.peer.key.short : $0.peer.name })
    }
}
