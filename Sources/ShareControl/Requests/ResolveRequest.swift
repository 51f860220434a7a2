package import JSON

/// How a record's conflicts are to be settled: by values, or by what is there.
package struct ResolveRequest: JSONConvertible {
    /// What to keep where no value is given.
    package enum Side: String, Sendable, CaseIterable {
        /// What shows now.
        case shown
        /// The one other value.
        case other
    }

    /// As for editing: text is parsed by the field's type, null clears.
    package var values: JSONObject
    /// Null where values alone decide.
    package var keep: Side?

    package init(values: JSONObject = JSONObject(), keep: Side? = nil) {
        self.values = values
        self.keep = keep
    }

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        values = try object.find("values") ?? JSONObject()
        guard let word: String = try object.find("keep") else { return }
        guard let side = Side(rawValue: word) else {
            throw .wrongKind(path: "keep", expected: "shown or other", found: "another word")
        }
        keep = side
    }

    package var json: JSONValue { ["values": values.json, "keep": (keep?.rawValue).json] }
}
