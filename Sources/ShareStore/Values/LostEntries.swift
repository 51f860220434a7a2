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
    /// How many entries the tables named at least.
    private(set) var named = 0
    /// How many operations stood in what could not be read, by what stands before them.
    var unread = 0

    package init() {}

    /// How many there are at least.
    package var count: Int { max(named, unread) }
    package var isEmpty: Bool { count == 0 }

    /// Adds entries that the tables name, each once.
    mutating func add(_ some: Set<Entry>) {
        named += some.count
        let sorted = some.sorted { ($0.form, $0.id) < ($1.form, $1.id) }
        entries += sorted.prefix(Self.limit - entries.count)
    }

    /// These and others, which were lost after them.
    package func with(_ others: LostEntries) -> LostEntries {
        var all = self
        all.add(Set(others.entries).subtracting(entries))
        // An entry may have been lost twice, and not all have their names here.
        all.named = max(all.named, others.named)
        all.unread += others.unread
        return all
    }

    /// What has happened, as a sentence for people.
    package var words: String {
        "\(count) \(count == 1 ? "entry or change" : "entries or changes") made here and not sent"
            + " cannot be read any more"
    }
}
