package import JSON

/// The answer of `GET /v1/version`.
package struct VersionAnswer: JSONConvertible {
    /// The release of the daemon.
    package var version: String
    /// The version of the control API, 1.
    package var api: Int
    /// The version of the protocol between devices.
    package var protocolVersion: Int

    package init(version: String, api: Int, protocolVersion: Int) {
        self.version = version
        self.api = api
        self.protocolVersion = protocolVersion
    }

    package init(json: JSONValue) throws(JSONError) {
        let object = try json.members()
        version = try object.get("version")
        api = try object.get("api")
        protocolVersion = try object.get("protocol")
    }

    package var json: JSONValue {
        ["version": version.json, "api": api.json, "protocol": protocolVersion.json]
    }
}
