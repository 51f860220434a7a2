import ShareControl
import ShareCrypto

/// Who made versions of something while others made theirs.
extension DeviceNames {
    /// The device that is meant of some that made versions of one thing at once.
    ///
    /// - Parameter device: its name, or the beginning of its id.
    /// - Throws: `Problem` where it made none of these, or several devices are meant.
    func author(
        _ device: String, among authors: [DeviceKey], of what: String, in room: OpenRoom
    ) async throws -> DeviceKey {
        var names: [DeviceKey: String] = [:]
        for author in authors { names[author] = await named(author, in: room).name }
        return try Self.author(device, among: names, of: what)
    }

    private static func author(
        _ device: String, among names: [DeviceKey: String], of what: String
    ) throws -> DeviceKey {
        let isOneOfThese = names.contains {
            $0.value.lowercased() == device.lowercased() || DeviceText.matches(device, $0.key)
        }
        guard isOneOfThese else {
            throw Problem(
                .notFoundMember,
                "\(device.prefix(80)) made none of the versions of \(what) that were made at once",
                hint: "They are by \(names.values.sorted().joined(separator: ", ")).")
        }
        return try MemberLookup(devices: names, takesNames: true).find(device)
    }
}
