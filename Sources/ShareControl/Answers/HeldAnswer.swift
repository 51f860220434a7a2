/// What a peer holds of a device and this one does not, by the peer's word.
package struct HeldAnswer: JSONConvertible {
    package var by: NamedDevice
    /// `control` or `records`.
    package var log: String
    package var count: Int

    package init(by: NamedDevice, log: String, count: Int) {
        self.by = by
        self.log = log
        self.count = count
    }

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        by = try object.get("by")
        log = try object.get("log")
        count = try object.get("count")
    }

    package var json: JSONValue {
        ["by": by.json, "log": log.json, "count": count.json]
    }
}
