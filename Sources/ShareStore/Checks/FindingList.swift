package import ShareCore
package import ShareCrypto

/// The findings of a check, up to a number that a person can read.
struct FindingList {
    /// A remedy for a finding.
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
            case .rebuild: "Run `shared rebuild`."
            case .rebuildFetch:
                "Run `shared rebuild`. What is lost here comes back from a device that has it, by"
                    + " `shared sync` or from a bundle."
            case .fetch:
                "Meet a device that has it (`shared sync`), or read it from one's file:"
                    + " `shared bundle read`."
            case .reenter:
                "Run `shared rebuild`. Then enter it again, if you know what it was."
            case .restore:
                "Read the room from another device's file, `shared bundle read FILE --join`, or"
                    + " put back a backup."
            }
        }
    }

    /// Findings in all, and of one place's kind.
    static let limit = 200
    static let limitOfKind = 20

    private(set) var all: [StoreFinding] = []
    /// All that were found, also those left out.
    var count: Int { causes + consequences }
    private var causes = 0
    private var consequences = 0
    private var kinds: [String: Int] = [:]
    /// Whether anything is wrong that lies in this file.
    private(set) var hasDamage = false
    /// Whether something is lost that cannot be made again from what is here.
    private(set) var hasLoss = false

    /// Whether control batches may be lost, and so nobody knows who the members are.
    var mayLackMembers = false

    var isEmpty: Bool { count == 0 }

    /// - Parameters:
    ///   - batch: the batch that it is about, which `what` then does not name.
    ///   - follows: whether it is only a table, an index or a note that is not what the batches
    ///     come to.
    mutating func add(
        _ position: String, _ what: String, _ remedy: Remedy,
        of batch: StoreFinding.BatchPosition? = nil,
        follows: Bool = false
    ) {
        if follows { consequences += 1 } else { causes += 1 }
        switch remedy {
        case .fetch: break
        case .rebuild: hasDamage = true
        case .rebuildFetch, .reenter, .restore: (hasDamage, hasLoss) = (true, true)
        }
        let kind = String(position.prefix { $0 != " " })
        kinds[kind, default: 0] += 1
        guard all.count < Self.limit, kinds[kind, default: 0] <= Self.limitOfKind else { return }
        all.append(
            StoreFinding(
                place: position, what: what, hint: remedy.hint, batch: batch, follows: follows))
    }

    mutating func add(_ others: FindingList) {
        for finding in others.all where all.count < Self.limit { all.append(finding) }
        causes += others.causes
        consequences += others.consequences
        hasDamage = hasDamage || others.hasDamage
        hasLoss = hasLoss || others.hasLoss
    }

    /// The findings, and how many were left out.
    func list(of path: String) -> [StoreFinding] {
        [(false, causes), (true, consequences)].reduce(into: all) { list, kind in
            let (follows, count) = kind
            let left = count - all.count { $0.follows == follows }
            guard left > 0 else { return }
            list.append(
                StoreFinding(
                    place: path, what: "more like these",
                    hint: "Run `shared rebuild`, then verify again.", follows: follows,
                    count: left))
        }
    }

    /// Where a batch stands.
    static func place(_ batch: Batch, row: Int64) -> String {
        "_batch \(row) (\(batch.kind.name) log of \(batch.author.short), number \(batch.number))"
    }

    /// A batch as findings name it to people.
    static func place(_ batch: Batch) -> StoreFinding.BatchPosition {
        StoreFinding.BatchPosition(author: batch.author, kind: batch.kind, number: batch.number)
    }
}

/// Something that `verify` found to be other than it should.
package struct StoreFinding: Hashable, Sendable {
    /// A batch by the log that it is in.
    package struct BatchPosition: Hashable, Sendable {
        /// Nil where the file does not tell.
        package let author: DeviceKey?
        package let kind: LogKind
        package let number: UInt64
    }

    /// Where in the file, by the names that its tables have.
    package let place: String
    /// A sentence for people, without such names; of a batch what is said of it.
    package let what: String
    package let hint: String
    /// The batch that it is about, which `what` does not name.
    package var batch: BatchPosition?
    /// Whether it is no cause: a table, an index or a note that is not what the batches come to.
    package var follows = false
    /// How many findings it stands for.
    package var count = 1
}
