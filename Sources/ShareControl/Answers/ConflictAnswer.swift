/// Parallel values of one field, of which one shows.
package struct ConflictAnswer: JSONConvertible {
    package var record: String
    package var form: String
    package var field: String
    package var winner: ConflictValue
    package var losers: [ConflictValue]

    package init(
        record: String, form: String, field: String, winner: ConflictValue, losers: [ConflictValue]
    ) {
        self.record = record
        self.form = form
        self.field = field
        self.winner = winner
        self.losers = losers
    }

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        record = try object.get("record")
        form = try object.get("form")
        field = try object.get("field")
        winner = try object.get("winner")
        losers = try object.get("losers")
    }

    package var json: JSONValue {
        [
            "record": record.json, "form": form.json, "field": field.json, "winner": winner.json,
            "losers": losers.json,
        ]
    }
}
