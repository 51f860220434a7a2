/// Counts of entries in sentences for people.
enum EntryWords {
    /// Some of so many by their names: `a, b and 3 more`.
    static func some(_ names: some Collection<String>, of count: Int) -> String {
        let more = count > names.count ? " and \(count - names.count) more" : ""
        return names.joined(separator: ", ") + more
    }

    /// Rows of a repeat: `1 row`, `3 rows`.
    static func rows(_ count: Int) -> String { "\(count) \(count == 1 ? "row" : "rows")" }

    /// Operations on entries, of whatever kind: `1 entry or change`, `3 entries or changes`.
    static func changes(_ count: Int) -> String {
        "\(count) \(count == 1 ? "entry or change" : "entries or changes")"
    }

    /// Operations of any kind, forms and roles among them: `3 entries or other changes`.
    static func anyChanges(_ count: Int) -> String {
        "\(count) \(count == 1 ? "entry or other change" : "entries or other changes")"
    }

    /// How far another device and this one are apart: `lacks 3 entries or other changes`.
    static func progress(behind: Int, ahead: Int) -> String {
        let parts =
            (behind > 0 ? ["lacks \(anyChanges(behind))"] : [])
            + (ahead > 0 ? ["has \(anyChanges(ahead)) not here yet"] : [])
        return parts.isEmpty ? "is catching up" : parts.joined(separator: ", ")
    }

    /// Operations on entries, of which so many at most are new: `2 entries and 1 change`.
    static func unsent(_ count: Int, new: Int) -> String {
        let new = min(new, count)
        let changed = count - new
        let entries = "\(new) \(new == 1 ? "entry" : "entries")"
        let changes = "\(changed) \(changed == 1 ? "change" : "changes")"
        return changed == 0 ? entries : new == 0 ? changes : "\(entries) and \(changes)"
    }
}
