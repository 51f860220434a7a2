import ShareControl
import ShareCore
import ShareCrypto
import ShareNet
import ShareStore

/// Asks one device for a sign of life, and measures how long that takes.
struct PingService: Sendable {
    let own: OwnDevice
    let names: DeviceNames
    let rooms: RoomBook
    let reach: ReachService
    let sync: SyncService

    private static let rounds = 4
    private static let pause = Duration.milliseconds(200)

    /// - Throws: `Problem` of `not_found_member`, `ambiguous_id`, `own_device` or `nobody_in_reach`.
    func ping(_ text: String) async throws -> PingAnswer {
        let key = try await find(text)
        let named = await names.named(key)
        guard key != own.key else {
            throw Problem(
                .ownDevice, "that is this device", hint: "Name another: see `shared peers`.")
        }
        let known = await reach.peers().first { $0.key == key }
        guard let session = await session(with: key, known) else {
            let links = NetworkLink.all()
            if let noSignal = NetworkLink.silence(of: links) {
                throw Problem(
                    .nobodyInReach,
                    "\(named.name) is not in reach: this device is off the network, \(noSignal)",
                    hint: "Plug the cable in, or join the Wi-Fi; to look: `shared doctor`.")
            }
            let at = known?.address.map { " at \($0)" } ?? ""
            let own = links.flatMap(\.addresses)
            if let known, ReachChecks.isElsewhere(known, own) {
                throw Problem(
                    .nobodyInReach, "\(named.name) does not answer\(at)",
                    hint:
                        "This device is on another Wi-Fi: \(own.map(\.network).joined(separator: ", "));"
                        + " join the one that the other is on.")
            }
            throw Problem(
                .nobodyInReach, "\(named.name) does not answer\(at)",
                hint: known?.isNearby != true
                    ? "It is not seen either: is it on, and on the same Wi-Fi?"
                    : known?.isSeen == true
                        ? "It is seen: a firewall, or an access point that keeps devices apart; see"
                            + " `shared doctor`."
                        : "Is it on, and on the same Wi-Fi? Else a firewall, or an access point that"
                            + " keeps devices apart; see `shared doctor`.")
        }
        var times: [Double] = []
        for round in 0..<Self.rounds {
            if round > 0 { try await Task.sleep(for: Self.pause) }
            guard let time = await sync.roundTrip(on: session) else { break }
            times.append(time / .milliseconds(1))
        }
        guard !times.isEmpty else {
            throw Problem(
                .nobodyInReach, "\(named.name) is connected and does not answer",
                hint: "The connection ends by itself within 25 s of silence; try again then.")
        }
        let address = await sync.peers().first { $0.session == session }?.address
        return PingAnswer(device: named, address: address, milliseconds: times, sent: Self.rounds)
    }

    private func session(with key: DeviceKey, _ known: KnownPeer?) async -> SessionID? {
        if let session = await sync.session(with: key) { return session }
        for endpoint in known?.endpoints ?? [] {
            guard (try? await reach.connect(to: endpoint, within: SyncService.patience)) != nil
            else {
                continue
            }
            if let session = await sync.sessionOnceMet(with: key, within: SyncService.patience) {
                return session
            }
        }
        return nil
    }

    /// The device of that name, in either case, or that id or beginning of one. Looking does no
    /// harm, so that a name is enough.
    private func find(_ text: String) async throws -> DeviceKey {
        var keys = Set(await reach.peers().map(\.key)).union([own.key])
        for room in await rooms.all() {
            keys.formUnion(await room.store.authority().members.map(\.device))
        }
        var found: [DeviceKey] = []
        for key in keys.sorted() {
            let name = await names.named(key).name
            let isMeant =
                name.lowercased() == text.lowercased()
                || text.utf8.count >= 4 && DeviceText.matches(text, key)
            if isMeant { found.append(key) }
        }
        guard let first = found.first else {
            throw Problem(
                .notFoundMember, "no device \"\(text)\" is known",
                hint: MemberLookup.near(text, among: await names.known(Array(keys)))
                    ?? "See `shared peers`: a name does, or the first 4 characters of an id.")
        }
        guard found.count == 1 else {
            throw Problem(
                .ambiguousID, "\(found.count) devices answer to \"\(text)\"",
                hint: "Name one by its id: " + found.prefix(4).map(\.short).joined(separator: ", ")
                    + ".")
        }
        return first
    }
}
