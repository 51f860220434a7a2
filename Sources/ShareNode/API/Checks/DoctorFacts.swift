import ShareControl
import ShareCore
import ShareCrypto
import ShareNet
import ShareStore

/// Says in figures how this device, its rooms and the others stand: for who looks into a fault.
struct DoctorFacts: Sendable {
    let own: OwnDevice
    let rooms: RoomBook
    let names: DeviceNames
    let sync: SyncService
    let reach: ReachService
    let endpoint: Endpoint
    let folder: String

    /// Devices that are told of at most.
    private static let most = 64

    func all() async -> [DoctorCheck] {
        var facts = [
            Self.fact(
                "device",
                "\(own.key.text), listening at \(endpoint.text), release \(Release.version),"
                    + " protocol \(SyncLimits.protocolVersion), data in \(folder)")
        ]
        for room in await rooms.all() {
            do {
                facts.append(try await fact(of: room))
            } catch {
                facts.append(Self.fact("room \(room.name)", "cannot be read: \(error)"))
            }
        }
        return facts + (await devices())
    }

    private func fact(of room: OpenRoom) async throws -> DoctorCheck {
        let view = try await room.store.view()
        let counts = try await room.store.counts()
        let batches = view.logs.values.reduce(0) { $0 + Int(clamping: $1.number) }
        let forked = view.logs.values.count { $0.heads.count > 1 }
        return Self.fact(
            "room \(room.name)",
            "\(room.id.short), digest \(counts.digest.text.prefix(16)), \(batches) batches in"
                + " \(view.logs.count) logs, \(forked) of them forked; \(counts.pending)"
                + " operations pending, \(counts.waiting) waiting, \(counts.refused) refused,"
                + " \(counts.apart) batches apart; autopush \(room.autopush ? "on" : "off")")
    }

    /// Who is connected, and where others were met or are advertised.
    private func devices() async -> [DoctorCheck] {
        var facts: [DoctorCheck] = []
        var connected: Set<DeviceKey> = []
        for peer in await sync.peers() where peer.key != own.key {
            connected.insert(peer.key)
            let progress = peer.rooms.map { "\($0.key.short) \($0.value.state.name)" }.sorted()
            facts.append(
                Self.fact(
                    "session \(peer.session.number)",
                    "\(await names.called(peer.key)) at \(peer.address), dialled by"
                        + " \(peer.isInitiator ? "this device" : "it"), clock \(peer.clockSkew) s"
                        + " ahead; rooms: "
                        + (progress.isEmpty ? "none" : progress.joined(separator: ", "))))
        }
        let others = await reach.peers().filter { !connected.contains($0.key) }
            .sorted { ($0.name, $0.key) < ($1.name, $1.key) }
        for peer in others.prefix(Self.most) {
            let addresses = peer.endpoints.map(\.text)
            let met = peer.lastMet.map { "met \(WallClock.words($0))" }
            facts.append(
                Self.fact(
                    "device \(peer.key.short)",
                    [
                        peer.name, peer.isNearby ? "advertised" : "not advertised",
                        met ?? "never met",
                        addresses.isEmpty ? "no address" : addresses.joined(separator: " "),
                    ].joined(separator: ", ")))
        }
        return facts
    }

    private static func fact(_ name: String, _ detail: String) -> DoctorCheck {
        DoctorCheck(name: name, state: "info", detail: detail)
    }
}
