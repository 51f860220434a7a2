import ShareControl
import ShareCore
import ShareCrypto
import ShareStore
import Synchronization

/// Leaves rooms, whose members may be out of reach for now.
final class Leaving: Sendable {
    /// The result of saying that this device leaves.
    enum Saying {
        /// There is nobody who could hear of it.
        case nobodyElse
        /// The batch says so in the room's log.
        case said(Batch)
    }

    private let own: OwnDevice
    private let rooms: RoomBook
    private let membership: Membership
    private let sealing: Sealing
    private let sync: SyncService
    private let reach: ReachService
    private let joins: JoinService
    private let advertising: Advertising
    private let watch: WatchHub
    private let log: Log
    /// Rooms that are just being left.
    private let underWay = Mutex<Set<RoomID>>([])

    init(
        own: OwnDevice, rooms: RoomBook, membership: Membership, sealing: Sealing,
        sync: SyncService, reach: ReachService, joins: JoinService, advertising: Advertising,
        watch: WatchHub, log: Log
    ) {
        self.own = own
        self.rooms = rooms
        self.membership = membership
        self.sealing = sealing
        self.sync = sync
        self.reach = reach
        self.joins = joins
        self.advertising = advertising
        self.watch = watch
        self.log = log
    }

    /// The user has taken the leave back before it was said.
    private struct TakenBack: Error {}

    /// How long members in reach have to take in what there is for them.
    private static let hearingTime = Duration.seconds(2)

    /// How long an owner lets another one of a worse rank leave before it.
    private static let precedence = Duration.seconds(3)

    /// Whether others are in a room of which nobody else is an owner.
    func isLastOwner(of room: OpenRoom) async -> Bool {
        isLastOwner(in: await room.store.authority())
    }

    private func isLastOwner(in authority: Authority) -> Bool {
        // What this device was before nobody can use: it is no owner for those who stay.
        let selves = own.keys
        return selves.isSuperset(of: authority.owners)
            && authority.owners.contains(own.key)
            && authority.members.contains { !selves.contains($0.device) }
    }

    /// Says in a room's log that this device leaves, once a member in reach has all that was
    /// entered here: nobody would take it afterwards.
    ///
    /// - Parameter stays: whether it stays after all; asked at the moment at which it would be said.
    /// - Returns: nil where no member in reach has it, or it stays; then nothing was said.
    /// - Throws: as `Sealing.control`; `Problem` of `last_owner`.
    func say(
        in room: OpenRoom, unless stays: @escaping @Sendable () -> Bool = { false }
    ) async throws -> Saying? {
        let authority = await room.store.authority()
        let selves = own.keys
        guard authority.currentRole(of: own.key) != nil,
            authority.members.contains(where: { !selves.contains($0.device) })
        else { return .nobodyElse }
        if try await room.store.counts().pending > 0 { _ = try await sealing.records(in: room) }
        let log = LogName(author: own.key, kind: .records)
        let holders = await sync.holders(of: [log], in: room.id, within: Self.hearingTime)
        guard holders.values.contains(.delivered) else { return nil }
        do {
            let batch = try await room.leave(own.key, through: sealing) { authority in
                if stays() { throw TakenBack() }
                // Another owner may have left while this device waited to say so.
                if self.isLastOwner(in: authority) { throw Self.lastOwner(of: room) }
            }
            return batch.map { .said($0) } ?? .nobodyElse
        } catch is TakenBack {
            return nil
        }
    }

    /// Takes back that this device leaves a room, as long as that has not been said.
    ///
    /// - Returns: whether it stays; if not, its log says that it leaves, which others will hear.
    func stay(in room: OpenRoom) async throws -> Bool {
        guard await rooms.role(in: room.id) != nil else { return false }
        try await rooms.setStay(.here, room)
        // What was sealed before that is seen here, and nothing is sealed after it.
        guard await rooms.role(in: room.id) != nil else {
            try await rooms.setStay(.leaving, room)
            return false
        }
        watch.tell("room_changed", in: room.name, "stays in \(room.name)")
        return true
    }

    /// Why the only owner of a room does not leave it.
    static func lastOwner(of room: OpenRoom) -> Problem {
        Problem(
            .lastOwner, "this device is the only owner of \(room.name), and others are in it",
            hint: "Make another one an owner first: `shared role DEVICE owner`.")
    }

    /// Why a room cannot be joined again like one that was only to be left.
    func saidToLeave(_ room: OpenRoom) -> Problem {
        Problem(
            .codeNeeded,
            "this device has left \(room.name): its log says so already, and others hear of it when"
                + " meeting it",
            hint: "To come back ask a member for a code, then: `shared join CODE`.")
    }

    /// Goes on with leaving a room, where that had to wait for a member.
    func goOn(_ room: OpenRoom) {
        guard room.isLeaving, underWay.withLock({ $0.insert(room.id).inserted }) else { return }
        Task {
            do {
                try await leaveNow(room)
            } catch {
                log.warning("leaving a room has to wait", ["error": "\(error)"])
            }
            _ = underWay.withLock { $0.remove(room.id) }
        }
    }

    private func leaveNow(_ room: OpenRoom) async throws {
        // Of owners who leave at once the one of the best rank goes last: it hears of the others, and
        // stays. Nothing but this courtesy keeps an owner in the room.
        let owners = await room.store.authority().owners
        if let rank = owners.firstIndex(of: own.key) {
            try await Task.sleep(for: Self.precedence * min(owners.count - 1 - rank, 4))
        }
        if await isLastOwner(of: room) {
            guard room.isLeaving else { return }
            try await rooms.setStay(.kept, room)
            return watch.tell(
                "room_changed", in: room.name,
                "\(room.name) is not left: this device is its only owner now")
        }
        if await rooms.role(in: room.id) != nil {
            let saying = try await say(in: room, unless: { !room.isLeaving })
            guard case .said(let batch)? = saying else { return }
            let hearers = await sync.hearers(
                of: batch.id, in: room.id, within: Self.hearingTime)
            guard !hearers.isEmpty else { return }
        } else if await owesLeave(room) {
            // The connection was cut before anybody answered.
            let log = LogName(author: own.key, kind: .control)
            let last = try await room.ownHeads().control.map(\.number).max() ?? 0
            let holders = try await room.store.delivered(log)
            guard holders.contains(where: { $0.key != own.key && $0.value.number >= last })
            else { return }
        }
        guard await rooms.role(in: room.id) == nil, room.isLeaving else { return }
        try await letGo(of: room)
    }

    /// Whether a leave came to nothing, and still would: this device is the only owner.
    func isKept(_ room: OpenRoom) async -> Bool {
        guard room.stay.now == .kept else { return false }
        return await isLastOwner(of: room)
    }

    /// Whether this device has said that it leaves, and nobody else has put an end to its stay.
    func owesLeave(_ room: OpenRoom) async -> Bool {
        await room.store.authority().formerMember(own.key)?.by == own.key
    }

    /// Shares a room no more; its file stays.
    func letGo(of room: OpenRoom) async throws {
        try await rooms.forget(room)
        try await joins.dropAll(to: room.id)
        await sync.remove(room.id)
        await membership.forget(room.id)
        await advertising.refresh()
        watch.tell("room_changed", in: room.name, "left \(room.name)")
    }
}
