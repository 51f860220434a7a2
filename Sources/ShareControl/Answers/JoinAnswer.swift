/// The answer to `create` and `join`.
package struct JoinAnswer: JSONConvertible {
    package var room: NamedRoom
    package var created: Bool
    /// Nil where it is not known yet.
    package var founder: NamedDevice?
    /// `member`, or `waiting` in an open room where nobody who may admit is in reach.
    package var state: String

    package init(room: NamedRoom, created: Bool, founder: NamedDevice? = nil, state: String) {
        self.room = room
        self.created = created
        self.founder = founder
        self.state = state
    }

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        room = try object.get("room")
        created = try object.get("created")
        founder = try object.find("founder")
        state = try object.get("state")
    }

    package var json: JSONValue {
        ["room": room.json, "created": created.json, "founder": founder.json, "state": state.json]
    }
}
