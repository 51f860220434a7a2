package import JSON

/// The body of `POST /v1/sync`.
package struct SyncRequest: JSONConvertible {
    /// Nil for 10 s.
    package var waitMilliseconds: Int?

    package init(waitMilliseconds: Int? = nil) {
        self.waitMilliseconds = waitMilliseconds
    }

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        waitMilliseconds = try object.find("wait_milliseconds")
    }

    package var json: JSONValue {
        ["wait_milliseconds": waitMilliseconds.json]
    }
}
