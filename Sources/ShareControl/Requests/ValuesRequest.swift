package import JSON

/// The body of adding and editing a record.
package struct ValuesRequest: JSONConvertible {
    /// Text is parsed by the field's type, null clears, other values are taken as they are.
    package var values: JSONObject

    package init(values: JSONObject) {
        self.values = values
    }

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        values = try object.get("values")
    }

    package var json: JSONValue {
        ["values": values.json]
    }
}
