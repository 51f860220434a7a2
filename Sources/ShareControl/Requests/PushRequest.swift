package import JSON

/// The body of `POST /v1/push`.
package struct PushRequest: JSONConvertible {
    /// Nil for 5 s.
    package var timeoutMilliseconds: Int?

    package init(timeoutMilliseconds: Int? = nil) {
        self.timeoutMilliseconds = timeoutMilliseconds
    }

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        timeoutMilliseconds = try object.find("timeout_milliseconds")
    }

    package var json: JSONValue {
        ["timeout_milliseconds": timeoutMilliseconds.json]
    }
}
