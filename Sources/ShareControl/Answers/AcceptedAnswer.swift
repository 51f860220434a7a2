/// The answer to `accept`.
package struct AcceptedAnswer: JSONConvertible {
    package var device: NamedDevice
    package var room: NamedRoom
    /// Operations on records that count again, and such of the device that stay refused for
    /// where they stand in its log.
    package var accepted: Int
    package var refused: Int
    package var heard: [NamedDevice]
    package var notHeard: [NamedDevice]

    package init(
        device: NamedDevice, room: NamedRoom, accepted: Int, refused: Int, heard: [NamedDevice],
        notHeard: [NamedDevice]
    ) {
        self.device = device
        self.room = room
        self.accepted = accepted
        self.refused = refused
        self.heard = heard
        self.notHeard = notHeard
    }

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        device = try object.get("device")
        room = try object.get("room")
        accepted = try object.get("accepted")
        refused = try object.get("refused")
        heard = try object.get("heard")
        notHeard = try object.get("not_heard")
    }

    package var json: JSONValue {
        [
            "device": device.json, "room": room.json, "accepted": accepted.json,
            "refused": refused.json, "heard": heard.json, "not_heard": notHeard.json,
        ]
    }
}
