/// The answer to `leave`.
package struct LeftAnswer: Codable, Hashable, Sendable {
    package var room: NamedRoom
    /// The room that commands mean from now on; nil where there is none.
    package var current: NamedRoom?
    /// Members who say that they have stored it.
    package var heard: [NamedDevice]
    /// Members who have not: to them this device stays a member until they hear of it.
    package var notHeard: [NamedDevice]
    /// Whether it is left only when one of them is in reach.
    package var isPending: Bool
    /// Whether the room's log says that this device leaves. As long as it does not, joining the
    /// room again without a code takes it back.
    package var isSaid: Bool
    /// Operations made here that no other device is known to have: they are in the room's file
    /// alone.
    package var onlyHere: Int

    package init(
        room: NamedRoom, current: NamedRoom?, heard: [NamedDevice], notHeard: [NamedDevice],
        isPending: Bool, isSaid: Bool, onlyHere: Int
    ) {
        self.room = room
        self.current = current
        self.heard = heard
        self.notHeard = notHeard
        self.isPending = isPending
        self.isSaid = isSaid
        self.onlyHere = onlyHere
    }
}
