import ShareCore
import ShareCrypto
import ShareStore

/// Operations of a room's life, put together from what its store offers.
extension OpenRoom {
    /// How far this device's own logs in the room go.
    func ownHeads() async throws -> CoveredHeads {
        CoveredHeads(
            control: try await store.ownHead(.control).map { [$0] } ?? [],
            records: try await store.ownHead(.records).map { [$0] } ?? [])
    }

    func foundingBatch() async throws -> Batch? {
        let founder = await store.authority().founder
        guard let founder else { return nil }
        return try await store.path(to: founder).first
    }

    /// Writes a grant, or finds the one that gives the device this role or more already.
    ///
    /// - Returns: the grant's name, and the batch if one was sealed.
    func grant(
        _ role: Role, to subject: DeviceKey, firstControl: UInt64, firstRecords: UInt64,
        wall: UInt64
    ) async throws -> (OperationName, Batch?) {
        let authority = await store.authority()
        let operations = authority.operations(about: subject)
        if let held = authority.currentRole(of: subject), held >= role, let last = operations.last {
            return (last, nil)
        }
        let batch = try await store.seal(
            control: [
                .grant(
                    Grant(
                        subject: subject, role: role, firstControl: firstControl,
                        firstRecords: firstRecords, after: operations))
            ], wall: wall)
        return (OperationName(batch: batch.id, index: 0), batch)
    }

    /// Says in the room's log that this device leaves; nil where it has no role there, or where
    /// nobody else is who could hear it.
    func leave(_ key: DeviceKey, wall: UInt64) async throws -> Batch? {
        let authority = await store.authority()
        guard authority.currentRole(of: key) != nil, authority.members.count > 1 else {
            return nil
        }
        return try await store.seal(
            control: [
                .removal(
                    Removal(
                        subject: key, heads: try await ownHeads(),
                        after: authority.operations(about: key), reason: "left"))
            ], wall: wall)
    }
}
