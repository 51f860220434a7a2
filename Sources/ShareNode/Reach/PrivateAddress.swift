/// Addresses that belong to local networks. What others say about where members are is taken
/// only for these, so that nobody can point a room at a stranger on the internet.
enum PrivateAddress {
    static func isPrivate(_ host: String) -> Bool {
        if host.contains(":") {
            let host = host.lowercased()
            return host == "::1" || host.hasPrefix("fe8") || host.hasPrefix("fe9")
                || host.hasPrefix("fea") || host.hasPrefix("feb") || host.hasPrefix("fc")
                || host.hasPrefix("fd")
        }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
            .compactMap { UInt8($0) }
        guard parts.count == 4, host.split(separator: ".").count == 4 else { return false }
        switch (parts[0], parts[1]) {
        case (10, _), (127, _), (192, 168), (169, 254): return true
        case (172, 16...31): return true
        default: return false
        }
    }
}
