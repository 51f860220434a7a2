/// The body of `POST /v1/join`.
package struct JoinRequest: Codable, Hashable, Sendable {
    /// A name or an id.
    package var room: String
    package var code: String?
    /// `HOST:PORT`, where the device may be that made the code; as a link says.
    package var at: [String]

    package init(room: String, code: String? = nil, at: [String] = []) {
        self.room = room
        self.code = code
        self.at = at
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        room = try container.decode(String.self, forKey: .room)
        code = try container.decodeIfPresent(String.self, forKey: .code)
        at = try container.decodeIfPresent([String].self, forKey: .at) ?? []
    }
}
