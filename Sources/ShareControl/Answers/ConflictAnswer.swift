/// Values of one field that were written unseen by each other, of which one shows.
package struct ConflictAnswer: Codable, Hashable, Sendable {
    package var record: String
    package var creator: String
    package var form: String
    /// `_deleted` for a delete beside an edit, `_state` for reviews.
    package var field: String
    package var winner: ConflictValue
    package var losers: [ConflictValue]

    package init(
        record: String, creator: String, form: String, field: String, winner: ConflictValue,
        losers: [ConflictValue]
    ) {
        self.record = record
        self.creator = creator
        self.form = form
        self.field = field
        self.winner = winner
        self.losers = losers
    }
}
