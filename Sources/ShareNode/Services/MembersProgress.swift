import ShareControl
import ShareCore
import ShareCrypto
import ShareStore

/// Says of each other member of a room whether it is up to date, as far as is known.
struct MembersProgress: Sendable {
    let own: OwnDevice
    let names: DeviceNames
    let sync: SyncService
    let reach: ReachService

    /// The others in the room, in the order of their names.
    func list(in room: OpenRoom) async -> [MemberProgress] {
        let meetings = await sync.meetings(in: room.id)
        let hasSignal = !NetworkLink.isSilent(NetworkLink.all())
        let known = await reach.known
        let logs = await sync.view(of: room.id)?.logs
        var found: [MemberProgress] = []
        for member in await room.store.authority().members
        where !own.keys.contains(member.device) {
            let named = await names.named(member.device)
            let peer = known[member.device]
            var meeting = meetings[member.device]
            // One time for all that tell it: it may have been met last in another room.
            if meeting?.isConnected == false, let met = peer?.lastMet {
                meeting?.at = max(met, meetings[member.device]?.at ?? 0)
            }
            var progress = Self.progress(
                of: named, member.role.name, meeting,
                isSeen: hasSignal && peer?.isSeen == true)
            progress.held = logs.map {
                let log = $0[LogName(author: member.device, kind: .records)]
                return Int(clamping: log?.operations ?? 0)
            }
            found.append(progress)
        }
        return found.sorted { ($0.name, $0.id) < ($1.name, $1.id) }
    }

    private static func progress(
        of device: NamedDevice, _ role: String, _ meeting: SyncService.Meeting?, isSeen: Bool
    ) -> MemberProgress {
        let progress = meeting?.progress
        let isKnown = progress.map { $0.state != .unheard } ?? false
        return MemberProgress(
            id: device.id, name: device.name, role: role, state: state(meeting),
            behind: isKnown ? progress.map { Int(clamping: $0.behind) } : nil,
            ahead: isKnown ? progress.map { Int(clamping: $0.ahead) } : nil,
            unsent: meeting?.pending.map { Int(clamping: $0) },
            lastMet: meeting?.at.map { WallClock.text($0) },
            isSeen: isSeen, silentSeconds: meeting?.silence.map { Int($0 / .seconds(1)) })
    }

    private static func state(_ meeting: SyncService.Meeting?) -> String {
        guard let meeting else { return "never_met" }
        guard meeting.isConnected else { return "away" }
        if meeting.silence != nil { return "silent" }
        switch meeting.progress?.state {
        case .identical: return "up_to_date"
        case .comparing, .differing: return "differs"
        case .digestDiffers: return "digest_differs"
        case .unheard, nil: return "unheard"
        }
    }
}

/// Keeps how members stood in `node.sqlite`, so that a restart forgets nobody.
struct MeetingNotes: Sendable {
    let sync: SyncService
    let store: NodeStore
    let log: Log

    /// Takes in what was kept.
    func recall() async throws {
        for (room, meetings) in try await store.meetings() {
            await sync.remember(meetings, in: room)
        }
    }

    /// Writes down how one member stands, or all of them.
    func save(_ only: DeviceKey? = nil) async {
        for (room, meetings) in await sync.lastStatuses(of: only) {
            do {
                try await store.save(meetings, in: room)
            } catch {
                log.error("noting who was met failed", ["error": "\(error)"])
            }
        }
    }
}
