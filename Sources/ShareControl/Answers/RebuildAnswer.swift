/// The result of `rebuild`.
package struct RebuildAnswer: JSONConvertible {
    package var batches: Int
    package var records: Int
    package var digest: String
    /// Whether the tables are other than they were.
    package var changed: Bool

    package init(batches: Int, records: Int, digest: String, changed: Bool) {
        self.batches = batches
        self.records = records
        self.digest = digest
        self.changed = changed
    }

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        batches = try object.get("batches")
        records = try object.get("records")
        digest = try object.get("digest")
        changed = try object.get("changed")
    }

    package var json: JSONValue {
        [
            "batches": batches.json, "records": records.json, "digest": digest.json,
            "changed": changed.json,
        ]
    }
}
