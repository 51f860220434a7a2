/// The answer of `GET /v1/version`.
package struct VersionAnswer: Codable, Hashable, Sendable {
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

    private enum CodingKeys: String, CodingKey {
        case version
        case api
        case protocolVersion = "protocol"
    }
}
