import ShareCore

/// What a check has found, up to a number that a person can read.
struct FindingList {
    /// What helps against a finding.
    enum Remedy {
        /// Tables can be made again from what is here.
        case rebuild
        /// Something true is lost here, and others may have it.
        case rebuildFetch
        /// Nothing is to be done here but to meet others.
        case fetch
        /// Nobody else has it.
        case reenter
        /// Only another copy of the file helps.
        case restore

        var hint: String {
            switch self {
            case .rebuild: "run: shared rebuild"
            case .rebuildFetch:
                "run: shared rebuild; what is lost here comes back from a device that has it, by"
                    + " shared sync or from a bundle"
            case .fetch:
                "meet a device that has it (shared sync), or read it from one: shared bundle read"
            case .reenter: "run: shared rebuild, and enter it again if you know what it was"
            case .restore:
                "read the room from another device's file: shared bundle read FILE --join; or put"
                    + " back a backup"
            }
        }
    }

    /// Findings in all, and of one place's kind.
    static let limit = 200
    static let limitOfKind = 20

    private(set) var all: [StoreFinding] = []
    /// All that were found, also those left out.
    private(set) var count = 0
    private var kinds: [String: Int] = [:]
    /// Whether anything is wrong that lies in this file.
    private(set) var hasDamage = false
    /// Whether something is lost that cannot be made again from what is here.
    private(set) var hasLoss = false

    var isEmpty: Bool { count == 0 }

    mutating func add(_ place: String, _ what: String, _ remedy: Remedy) {
        count += 1
        switch remedy {
        case .fetch: break
        case .rebuild: hasDamage = true
        case .rebuildFetch, .reenter, .restore: (hasDamage, hasLoss) = (true, true)
        }
        let kind = String(place.prefix { $0 != " " })
        kinds[kind, default: 0] += 1
        guard all.count < Self.limit, kinds[kind, default: 0] <= Self.limitOfKind else { return }
        all.append(StoreFinding(place: place, what: what, hint: remedy.hint))
    }

    mutating func add(_ others: FindingList) {
        for finding in others.all where all.count < Self.limit { all.append(finding) }
        count += others.count
        hasDamage = hasDamage || others.hasDamage
        hasLoss = hasLoss || others.hasLoss
    }

    /// The findings, and how many were left out.
    func list(of path: String) -> [StoreFinding] {
        guard count > all.count else { return all }
        return all + [
            StoreFinding(
                place: path, what: "\(count - all.count) more like these",
                hint: "run: shared rebuild, then verify again")
        ]
    }

    /// Where a batch stands.
    static func place(_ batch: Batch, row: Int64) -> String {
        "_batch \(row) (\(batch.kind.name) log of \(batch.author.short), number \(batch.number))"
    }
}
