package import ShareCore

/// The names that a room may have, and the name of its file then.
enum RoomName {
    /// The name, if a room may have it. Names are compared as Swift compares strings, which
    /// takes composed and decomposed letters for the same.
    ///
    /// - Throws: `RoomError.badName`.
    static func checked(_ name: String) throws(RoomError) -> String {
        guard name.contains(where: { !$0.isWhitespace }) else {
            throw .badName("a room needs a name")
        }
        guard name.utf8.count <= Limits.roomName else {
            throw .badName(
                "the name has \(name.utf8.count) bytes, and \(Limits.roomName) is the most")
        }
        guard !name.contains("/") else { throw .badName("a room's name has no slash") }
        guard name.unicodeScalars.allSatisfy(isPrintable) else {
            throw .badName("a room's name has no control characters")
        }
        guard name.first?.isWhitespace == false, name.last?.isWhitespace == false else {
            throw .badName("a room's name begins and ends with a letter or digit, not a space")
        }
        return name
    }

    /// Whether people would take the names for one: letters in either case are the same.
    static func areAlike(_ one: String, _ other: String) -> Bool {
        one == other || one.lowercased() == other.lowercased()
    }

    /// The name of the room's file: what is safe of the name, and the short id.
    static func file(_ name: String, _ room: RoomID) -> String {
        let safe = name.unicodeScalars.map { scalar in
            scalar.isASCII
                && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
                ? Character(scalar) : "-"
        }
        let trimmed = String(safe).prefix(32).drop { $0 == "-" }
        return (trimmed.isEmpty ? "room" : trimmed) + "-" + room.short + ".sqlite"
    }

    /// As much of the name as fits into so many bytes.
    static func shortened(_ name: String, to bytes: Int) -> String {
        var name = name
        while name.utf8.count > bytes { name.removeLast() }
        return name
    }

    /// Neither control characters nor marks that turn the direction of text; the joiners that
    /// make one emoji or letter of several may stand.
    private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .surrogate, .unassigned, .lineSeparator, .paragraphSeparator: false
        case .format: scalar.value == 0x200C || scalar.value == 0x200D
        default: true
        }
    }
}

/// Why a room cannot be found or made.
package enum RoomError: Error, Sendable {
    /// No room at all.
    case noRoom
    /// None is the current one; the names of those that there are.
    case noneCurrent([String])
    /// No room of that name or id; the names that there are.
    case unknown(String, [String])
    case ambiguous(String, [RoomID])
    case exists(String)
    /// A new room cannot have it as its name: it is a code, typed in the wrong place.
    case looksLikeCode(String)
    /// A new room cannot have it as its name: it is a code with a slip.
    case looksMistyped(String, JoinCode.Slip)
    /// The device is in as many rooms as it can show to know.
    case tooMany(Int)
    /// The room is this device's, and its file could not be opened.
    case damaged(DamagedRoom)
    /// The name cannot be a room's, and why.
    case badName(String)
}
