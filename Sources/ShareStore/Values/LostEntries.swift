/// Entries and changes that were made here and not sent, and that could not be read any more when
/// a file was made anew.
package struct LostEntries: Hashable, Sendable {
    /// An entry as the tables still had it.
    package struct Entry: Hashable, Sendable {
        package let form: String
        /// Its whole id.
        package let id: String
    }

    /// Entries that are named at most.
    static let limit = 100

    /// Those that are known by name.
    package private(set) var entries: [Entry] = []
    /// How many the tables named.
    private(set) var named = 0
    /// How many operations stood in what could not be read, by what stands before them.
    var unread = 0

    package init() {}

    /// How many there are at least.
    package var count: Int { max(named, unread) }
    package var isEmpty: Bool { count == 0 }

    mutating func add(_ entry: Entry) {
        guard !entries.contains(entry) else { return }
        named += 1
        if entries.count < Self.limit { entries.append(entry) }
    }

    /// These and others, which were lost after them.
    package func with(_ others: LostEntries) -> LostEntries {
        var all = self
        for entry in others.entries { all.add(entry) }
        all.named += others.named - others.entries.count
        all.unread += others.unread
        return all
    }

    /// What has happened, as a sentence for people.
    package var words: String {
        "\(count) \(count == 1 ? "entry or change" : "entries or changes") made here and not sent"
            + " cannot be read any more"
    }
}
