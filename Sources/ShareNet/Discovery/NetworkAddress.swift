internal import Glibc

/// Reads the addresses that strangers put in their A and AAAA records.
enum NetworkAddress {
    /// The numeric text of 4 or 16 bytes, link-local IPv6 with its scope; nil for what no other
    /// device can have: multicast, unspecified, broadcast, and loopback from another interface.
    static func text(_ bytes: [UInt8], interface: String) -> String? {
        switch bytes.count {
        case 4:
            switch bytes[0] {
            case 0, 224...255: return nil
            case 127: guard interface == "lo" else { return nil }
            default: break
            }
            return numeric(bytes, family: AF_INET)
        case 16:
            let leading = bytes.prefix(15)
            if leading.allSatisfy({ $0 == 0 }) {
                guard bytes[15] == 1, interface == "lo" else { return nil }
            }
            // IPv4 in IPv6 clothes would slip past the rules above.
            if leading.prefix(10).allSatisfy({ $0 == 0 }), bytes[10] == 0xFF { return nil }
            if bytes[0] == 0xFF { return nil }
            guard let text = numeric(bytes, family: AF_INET6) else { return nil }
            let isLinkLocal = bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80
            return isLinkLocal ? "\(text)%\(interface)" : text
        default:
            return nil
        }
    }

    /// The name of the interface with that index, or the index where it has just gone.
    static func interfaceName(_ index: UInt32) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(IF_NAMESIZE)) { buffer in
            guard let base = buffer.baseAddress, if_indextoname(index, base) != nil else {
                return String(index)
            }
            return String(cString: base)
        }
    }

    private static func numeric(_ bytes: [UInt8], family: Int32) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
            guard let base = buffer.baseAddress, inet_ntop(family, bytes, base, 64) != nil else {
                return nil
            }
            return String(cString: base)
        }
    }
}
