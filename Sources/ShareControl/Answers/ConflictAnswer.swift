package import JSON

/// Values of one field that were written unseen by each other, of which one shows.
package struct ConflictAnswer: JSONConvertible {
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

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        record = try object.get("record")
        creator = try object.get("creator")
        form = try object.get("form")
        field = try object.get("field")
        winner = try object.get("winner")
        losers = try object.get("losers")
    }

    package var json: JSONValue {
        [
            "record": record.json, "creator": creator.json, "form": form.json,
            "field": field.json, "winner": winner.json, "losers": losers.json,
        ]
    }
}
