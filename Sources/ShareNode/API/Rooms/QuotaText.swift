import ShareControl
import ShareCore
import ShareStore

/// A quota as people type and read it: `500/day 20MB/day`, numbers of entries and sizes, in all or
/// a day.
extension Quota {
    /// Bytes by their units, the greatest first.
    private static let units: [(name: String, bytes: UInt64)] = [
        ("GB", 1_000_000_000), ("MB", 1_000_000), ("KB", 1_000), ("B", 1),
    ]
    /// A smaller size has no room for a batch.
    private static let leastBytes: UInt64 = 100_000

    /// Reads what was typed, words in any order; an empty text, or `off`, limits nothing.
    ///
    /// - Throws: `Problem`.
    init(typed text: String) throws {
        self.init()
        guard text != "off" else { return }
        for word in text.split(whereSeparator: { $0 == " " || $0 == "," }) {
            var rest = word
            let isADay = rest.hasSuffix("/day")
            if isADay { rest = rest.dropLast(4) }
            let unit = Self.units.first { rest.uppercased().hasSuffix($0.name) }
            if let unit { rest = rest.dropLast(unit.name.count) }
            guard let number = UInt64(rest), number > 0, case let factor = unit?.bytes ?? 1,
                number <= Quota.greatest / factor
            else { throw Self.misread(word) }
            let limit: WritableKeyPath<Quota, UInt64?> =
                switch (unit != nil, isADay) {
                case (false, false): \.operations
                case (false, true): \.operationsADay
                case (true, false): \.bytes
                case (true, true): \.bytesADay
                }
            guard self[keyPath: limit] == nil else { throw Self.misread(word) }
            if unit != nil, number * factor < Self.leastBytes {
                throw Problem(
                    .badRequest, "\(word) has no room for entries",
                    hint: "Give 100KB or more.")
            }
            self[keyPath: limit] = number * factor
        }
    }

    private static func misread(_ word: Substring) -> Problem {
        Problem(
            .badRequest, "'\(word)' is no limit, or its kind stands twice",
            hint: "Give entries and sizes, in all or a day: 500/day 20MB/day 100000 1GB; or off.")
    }

    /// The limits that what members have written already is above, as a reason not to set it: it
    /// would take entries out of everybody's lists.
    func shortfall(for used: Quota) -> String? {
        let limits: [(KeyPath<Quota, UInt64?>, String)] = [
            (\.operations, "entries and changes"),
            (\.operationsADay, "entries and changes in a day"),
            (\.bytes, "bytes"), (\.bytesADay, "bytes in a day"),
        ]
        for (limit, words) in limits {
            guard let wanted = self[keyPath: limit], let most = used[keyPath: limit],
                most > wanted
            else { continue }
            return "a member has made \(most) \(words) already, more than \(wanted)"
        }
        return nil
    }
}

extension RoomStore {
    /// What waits here as it would be above the room's quota; nil where nothing does.
    func aboveQuota() throws -> String? {
        let count = try counts().aboveQuota
        guard count > 0, let quota = settings().quota else { return nil }
        return "\(EntryWords.changes(count)) \(count == 1 ? "waits" : "wait"): "
            + "the room's quota is \(quota.text); once it allows more, or an owner gives more"
            + " (`shared set quota`): shared push"
    }
}
