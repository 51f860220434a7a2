package import ShareCrypto

/// A room's id: the id of its founding batch, so who holds it can check who founded the room.
package struct RoomID: Hashable, Comparable, Sendable {
    package let digest: Digest

    package init(_ digest: Digest) { self.digest = digest }

    /// The id inside a founding batch, which cannot hold its own hash.
    package static let unfounded = RoomID(.zero)

    package var bytes: [UInt8] { digest.bytes }

    /// How a room is written in full: `room:` and 52 characters.
    package var text: String { "room:" + Base32.encode(bytes) }

    /// The first 8 characters, for people and file names.
    package var short: String { String(Base32.encode(bytes).prefix(8)) }

    /// Reads the full form, with or without `room:`.
    package init?(text: String) {
        let digits = text.hasPrefix("room:") ? text.dropFirst(5) : text[...]
        guard let bytes = Base32.decode(digits), let digest = Digest(bytes) else { return nil }
        self.digest = digest
    }

    package static func < (a: RoomID, b: RoomID) -> Bool { a.digest < b.digest }
}
