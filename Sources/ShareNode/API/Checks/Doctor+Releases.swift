import ShareControl
import ShareCore
import ShareCrypto
import ShareStore

/// The releases that members run.
extension Doctor {
    /// Members that run another release than this device, as far as they have said.
    func releaseChecks() async -> [DoctorCheck] {
        var members: Set<DeviceKey> = []
        for room in await rooms.all() {
            members.formUnion(await room.store.authority().members.map(\.device))
        }
        var releases: [String: [String]] = [:]
        for member in members.sorted() {
            guard let release = await names.release(of: member), release != Release.version else {
                continue
            }
            releases[release, default: []].append(await names.named(member).name)
        }
        guard !releases.isEmpty else { return [] }
        let parts = releases.sorted { $0.key < $1.key }.map { release, devices in
            EntryWords.some(devices.prefix(5), of: devices.count)
                + " \(devices.count == 1 ? "runs" : "run") \(release)"
        }
        return [
            DoctorCheck(
                name: "release", state: "warning",
                detail: (parts + ["this device \(Release.version)"]).joined(separator: ", "),
                hint: "Update the older ones: they do not know what newer ones can do.")
        ]
    }
}
