package import ShareCore

/// Which records of a form are wanted, and in which order.
package struct RecordQuery: Sendable {
    /// What a condition looks at, and what records are sorted by.
    package enum Subject: Hashable, Sendable {
        case column(String)
        case id
        case author
        case created
        case updated
        case state
    }

    /// A subject that must have this value; `.absent` for none.
    package struct Condition: Hashable, Sendable {
        package let subject: Subject
        package let value: FieldValue

        package init(_ subject: Subject, equals value: FieldValue) {
            self.subject = subject
            self.value = value
        }
    }

    package var conditions: [Condition]
    package var sort: Subject?
    package var isDescending: Bool
    package var limit: Int?

    package init(
        where conditions: [Condition] = [], sort: Subject? = nil, isDescending: Bool = false,
        limit: Int? = nil
    ) {
        self.conditions = conditions
        self.sort = sort
        self.isDescending = isDescending
        self.limit = limit
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
    /// One for each of the form's columns (`FormInfo.columns`).
    package let values: [FieldValue]
    /// The rows of each of the form's repeats (`FormInfo.repeats`), where they were asked for.
    package var repeats: [[RecordRow]] = []
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
