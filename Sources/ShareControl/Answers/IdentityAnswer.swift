package import JSON

/// The identity of this device.
package struct IdentityAnswer: JSONConvertible {
    package var device: NamedDevice
    /// The whole key in groups of four characters, to be compared by people.
    package var fingerprint: String
    /// The ids that this device had before, whose keys it keeps.
    package var former: [String]
    /// Whether a change of identity was begun and not ended.
    package var isChanging: Bool

    package init(device: NamedDevice, fingerprint: String, former: [String], isChanging: Bool) {
        self.device = device
        self.fingerprint = fingerprint
        self.former = former
        self.isChanging = isChanging
    }

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        device = try object.get("device")
        fingerprint = try object.get("fingerprint")
        former = try object.get("former")
        isChanging = try object.get("changing")
    }

    package var json: JSONValue {
        [
            "device": device.json, "fingerprint": fingerprint.json, "former": former.json,
            "changing": isChanging.json,
        ]
    }
}
