/// A room, a code for it and where its maker is, as one word: what a QR symbol holds
/// (docs/protocol/joining.md §2).
package struct JoinLink: Hashable, Sendable {
    package var room: String
    package var code: String
    /// `HOST:PORT`, at most `addresses` of them.
    package var at: [String]

    /// The most addresses that a link is read with.
    package static let addresses = 4
    package static let prefix = "shared:join?"

    package init(room: String, code: String, at: [String] = []) {
        self.room = room
        self.code = code
        self.at = at
    }

    /// Reads a link; keys that this release does not know are passed over. Nil for anything else,
    /// and where room or code is missing.
    package init?(text: String) {
        guard text.lowercased().hasPrefix(Self.prefix) else { return nil }
        var values: [String: [String]] = [:]
        for pair in text.dropFirst(Self.prefix.count).split(separator: "&") {
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard sides.count == 2, let value = PercentEncoding.decode(sides[1]) else { return nil }
            values[String(sides[0]), default: []].append(value)
        }
        guard let room = values["room"]?.first, !room.isEmpty,
            let code = values["code"]?.first, !code.isEmpty
        else { return nil }
        self.init(
            room: room, code: code, at: Array((values["at"] ?? []).prefix(Self.addresses)))
    }

    package var text: String {
        let pairs =
            [("room", room), ("code", code)] + at.prefix(Self.addresses).map { ("at", $0) }
        return Self.prefix
            + pairs.map { "\($0.0)=\(Self.encode($0.1))" }.joined(separator: "&")
    }

    /// A colon may stand in a query (RFC 3986 §3.4), and makes addresses shorter.
    private static func encode(_ text: String) -> String {
        text.split(separator: ":", omittingEmptySubsequences: false)
            .map { PercentEncoding.encode(String($0)) }.joined(separator: ":")
    }
}
