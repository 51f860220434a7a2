import ShareControl
import ShareCore
import ShareCrypto
import ShareStore

/// Says which versions of the forms the members' devices have, by how far they told that their
/// control logs go.
struct MemberForms {
    /// The versions of each form, that in force first.
    private let forms: [(form: String, versions: [FormVersion])]
    private let told: [DeviceKey: [LogName: UInt64]]
    private let delivered: [LogName: [DeviceKey: LogHead]]

    init(of room: OpenRoom, _ sync: SyncService) async throws {
        let versions = await room.store.formVersions()
        var delivered: [LogName: [DeviceKey: LogHead]] = [:]
        for log in Set(versions.map(\.log)) {
            delivered[log] = try await room.store.delivered(log)
        }
        self.delivered = delivered
        forms = Dictionary(grouping: versions, by: \.formID).map { ($0.key, $0.value) }
            .sorted { $0.form < $1.form }
        told = await sync.toldControlLogs(in: room.id)
    }

    /// - Parameter hasAll: whether the device has all that is here.
    func list(of device: DeviceKey, hasAll: Bool) -> [MemberForm] {
        forms.compactMap { form, versions in
            guard let inForce = versions.first else { return nil }
            let held = hasAll ? inForce : versions.first { isHeld($0, by: device) }
            let isKnown =
                held != nil || told[device] != nil
                || versions.contains { delivered[$0.log]?[device] != nil }
            return MemberForm(
                form: form, version: held?.version, inForce: inForce.version, isKnown: isKnown)
        }
    }

    private func isHeld(_ version: FormVersion, by device: DeviceKey) -> Bool {
        let logged = delivered[version.log]?[device]?.number ?? 0
        return max(told[device]?[version.log] ?? 0, logged) >= version.number
    }
}
