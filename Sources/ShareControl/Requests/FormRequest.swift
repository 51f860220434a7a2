package import JSON

/// A form with lists that lie in files of their own beside it: a body of `POST /v1/forms`.
package struct FormRequest: Codable, Hashable, Sendable {
    /// The text of the form's file, as it is.
    package var definition: String
    /// The text of each list's CSV file, by the name of the list.
    package var listFiles: JSONObject

    package init(definition: String, listFiles: JSONObject) {
        self.definition = definition
        self.listFiles = listFiles
    }
}
