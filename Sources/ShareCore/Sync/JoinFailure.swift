/// Why a device did not join.
package enum JoinFailure: Error, Hashable, Sendable {
    /// The inviter's own reason.
    case refused(JoinRefusal)
    /// The other end asked for our proof but has none of its own: it does not know the code.
    case unproven
    /// What the other end showed is not the founding of the room that it named.
    case notARoom
    /// Another room than the one that was asked for, and what it is called.
    case otherRoom(RoomID, String)
    /// This device is in the room already, under that name, and the code gives it no more.
    case alreadyMember(RoomID, String, Role)
    /// A message that is malformed, or not the one that comes next.
    case violation
    case late
    case connectionLost
    /// This device could not write down that it joins.
    case storage
}
