/// Where a device can be dialled: a host, numeric or by name, and a port.
package struct Endpoint: Hashable, Sendable, CustomStringConvertible {
    /// A name, an IPv4 address, or an IPv6 address without brackets, with `%scope` if it has one.
    package let host: String
    package let port: UInt16

    package init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Reads `HOST:PORT`, an IPv6 address in brackets; nil if it is not that.
    package init?(text: String) {
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let digits = text[text.index(after: colon)...]
        guard !digits.isEmpty, digits.allSatisfy({ $0.isASCII && $0.isNumber }),
            let port = UInt16(digits)
        else { return nil }
        var host = text[..<colon]
        if host.hasPrefix("[") {
            guard host.hasSuffix("]") else { return nil }
            host = host.dropFirst().dropLast()
            guard host.contains(":") else { return nil }
        } else if host.contains(":") {
            return nil
        }
        guard !host.isEmpty, host.utf8.count <= Endpoint.maximumHost,
            !host.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F || $0 == 0x5B || $0 == 0x5D })
        else { return nil }
        self.init(host: String(host), port: port)
    }

    /// The longest name that DNS knows, and room for a scope.
    private static let maximumHost = 253 + 16

    /// `host:port`, an IPv6 address in brackets.
    package var text: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
    package var description: String { text }
}
