package import JSON

/// What is wrong with a device's identity or with what it has written.
package struct DeviceFault: JSONConvertible {
    /// `forked_log` or `two_machines`.
    package var kind: String
    package var device: NamedDevice
    /// The room whose log has forked.
    package var room: String?
    /// `control` or `records`, of a log that has forked.
    package var log: String?
    /// The first places in that log that are taken twice.
    package var numbers: [Int]
    /// How many branches the log has.
    package var branches: Int?
    /// Whether nothing of the log counts but what an owner accepts.
    package var refused: Bool
    /// What has happened, for people.
    package var detail: String
    /// What to do.
    package var hint: String

    package init(
        kind: String, device: NamedDevice, room: String? = nil, log: String? = nil,
        numbers: [Int] = [], branches: Int? = nil, refused: Bool = false, detail: String,
        hint: String
    ) {
        self.kind = kind
        self.device = device
        self.room = room
        self.log = log
        self.numbers = numbers
        self.branches = branches
        self.refused = refused
        self.detail = detail
        self.hint = hint
    }

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        kind = try object.get("kind")
        device = try object.get("device")
        room = try object.find("room")
        log = try object.find("log")
        numbers = try object.get("numbers")
        branches = try object.find("branches")
        refused = try object.get("refused")
        detail = try object.get("detail")
        hint = try object.get("hint")
    }

    package var json: JSONValue {
        [
            "kind": kind.json, "device": device.json, "room": room.json, "log": log.json,
            "numbers": numbers.json, "branches": branches.json, "refused": refused.json,
            "detail": detail.json, "hint": hint.json,
        ]
    }
}
