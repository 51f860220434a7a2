package import ShareCore
import ShareCrypto
package import ShareStore
import Synchronization

/// A room of this device with its store.
package struct OpenRoom: Sendable {
    package let id: RoomID
    package let name: String
    package let store: RoomStore
    /// By which door it is being joined, until the grant and all control logs are here.
    package internal(set) var joining: NodeRoom.Joining?

    let pushing: PushSetting
    /// What rebuilds since the start have found lost.
    let loss = UnsentLoss()
    var stay = LeaveIntent(.here)

    /// Whether new entries are pushed as they are made.
    package var autopush: Bool { pushing.isOn }

    /// Whether it is left as soon as a member is in reach that can hear of it.
    package var isLeaving: Bool { stay.now == .leaving }

    package var isJoining: Bool { joining != nil }
}

/// Whether a device stays in a room, the same for all who hold the room at that moment: who says
/// in its log that the device leaves looks here in the store's turn, as the user may have taken
/// it back by then.
final class LeaveIntent: Sendable {
    private let stay: Mutex<NodeRoom.Stay>

    init(_ stay: NodeRoom.Stay) { self.stay = Mutex(stay) }

    var now: NodeRoom.Stay { stay.withLock { $0 } }

    func set(_ stay: NodeRoom.Stay) { self.stay.withLock { $0 = stay } }
}

/// Whether new entries are pushed as they are made, the same for all who hold the room at that
/// moment: as this device has decided, else as the room's owners have set it.
final class PushSetting: Sendable {
    private let state: Mutex<(own: Bool?, room: Bool)>

    init(own: Bool?, room: Bool) { state = Mutex((own, room)) }

    var own: Bool? { state.withLock { $0.own } }
    var room: Bool { state.withLock { $0.room } }
    var isOn: Bool { state.withLock { $0.own ?? $0.room } }

    func decide(_ own: Bool?) { state.withLock { $0.own = own } }
    func follow(_ room: Bool) { state.withLock { $0.room = room } }
}

/// How much that was not sent rebuilds have found lost since the start, the same for all who hold the
/// room at that moment.
final class UnsentLoss: Sendable {
    private let number = Mutex(0)

    var count: Int { number.withLock { $0 } }

    func add(_ count: Int) { number.withLock { $0 += count } }
}

/// A room of this device whose file could not be opened; the others go on without it.
package struct DamagedRoom: Sendable {
    package let entry: NodeRoom
    /// Why it could not be opened.
    package let why: any Error
}

/// Operations of a room's life, put together from what its store offers.
extension OpenRoom {
    /// How far this device's own logs in the room go.
    func ownHeads() async throws -> CoveredHeads {
        try await store.perform { try $0.ownHeads() }
    }

    func foundingBatch() async throws -> Batch? { try await store.founding() }

    /// Writes a grant, or finds the one that gives the device this role or more already.
    ///
    /// - Returns: the grant's name.
    /// - Throws: as `Sealing.control`.
    func admit(
        _ subject: DeviceKey, as role: Role, in scope: Scope? = nil, firstControl: UInt64,
        firstRecords: UInt64, through sealing: Sealing,
        within patience: Duration = SyncLimits.sealingPatience
    ) async throws -> OperationName {
        while true {
            let batch = try await sealing.control(
                in: self, as: role.admitter, within: patience
            ) { store in
                let authority = store.authority()
                if let held = authority.currentRole(of: subject), held >= role { return [] }
                // What is held of it, or named by who removed it, was judged by what it was then.
                let heads = store.heads(of: subject)
                func first(_ wanted: UInt64, _ kind: LogKind) -> UInt64 {
                    let named = authority.namedHeads(of: LogName(author: subject, kind: kind))
                    let last = (heads.heads(in: kind) + named).map(\.number).max() ?? 0
                    return min(max(wanted, last + 1), Limits.largestNumber)
                }
                return [
                    .grant(
                        Grant(
                            subject: subject, role: role, scope: scope,
                            firstControl: first(firstControl, .control),
                            firstRecords: first(firstRecords, .records),
                            supersedes: authority.superseded(about: subject)))
                ]
            }
            if let batch { return OperationName(batch: batch.id, index: 0) }
            if let last = await store.authority().latest(about: subject).last { return last }
        }
    }

    /// Says in the room's log that this device leaves; nil where it has no role there, or where
    /// nobody else is who could hear it.
    ///
    /// - Parameter check: speaks against it, by throwing, from the room as it is at that moment.
    func leave(
        _ key: DeviceKey, through sealing: Sealing,
        unless check: @escaping @Sendable (Authority) throws -> Void
    ) async throws -> Batch? {
        do {
            return try await sealing.control(in: self, as: .viewer) { store in
                let authority = store.authority()
                try check(authority)
                guard authority.members.count > 1 else { return [] }
                return [
                    .removal(
                        Removal(
                            subject: key, heads: try store.extent(of: key).heads,
                            supersedes: authority.superseded(about: key), reason: "left"))
                ]
            }
        } catch is RoleLost {
            return nil
        }
    }
}

extension RoomStore {
    /// How far this device's own logs go.
    fileprivate func ownHeads() throws -> CoveredHeads {
        CoveredHeads(
            control: try ownHead(.control).map { [$0] } ?? [],
            records: try ownHead(.records).map { [$0] } ?? [])
    }
}

/// This device has not the role any more that a command looked for when it began: a change of it
/// arrived while sealing was paused.
struct RoleLost: Error {}
