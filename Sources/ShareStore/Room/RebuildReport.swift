/// What came of making a room's tables anew.
package struct RebuildReport: Hashable, Sendable {
    /// Whether the tables are other than they were, or the file had to be made anew.
    package let hasChanged: Bool
    /// Where the file is kept as it was, if something in it could not be read; nil if not.
    package let kept: String?
}
