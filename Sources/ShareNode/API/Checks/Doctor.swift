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
                    name: "discovery", state: "skipped", detail: "sharedd runs without discovery",
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
            if case .system = error {
                return DoctorCheck(
                    name: "port", state: "failed",
                    detail: "connections are refused, and none can be made: \(why)",
                    hint: "Let sharedd have more open files (LimitNOFILE in its unit, `ulimit -n`),"
                        + " or have fewer programs and devices talk to it at once.")
            }
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
        return [
            DoctorCheck(
                name: "members", state: "warning",
                detail: "no address is known of "
                    + EntryWords.some(strangers.prefix(5), of: strangers.count),
                hint: "It comes from discovery, from other members, or from --peer HOST:PORT.")
        ]
    }

    /// Devices that are named one by one for their clocks.
    private static let namedClocks = 8

    /// This device's clock, and those of others that are off. A device without a clock chip begins
    /// in 1970. All that is shown, never acted on.
    private func clockChecks() async -> [DoctorCheck] {
        let now = wall()
        let clocks = await sync.clockComparison()
        let time = WallClock.words(now)
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
