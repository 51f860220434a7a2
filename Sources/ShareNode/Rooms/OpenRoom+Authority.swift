import ShareCore
import ShareCrypto
import ShareStore

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
        _ subject: DeviceKey, as role: Role, firstControl: UInt64, firstRecords: UInt64,
        through sealing: Sealing, within patience: Duration = SyncLimits.sealingPatience
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
                    return max(wanted, min(last + 1, Limits.largestNumber))
                }
                return [
                    .grant(
                        Grant(
                            subject: subject, role: role,
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
