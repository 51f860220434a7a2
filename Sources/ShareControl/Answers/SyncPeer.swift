/// A connected peer at the end of `sync`.
package struct SyncPeer: JSONConvertible {
    package var id: String
    package var name: String
    package var identical: Bool
    package var behind: Int
    package var ahead: Int

    package init(id: String, name: String, identical: Bool, behind: Int, ahead: Int) {
        self.id = id
        self.name = name
        self.identical = identical
        self.behind = behind
        self.ahead = ahead
    }

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        id = try object.get("id")
        name = try object.get("name")
        identical = try object.get("identical")
        behind = try object.get("behind")
        ahead = try object.get("ahead")
    }

    package var json: JSONValue {
        [
            "id": id.json, "name": name.json, "identical": identical.json, "behind": behind.json,
            "ahead": ahead.json,
        ]
    }
}
