package import JSON

/// The answer to `accept`.
package struct AcceptedAnswer: JSONConvertible {
    package var device: NamedDevice
    package var room: NamedRoom
    /// Operations of the device on records that count again, and such that stay refused for where
    /// they stand in its log.
    package var accepted: Int
    package var refused: Int
    /// Operations of other devices that count again by it.
    package var others: Int
    /// Entries of the device that do not count, as their form does not.
    package var blocked: [BlockedAnswer]
    /// Whether records still follow, so that the numbers are not the last ones.
    package var settling: Bool
    package var heard: [NamedDevice]
    package var notHeard: [NamedDevice]

    package init(
        device: NamedDevice, room: NamedRoom, accepted: Int, refused: Int, others: Int,
        blocked: [BlockedAnswer], settling: Bool,
        heard: [NamedDevice], notHeard: [NamedDevice]
    ) {
        self.device = device
        self.room = room
        self.accepted = accepted
        self.refused = refused
        self.others = others
        self.blocked = blocked
        self.settling = settling
        self.heard = heard
        self.notHeard = notHeard
    }

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        device = try object.get("device")
        room = try object.get("room")
        accepted = try object.get("accepted")
        refused = try object.get("refused")
        others = try object.find("others") ?? 0
        blocked = try object.find("blocked") ?? []
        settling = try object.find("settling") ?? false
        heard = try object.get("heard")
        notHeard = try object.get("not_heard")
    }

    package var json: JSONValue {
        [
            "device": device.json, "room": room.json, "accepted": accepted.json,
            "refused": refused.json, "others": others.json, "blocked": blocked.json,
            "settling": settling.json, "heard": heard.json, "not_heard": notHeard.json,
        ]
    }
}
