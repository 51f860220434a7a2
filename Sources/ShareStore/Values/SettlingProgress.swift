/// How far the records follow a change of authority that has taken effect
/// (docs/storage.md, "When members or forms change").
package struct SettlingProgress: Hashable, Sendable {
    /// Operations judged anew, of those that are to be.
    package var done: Int
    package var total: Int
    /// Whether they leave the tables, for the most part, or come back into them.
    package var isTakingOut: Bool
}
