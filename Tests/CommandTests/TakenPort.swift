import Glibc

/// A TCP port that listens on all addresses and never answers; freed with this object.
final class TakenPort: Sendable {
    struct InUse: Error {}

    private let descriptor: Int32

    init(_ port: UInt16) throws {
        descriptor = socket(AF_INET6, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port.bigEndian
        let isBound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in6>.size))
            }
        }
        guard isBound == 0, listen(descriptor, 1) == 0 else {
            close(descriptor)
            throw InUse()
        }
    }

    deinit { close(descriptor) }
}
