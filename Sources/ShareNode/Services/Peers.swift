import ShareControl
import ShareCore
import ShareCrypto
import ShareNet
import ShareStore

/// Lists the other devices as people see them: connected, nearby, or known from before.
struct Peers: Sendable {
    let own: OwnDevice
    let rooms: RoomBook
    let sync: SyncService
    let reach: ReachService
    let log: Log
    let wall: @Sendable () -> UInt64

    /// Every device that is connected, nearby, or a member of a room.
    ///
    /// - Parameter room: only what concerns this room.
    func list(in room: OpenRoom?) async -> [PeerAnswer] {
        let open = await rooms.all()
        let names = Dictionary(uniqueKeysWithValues: open.map { ($0.id, $0.name) })
        var answers: [DeviceKey: PeerAnswer] = [:]
        let met = await reach.known
        let unsent = await unsent(in: room.map { [$0] } ?? open)
        let members = await memberRooms(among: open)
        let now = wall()
        // What is still advertised was heard before the signal went.
        let hasSignal = !NetworkLink.isSilent(NetworkLink.all())
        for peer in await sync.peers() where peer.key != own.key {
            let shared = peer.rooms.filter { room == nil || $0.key == room?.id }
            // Of two sessions with a device the one that shares more tells more.
            if let other = answers[peer.key], other.rooms.count >= shared.count { continue }
            // Who dialled this device did so from a port at which nobody listens.
            let address =
                peer.isInitiator ? peer.address : met[peer.key]?.address ?? peer.address
            let heard = shared.values.filter { $0.state != .unheard }
            let heardAt = now - min(now, UInt64((peer.silence ?? .zero) / .milliseconds(1)))
            answers[peer.key] = PeerAnswer(
                id: peer.key.text, name: peer.name,
                state: peer.silence == nil ? "connected" : "silent", address: address,
                rooms: shared.keys.compactMap { names[$0] }.sorted(),
                isStranger: shared.isEmpty && members[peer.key] == nil,
                identical: !shared.isEmpty && shared.values.allSatisfy { $0.state == .identical },
                behind: heard.isEmpty ? nil : Self.sum(heard.map { Int(clamping: $0.behind) }),
                ahead: heard.isEmpty ? nil : Self.sum(heard.map { Int(clamping: $0.ahead) }),
                unsent: unsent[peer.key],
                progress: Self.progress(shared, names),
                lastSeen: met[peer.key]?.lastSeen.map { WallClock.text($0) },
                lastMet: WallClock.text(heardAt),
                clockSkew: peer.clockSkew, note: Self.note(shared))
        }
        var earlier: [RoomID: [DeviceKey: PeerProgress]] = [:]
        for room in open where !members.isEmpty { earlier[room.id] = await lastProgress(in: room) }
        for peer in await reach.peers() where answers[peer.key] == nil {
            let shared = members[peer.key] ?? []
            guard peer.isNearby || !shared.isEmpty || peer.wasMetLately(now: now) else { continue }
            let isNear = hasSignal && peer.isNear(now: now)
            let isSilent = hasSignal && peer.isSilent && peer.isNearby
            let rooms = shared.isEmpty ? peer.rooms.map(\.name) : shared
            let last = Self.last(earlier.compactMapValues { $0[peer.key] }, names, room?.id)
            answers[peer.key] = PeerAnswer(
                id: peer.key.text, name: peer.name.isEmpty ? peer.key.short : peer.name,
                state: isNear ? "nearby" : isSilent ? "silent" : "known",
                address: peer.address, rooms: rooms, isStranger: shared.isEmpty,
                identical: false, behind: Self.behind(last), ahead: Self.ahead(last),
                unsent: unsent[peer.key], progress: last,
                lastSeen: peer.lastSeen.map { WallClock.text($0) },
                lastMet: peer.lastMet.map { WallClock.text($0) },
                note: Self.versionNote(peer))
        }
        for (key, shared) in members where answers[key] == nil && key != own.key {
            let last = Self.last(earlier.compactMapValues { $0[key] }, names, room?.id)
            answers[key] = PeerAnswer(
                id: key.text, name: key.short, state: "known", rooms: shared, identical: false,
                behind: Self.behind(last), unsent: unsent[key], progress: last)
        }
        var list = Array(answers.values)
        if let room {
            let keys = Set(members.filter { $0.value.contains(room.name) }.keys.map(\.text))
            list.removeAll { $0.id.map { !keys.contains($0) } ?? true }
        } else {
            list += await reach.silentEndpoints().map {
                PeerAnswer(
                    name: "?", state: "known", address: $0.text, rooms: [], identical: false,
                    note: "nobody has answered there yet")
            }
        }
        let order = ["connected": 0, "nearby": 1, "silent": 2]
        return list.sorted {
            (order[$0.state] ?? 3, $0.name, $0.id ?? "") < (
                order[$1.state] ?? 3, $1.name, $1.id ?? ""
            )
        }
    }

    private static func note(_ shared: [RoomID: PeerProgress]) -> String? {
        shared.values.contains { $0.state == .digestDiffers }
            ? "has another state although it holds the same entries: run shared verify on both"
            : nil
    }

    private static func versionNote(_ peer: KnownPeer) -> String? {
        peer.otherVersion.map {
            "speaks version \($0) of the protocol and this device"
                + " \(SyncLimits.protocolVersion): update the older one"
        }
    }

    private static func progress(
        _ shared: [RoomID: PeerProgress], _ names: [RoomID: String]
    ) -> [RoomProgress] {
        shared.compactMap { room, progress in
            names[room].map { name in
                let isUnheard = progress.state == .unheard
                return RoomProgress(
                    room: name, state: progress.state.name,
                    behind: isUnheard ? nil : Int(clamping: progress.behind),
                    ahead: isUnheard ? nil : Int(clamping: progress.ahead))
            }
        }.sorted { $0.room < $1.room }
    }

    /// How the members of a room stand that are not connected, as far as is known: what no other
    /// device has, they lack.
    private func lastProgress(in room: OpenRoom) async -> [DeviceKey: PeerProgress] {
        var progress = await sync.lastProgress(in: room.id)
        let onlyHere: Int
        do {
            onlyHere = try await sealedOnlyHere(in: room).all
        } catch {
            log.error("reading the store failed", ["room": room.id.short, "error": "\(error)"])
            return progress
        }
        guard onlyHere > 0 else { return progress }
        for member in await room.store.authority().members
        where member.role.readsAll && progress[member.device] == nil {
            // Nothing is known of what it has and this device lacks.
            progress[member.device] = PeerProgress(.unheard, behind: UInt64(onlyHere))
        }
        return progress
    }

    /// Entries and changes of this device's own, sealed, that no other device is known to have, and
    /// the new entries among them.
    ///
    /// - Throws: `SQLiteError`: nobody may take what cannot be read for nothing.
    func sealedOnlyHere(in room: OpenRoom) async throws -> (all: Int, new: Int) {
        let authority = await room.store.authority()
        let isElsewhere = await sync.progress(in: room.id).contains { peer, progress in
            progress.state != .unheard && progress.behind == 0
                && authority.currentRole(of: peer)?.readsAll == true
        }
        guard !isElsewhere else { return (0, 0) }
        return try await room.store.entriesOnlyHere(of: own.keys)
    }

    private static func behind(_ progress: [RoomProgress]) -> Int? {
        let known = progress.compactMap(\.behind)
        return known.isEmpty ? nil : sum(known)
    }

    private static func ahead(_ progress: [RoomProgress]) -> Int? {
        let known = progress.compactMap(\.ahead)
        return known.isEmpty ? nil : sum(known)
    }

    /// How a device stands that is not connected.
    private static func last(
        _ progress: [RoomID: PeerProgress], _ names: [RoomID: String], _ only: RoomID?
    ) -> [RoomProgress] {
        progress.compactMap { room, progress in
            guard only == nil || room == only, let name = names[room] else { return nil }
            return RoomProgress(
                room: name, state: "not_connected", behind: Int(clamping: progress.behind),
                ahead: progress.state == .unheard ? nil : Int(clamping: progress.ahead))
        }.sorted { $0.room < $1.room }
    }

    /// The operations that each member has made and not sent, of whom has said so.
    private func unsent(in rooms: [OpenRoom]) async -> [DeviceKey: Int] {
        var unsent: [DeviceKey: Int] = [:]
        for room in rooms {
            for (key, meeting) in await sync.meetings(in: room.id) {
                guard let pending = meeting.pending else { continue }
                unsent[key] = Self.sum([unsent[key] ?? 0, Int(clamping: pending)])
            }
        }
        return unsent
    }

    /// The names of the rooms that each member is in.
    private func memberRooms(among open: [OpenRoom]) async -> [DeviceKey: [String]] {
        var rooms: [DeviceKey: [String]] = [:]
        for room in open {
            for member in await room.store.authority().members {
                rooms[member.device, default: []].append(room.name)
            }
        }
        return rooms
    }

    /// The sum, or the greatest number where it does not fit: peers may say any number.
    private static func sum(_ numbers: [Int]) -> Int {
        numbers.reduce(0) { sum, number in
            let (total, isTooMuch) = sum.addingReportingOverflow(number)
            return isTooMuch ? .max : total
        }
    }

    /// The note on a room with nobody else in it while another of its name is nearby; nil where
    /// there is nothing to say.
    func aloneNotice(_ room: OpenRoom) async -> String? {
        guard await room.store.authority().members.count < 2 else { return nil }
        let others = await reach.peers().filter { peer in
            peer.isNearby
                && peer.rooms.contains { $0.name == room.name && $0.shortID != room.id.short }
        }
        guard let other = others.first else { return nil }
        return "nobody else is in your room \(room.name), and \(other.name) has another room of"
            + " that name: to share with it, ask there for a code and join"
    }
}
