package import ShareCore
package import ShareCrypto

/// Which records of a form are wanted, and in which order.
package struct RecordQuery: Sendable {
    /// What a condition looks at, and what records are sorted by.
    package enum Subject: Hashable, Sendable {
        case column(String)
        /// A column of texts, each as the number that it spells in the language of forms; absent
        /// where it spells none.
        case number(String)
        /// A column of times or of moments, each as the clock showed it, without its zone.
        case clock(String)
        case id
        case author
        case created
        case updated
        case state
        /// `yes`, or `no` for an entry that breaks the form in force; absent where it has not been
        /// looked at yet.
        case valid
        /// What the form flags in an entry.
        case warnings
        /// `yes`, or `no` where something done to it here was not sent.
        case sent
        /// `yes` where it was reviewed and not changed since; else `no`.
        case reviewed
    }

    /// What a record must be.
    package enum Condition: Sendable {
        /// It has this value; `.absent` for none. The comparison is by what is stored.
        case compare(Subject, Comparison, FieldValue)
        /// It has one of these texts.
        case anyOf(Subject, [String])
        /// This choice is among those that it has.
        case chosen(Subject, String)
        /// This is part of its text, without regard to case and marks on letters.
        case contains(Subject, String)
        case expression(RecordExpression)
        /// One of these holds, at least.
        indirect case either([Condition])
        /// It is a row of a repeat, and what it belongs to, of that form, is wanted by that query.
        case belongs(FormInfo, RecordQuery)

        package init(_ subject: Subject, equals value: FieldValue) {
            self = .compare(subject, .equal, value)
        }
    }

    /// How a stored value stands to one that is given. Where one is absent only `equal` and
    /// `unequal` can hold.
    package enum Comparison: String, Sendable {
        case equal = "="
        case unequal = "!="
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="

        /// Whether it asks what is more or less, rather than whether both are the same.
        package var isOrder: Bool { self != .equal && self != .unequal }
    }

    /// What records are sorted by.
    package struct Order: Hashable, Sendable {
        package let subject: Subject
        package let isDescending: Bool

        package init(_ subject: Subject, isDescending: Bool = false) {
            self.subject = subject
            self.isDescending = isDescending
        }
    }

    /// All must hold.
    package var conditions: [Condition]
    /// What comes first decides; ids decide last.
    package var order: [Order]
    package var limit: Int?
    /// Only what comes after this record is wanted.
    package var after: RecordName?
    /// Whether the trails of records are wanted.
    package var wantsTrails = false
    /// Whether it is wanted under which version of their form records were made.
    package var wantsOrigins = false
    /// How far this device's own entries have come to others, where not all have.
    package var reach: [Reach] = []

    /// The number of an author's last batch of entries that any other device has.
    package struct Reach: Hashable, Sendable {
        /// As in the file.
        let author: Int64
        let number: UInt64
    }

    package init(
        where conditions: [Condition] = [], order: [Order] = [], limit: Int? = nil,
        after: RecordName? = nil
    ) {
        self.conditions = conditions
        self.order = order
        self.limit = limit
        self.after = after
    }
}

/// A record as it stands in its form's table.
package struct RecordRow: Sendable {
    package let name: RecordName
    /// Milliseconds since 1970 by the clocks of those who wrote.
    package let created: Int64
    package let updated: Int64
    /// The review's state.
    package let state: String?
    /// Where it was asked for.
    package var trail: Trail?
    /// The version of its form under which it was made, where that was asked for and is known.
    package var madeUnder: OperationName?
    /// Who deleted it, in a list of deleted records.
    package var deletedBy: DeviceKey?
    /// What the form in force has against it, where that was asked for.
    package var flag: EntryFlag?
    /// One for each of the form's columns (`FormInfo.columns`).
    package let values: [FieldValue]
    /// Whether it stands in no table, as this device's role does not allow it any more.
    package internal(set) var isWithheld = false

    /// What lists for people say of a record beside its values.
    package struct Trail: Sendable {
        /// Who made the last change, or created it.
        package let changer: DeviceKey
        /// Whether all that was done to it here was sent.
        package let isSent: Bool
        /// Whether something of it was sent from here, and no other device is known to have it.
        package let isAlone: Bool
        package let comments: Int
        /// Whether it was changed after its review, or beside it.
        package let isChangedSinceReview: Bool
        /// Whether a value of it, or of a row of its repeats, is in conflict.
        package let isInConflict: Bool
        /// Whether a change of it stays on this device, whose role does not allow it any more.
        package internal(set) var hasWithheldChange = false

        package init(
            changer: DeviceKey, isSent: Bool, isAlone: Bool, comments: Int,
            isChangedSinceReview: Bool, isInConflict: Bool
        ) {
            self.changer = changer
            self.isSent = isSent
            self.isAlone = isAlone
            self.comments = comments
            self.isChangedSinceReview = isChangedSinceReview
            self.isInConflict = isInConflict
        }
    }
    /// The rows of each of the form's repeats (`FormInfo.repeats`), where they were asked for.
    package var repeats: [[RecordRow]] = []

    package init(
        name: RecordName, created: Int64, updated: Int64, state: String?, flag: EntryFlag? = nil,
        values: [FieldValue], repeats: [[RecordRow]] = []
    ) {
        self.name = name
        self.created = created
        self.updated = updated
        self.state = state
        self.flag = flag
        self.values = values
        self.repeats = repeats
    }
}

/// How people name a record: its id or the last characters of it, and `@` with the beginning of
/// its creator's key where that is not enough.
struct RecordText {
    /// So many characters of an id must be given: with fewer a slip would fit some record.
    static let shortest = 4

    /// In lower case, as typed.
    let id: String
    /// The id, where it is all there.
    let full: RecordID?
    /// In lower case, without `dev:`; empty where none is named.
    let device: String

    /// Nil for what no record can be named by.
    init?(_ text: String) {
        let parts = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        id = SQLName.folded(String(parts.first ?? ""))
        var device = parts.count > 1 ? SQLName.folded(String(parts[1])) : ""
        if device.hasPrefix("dev:") { device.removeFirst(4) }
        self.device = device
        full = RecordID(text: id)
        guard !id.isEmpty, id.utf8.count <= RecordID.textLength,
            id.utf8.allSatisfy({ $0 == 45 || (48...57).contains($0) || (97...102).contains($0) })
        else { return nil }
    }
}
