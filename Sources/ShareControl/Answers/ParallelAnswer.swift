package import JSON

/// A record that was changed on several sides, unseen by each other, all of which stands.
package struct ParallelAnswer: JSONConvertible {
    package var record: String
    package var creator: String
    package var form: String
    /// Oldest first.
    package var branches: [ParallelBranch]

    package init(record: String, creator: String, form: String, branches: [ParallelBranch]) {
        self.record = record
        self.creator = creator
        self.form = form
        self.branches = branches
    }

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        record = try object.get("record")
        creator = try object.get("creator")
        form = try object.get("form")
        branches = try object.get("branches")
    }

    package var json: JSONValue {
        [
            "record": record.json, "creator": creator.json, "form": form.json,
            "branches": branches.json,
        ]
    }
}
