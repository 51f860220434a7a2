package import ShareCrypto

/// A device's announcement to everyone on the Wi-Fi (docs/protocol/discovery.md).
package struct Advertisement: Hashable, Sendable {
    /// The device's name; it is cut to 63 bytes, and a suffix is added where it is taken.
    package var name: String
    /// The TCP port that the device listens on.
    package var port: UInt16
    package var device: DeviceKey
    /// The rooms that are not hidden, most important first: those that do not fit are left out.
    package var rooms: [AdvertisedRoom]

    package init(name: String, port: UInt16, device: DeviceKey, rooms: [AdvertisedRoom] = []) {
        self.name = name
        self.port = port
        self.device = device
        self.rooms = rooms
    }

    var text: ServiceText { ServiceText(device: device, rooms: rooms) }
}

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

/// Instance names of services: at most 63 bytes of UTF-8, any characters (RFC 6763 §4.1.1).
package enum ServiceName {
    /// The longest label in DNS, in bytes.
    package static let longest = 63
    /// How many suffixes are tried before the name is given up.
    static let mostVariants = 100

    /// The name to try at the given attempt: itself, then `name #2`, `name #3`, …; cut before
    /// the suffix, between characters, to at most 63 bytes.
    package static func variant(_ attempt: Int, of name: String) -> String {
        let name = printable(name)
        let suffix = attempt <= 1 ? "" : " #\(attempt)"
        return cut(name.isEmpty ? "shared" : name, to: longest - suffix.utf8.count) + suffix
    }

    /// The longest beginning of `name` of whole characters and at most `limit` bytes; where the
    /// first character alone is longer, whole Unicode scalars.
    static func cut(_ name: String, to limit: Int) -> String {
        guard name.utf8.count > limit else { return name }
        var end = 0
        var kept = ""
        for character in name {
            end += character.utf8.count
            if end > limit { break }
            kept.append(character)
        }
        guard kept.isEmpty else { return kept }
        end = 0
        for scalar in name.unicodeScalars {
            end += scalar.utf8.count
            if end > limit { break }
            kept.unicodeScalars.append(scalar)
        }
        return kept
    }

    /// A name from the network made fit for a terminal: what could move the cursor or reverse
    /// the text is replaced.
    static func printable(_ name: String) -> String {
        guard name.unicodeScalars.contains(where: isUnfitForScreens) else { return name }
        var result = String.UnicodeScalarView()
        for scalar in name.unicodeScalars {
            result.append(isUnfitForScreens(scalar) ? "\u{FFFD}" : scalar)
        }
        return String(result)
    }

    /// Control characters, line separators, and the marks that change the direction of text.
    static func isUnfitForScreens(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: return true
        default: break
        }
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: return true
        default: return false
        }
    }
}
