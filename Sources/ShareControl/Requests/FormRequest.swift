package import JSON

/// A form with lists that lie in files of their own beside it: a body of `POST /v1/forms`.
package struct FormRequest: JSONConvertible {
    /// The text of the form's file, as it is.
    package var definition: String
    /// The text of each list's CSV file, by the name of the list.
    package var listFiles: JSONObject

    package init(definition: String, listFiles: JSONObject) {
        self.definition = definition
        self.listFiles = listFiles
    }

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        definition = try object.get("definition")
        listFiles = try object.get("list_files")
    }

    package var json: JSONValue {
        ["definition": definition.json, "list_files": listFiles.json]
    }
}
