package import JSON

/// One form of a room.
package struct FormAnswer: JSONConvertible {
    package var formID: String
    package var title: String
    package var version: String
    package var records: Int

    package init(formID: String, title: String, version: String, records: Int) {
        self.formID = formID
        self.title = title
        self.version = version
        self.records = records
    }

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        formID = try object.get("form_id")
        title = try object.get("title")
        version = try object.get("version")
        records = try object.get("records")
    }

    package var json: JSONValue {
        [
            "form_id": formID.json, "title": title.json, "version": version.json,
            "records": records.json,
        ]
    }
}
