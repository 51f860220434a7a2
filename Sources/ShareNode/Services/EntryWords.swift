/// Counts of entries in sentences for people.
enum EntryWords {
    /// Operations on entries, of whatever kind: `1 entry or change`, `3 entries and changes`.
    static func changes(_ count: Int) -> String {
        "\(count) \(count == 1 ? "entry or change" : "entries and changes")"
    }
}
