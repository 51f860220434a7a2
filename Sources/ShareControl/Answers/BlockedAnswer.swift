/// Entries that wait for a form that is here and does not count.
package struct BlockedAnswer: JSONConvertible {
    /// The form; nil where the definition named is none.
    package var form: String?
    /// Who added it.
    package var device: NamedDevice?
    package var count: Int

    package init(form: String?, device: NamedDevice?, count: Int) {
        self.form = form
        self.device = device
        self.count = count
    }

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        form = try object.find("form")
        device = try object.find("device")
        count = try object.get("count")
    }

    package var json: JSONValue {
        ["form": form.json, "device": device.json, "count": count.json]
    }
}
