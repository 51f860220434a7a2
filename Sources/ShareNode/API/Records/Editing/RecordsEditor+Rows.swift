import ShareCore
import ShareCrypto
import ShareStore

/// The rows of an entry, which go and come back with it.
extension RecordsEditor {
    /// Brings back the rows that were deleted with an entry: those that this device's role lets it.
    static func restorations(
        ofRowsOf detail: RecordDetail, _ schema: FormSchema, _ store: isolated RoomStore,
        by own: DeviceKey
    ) throws -> [LocalChange] {
        guard !schema.repeats.isEmpty else { return [] }
        let role = role(store, own)
        return try store.deletedRows(of: detail.name, in: schema.info).filter {
            role >= .editor || $0.creator == own
        }.map { .restore($0) }
    }

    /// Deletes the rows of an entry that goes, as far as this device's role lets it.
    static func deletions(
        ofRowsOf detail: RecordDetail, _ schema: FormSchema, _ store: isolated RoomStore,
        by own: DeviceKey
    ) throws -> [LocalChange] {
        guard !schema.repeats.isEmpty else { return [] }
        return RepeatChanges.deletions(
            of: try store.repeats(of: detail.name, in: schema.info), by: own,
            as: role(store, own))
    }

    static func role(_ store: isolated RoomStore, _ own: DeviceKey) -> Role {
        store.authority().currentRole(of: own) ?? .viewer
    }
}
