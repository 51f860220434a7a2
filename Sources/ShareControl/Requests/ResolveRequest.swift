package import JSON

/// How a record's conflicts are to be settled: by values, or by what is there.
package struct ResolveRequest: Codable, Hashable, Sendable {
    /// What to keep where no value is given.
    package enum Side: String, JSONWord, Sendable {
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

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        values = try container.decodeIfPresent(JSONObject.self, forKey: .values) ?? JSONObject()
        keep = try container.decodeIfPresent(Side.self, forKey: .keep)
    }
}
