package import ShareCore

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
    /// The device is in as many rooms as it can show to know.
    case tooMany(Int)
    /// The room is this device's, and its file could not be opened.
    case damaged(DamagedRoom)
    /// The name cannot be a room's, and why.
    case badName(String)
}
