package import JSON

/// The answer to `import`: where `rejected` is not empty, nothing was written.
package struct ImportAnswer: JSONConvertible {
    package var added: Int
    package var updated: Int
    package var unchanged: Int
    /// At most `ControlLimits.rowErrors`.
    package var rejected: [RowError]
    /// All of them.
    package var rejectedCount: Int

    package init(
        added: Int, updated: Int, unchanged: Int, rejected: [RowError], rejectedCount: Int
    ) {
        self.added = added
        self.updated = updated
        self.unchanged = unchanged
        self.rejected = rejected
        self.rejectedCount = rejectedCount
    }

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        added = try object.get("added")
        updated = try object.get("updated")
        unchanged = try object.get("unchanged")
        rejected = try object.get("rejected")
        rejectedCount = try object.get("rejected_count")
    }

    package var json: JSONValue {
        [
            "added": added.json, "updated": updated.json, "unchanged": unchanged.json,
            "rejected": rejected.json, "rejected_count": rejectedCount.json,
        ]
    }
}
