package import JSON

/// Entries that wait for a form that is here and does not count.
package struct BlockedAnswer: JSONConvertible {
    /// The form; nil where the definition named is none.
    package var form: String?
    package var count: Int

    package init(form: String?, count: Int) {
        self.form = form
        self.count = count
    }

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        form = try object.find("form")
        count = try object.get("count")
    }

    package var json: JSONValue {
        ["form": form.json, "count": count.json]
    }
}
