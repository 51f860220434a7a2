/// A host and a port as they are typed: `HOST:PORT`, with IPv6 addresses in brackets.
package struct NetworkAddress: Sendable, Hashable, CustomStringConvertible {
    /// A name or an address, without brackets. Empty means every address of this device.
    package let host: String
    package let port: UInt16

    package init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// The address that `text` names; nil if it is not of that form.
    package init?(_ text: String) {
        let host: Substring
        let port: Substring
        if text.hasPrefix("[") {
            guard let close = text.firstIndex(of: "]"), text[close...].hasPrefix("]:") else {
                return nil
            }
            host = text[text.index(after: text.startIndex)..<close]
            port = text[close...].dropFirst(2)
            // Only an IPv6 address needs brackets.
            guard host.contains(":") else { return nil }
        } else {
            guard let colon = text.lastIndex(of: ":") else { return nil }
            host = text[..<colon]
            port = text[colon...].dropFirst()
            guard !host.contains(":") else { return nil }
        }
        let isPlain = host.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") }
        guard isPlain, host.utf8.count <= 255,
            port.utf8.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }),
            let number = UInt16(port)
        else { return nil }
        self.host = String(host)
        self.port = number
    }

    package var description: String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
