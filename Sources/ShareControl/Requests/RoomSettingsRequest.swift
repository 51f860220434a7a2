package import JSON

/// The body of `PUT /v1/settings/room`: what is nil stays as it is.
package struct RoomSettingsRequest: JSONConvertible {
    package var isOpen: Bool?
    package var isHidden: Bool?

    package init(isOpen: Bool? = nil, isHidden: Bool? = nil) {
        self.isOpen = isOpen
        self.isHidden = isHidden
    }

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        isOpen = try object.find("open")
        isHidden = try object.find("hidden")
    }

    package var json: JSONValue {
        ["open": isOpen.json, "hidden": isHidden.json]
    }
}
