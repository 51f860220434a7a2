/// A room in figures.
package struct RoomCounts: Hashable, Sendable {
    /// Records shown, over all forms.
    package var records = 0
    /// Operations made here and not sealed.
    package var pending = 0
    /// Those of them that this device's role does not allow: they are not sealed before it does.
    package var withheld = 0
    package var waiting = 0
    /// Those of them that wait for a form definition which is here and does not count.
    package var blocked = 0
    package var refused = 0
    /// Records and fields where parallel versions differ.
    package var conflicts = 0
    /// Records that several sides have changed, unseen by each other, in fields without a conflict.
    package var parallel = 0
    /// Batches held apart for want of a grant.
    package var apart = 0
    /// Not to be compared while records are settling.
    package var digest = StateDigest.zero
    /// Nil when all records are as authority says.
    package var settling: SettlingProgress?
}
