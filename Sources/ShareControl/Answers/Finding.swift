/// Something that `verify` found wrong.
package struct Finding: JSONConvertible {
    package var place: String
    package var what: String
    package var hint: String?

    package init(place: String, what: String, hint: String? = nil) {
        self.place = place
        self.what = what
        self.hint = hint
    }

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        place = try object.get("where")
        what = try object.get("what")
        hint = try object.find("hint")
    }

    package var json: JSONValue {
        ["where": place.json, "what": what.json, "hint": hint.json]
    }
}
