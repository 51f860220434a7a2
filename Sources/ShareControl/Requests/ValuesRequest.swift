package import JSON

/// The body of adding and editing a record.
package struct ValuesRequest: Codable, Hashable, Sendable {
    /// Text is parsed by the field's type, null clears, other values are taken as they are.
    package var values: JSONObject

    package init(values: JSONObject) {
        self.values = values
    }
}
