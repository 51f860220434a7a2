/// A room as a device names it to everyone on the Wi-Fi: a label, never proof of anything.
package struct AdvertisedRoom: Hashable, Sendable {
    /// The room's name, 1 to 63 bytes of UTF-8 without control characters.
    package let name: String
    /// The first 8 characters of the room's id.
    package let shortID: String
    /// Whether it says of itself that anybody may join. Only its members know.
    package let isOpen: Bool

    static let longestName = 63
    static let shortIDLength = 8

    /// A room of that name and short id; nil where either could not have been made by us.
    package init?(name: String, shortID: String, isOpen: Bool = false) {
        guard !name.isEmpty, name.utf8.count <= AdvertisedRoom.longestName,
            !name.unicodeScalars.contains(where: ServiceName.isUnfitForScreens),
            shortID.utf8.count == AdvertisedRoom.shortIDLength,
            shortID.utf8.allSatisfy(AdvertisedRoom.isDigit)
        else { return nil }
        self.name = name
        self.shortID = shortID
        self.isOpen = isOpen
    }

    private static func isDigit(_ character: UInt8) -> Bool {
        switch character {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "2")...UInt8(ascii: "7"): true
        default: false
        }
    }
}
