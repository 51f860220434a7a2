package import ShareCore

/// A room in figures.
package struct RoomCounts: Hashable, Sendable {
    /// Records shown, over all forms.
    package var records = 0
    /// Operations made here and not sealed.
    package var pending = 0
    /// New entries among them.
    package var pendingEntries = 0
    /// Operations among them that count with another one, as rows of repeats do with their entry.
    package var pendingParts = 0
    /// Those of them that this device's role does not allow: they are not sealed before it does.
    package var withheld = 0
    /// Those of them that would be above the room's quota if they were sealed now.
    package var aboveQuota = 0
    /// What is left of them to be sealed.
    package var unsealed: Int { max(pending - withheld - aboveQuota, 0) }
    /// The same with what is pending as people count it: an entry with its rows is one, and so is
    /// a change of it.
    package var inEntries: RoomCounts {
        guard pendingParts > 0 else { return self }
        var counts = self
        counts.pendingParts = 0
        counts.pending = max(pending - pendingParts, 1)
        // Whose parts the ones are that are kept back is not known.
        counts.withheld =
            withheld >= pending ? counts.pending : min(withheld, counts.pending - 1)
        counts.aboveQuota = aboveQuota > 0 ? counts.pending - counts.withheld : 0
        return counts
    }
    package var waiting = 0
    /// Those of them that wait for a form definition which is here and does not count.
    package var blocked = 0
    package var refused = 0
    /// Records and fields where parallel versions differ.
    package var conflicts = 0
    /// Records that several sides have changed, unseen by each other, in fields without a conflict.
    package var parallel = 0
    /// Batches in quarantine for want of a grant.
    package var apart = 0
    /// Not to be compared while records follow a change of authority.
    package var digest = StateDigest.zero
    /// Nil when all records are as authority says.
    package var reapplying: ReapplyProgress?
}

/// How far the records follow a change of authority that has taken effect
/// (docs/storage.md, "When members or forms change").
package struct ReapplyProgress: Hashable, Sendable {
    /// Operations judged anew, of those that are to be.
    package var done: Int
    package var total: Int
    /// Whether they leave the tables, for the most part, or come back into them.
    package var isTakingOut: Bool
}

/// The settings of a room as a whole, by its control logs.
package struct RoomSettings: Hashable, Sendable {
    package var name: String
    /// Whether anybody nearby may join. A hidden room is never open.
    package var isOpen: Bool
    /// Whether the room is kept from strangers: neither advertised nor named to them.
    package var isHidden: Bool
    /// Whether entries are pushed as they are made, on devices that have not decided otherwise.
    package var autopush = false
    /// How much each member but the owners may write; nil for no limit.
    package var quota: Quota?
    /// Every setting by its key.
    package var values: [String: String]
}

/// The result of making a room's tables anew.
package struct RebuildReport: Hashable, Sendable {
    /// Whether the tables are other than they were, or the file had to be made anew.
    package let hasChanged: Bool
    /// Where the file is kept as it was, if something in it could not be read; nil if not.
    package let kept: String?
    /// What was made here and not sent, and is lost.
    package var lost = LostEntries()
}
