package import JSON

/// The answer to adding a form or a new version of it.
package struct FormAddedAnswer: JSONConvertible {
    package var formID: String
    package var version: String
    /// `added`, `updated` or `unchanged`.
    package var change: String
    package var addedFields: [String]
    /// They keep their columns.
    package var removedFields: [String]
    package var warnings: [String]

    package init(
        formID: String, version: String, change: String, addedFields: [String],
        removedFields: [String], warnings: [String]
    ) {
        self.formID = formID
        self.version = version
        self.change = change
        self.addedFields = addedFields
        self.removedFields = removedFields
        self.warnings = warnings
    }

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        formID = try object.get("form_id")
        version = try object.get("version")
        change = try object.get("change")
        addedFields = try object.get("added_fields")
        removedFields = try object.get("removed_fields")
        warnings = try object.get("warnings")
    }

    package var json: JSONValue {
        [
            "form_id": formID.json, "version": version.json, "change": change.json,
            "added_fields": addedFields.json, "removed_fields": removedFields.json,
            "warnings": warnings.json,
        ]
    }
}
