import Glibc

/// The number of a TCP port that no other test takes while this object lives, whether somebody
/// listens there or not: a daemon finds it free when it starts again.
///
/// It binds the UDP port of that number, which daemons have no use for.
final class HeldPort: Sendable {
    struct NoneFree: Error {}

    let number: UInt16
    private let descriptor: Int32

    init() throws {
        descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | O_CLOEXEC, 0)
        for _ in 0..<100 {
            // Outside of the range that outgoing connections take their ports from.
            let port = UInt16.random(in: 20_000..<32_000)
            guard Self.bind(descriptor, port) else { continue }
            number = port
            return
        }
        close(descriptor)
        throw NoneFree()
    }

    deinit { close(descriptor) }

    private static func bind(_ descriptor: Int32, _ port: UInt16) -> Bool {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
