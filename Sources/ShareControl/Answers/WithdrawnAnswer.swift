package import JSON

/// The answer to `withdraw`: the invite as it is now, and whether there was anything to end.
package struct WithdrawnAnswer: JSONConvertible {
    package var invite: InviteStatus
    /// Whether the invite had ended before, by itself or by an earlier `withdraw`.
    package var hadEnded: Bool

    package init(invite: InviteStatus, hadEnded: Bool) {
        self.invite = invite
        self.hadEnded = hadEnded
    }

    package init(json: JSONValue) throws(JSONError) {
        invite = try InviteStatus(json: json)
        hadEnded = try json.members().get("had_ended")
    }

    package var json: JSONValue {
        var object = invite.json.object ?? [:]
        object["had_ended"] = hadEnded.json
        return object.json
    }
}
