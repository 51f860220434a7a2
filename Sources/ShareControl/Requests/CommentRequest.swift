package import JSON

/// A remark on a record.
package struct CommentRequest: JSONConvertible {
    package var text: String

    package init(text: String) { self.text = text }

    package init(json: JSONValue) throws(JSONError) {
        text = try json.members().get("text")
    }

    package var json: JSONValue { ["text": text.json] }
}
