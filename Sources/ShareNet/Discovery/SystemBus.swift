internal import CEpoll
internal import Glibc

/// The D-Bus system bus as this process meets it, over which Avahi is reached.
enum SystemBus: Equatable {
    /// Nobody answers where the bus should be.
    case absent
    /// The bus ends the connection once it knows which user this process is.
    case refuses
    case answers

    /// Says hello to the bus, up to the first message (D-Bus Specification, "Authentication
    /// Protocol"). The bus looks the user up only then, and ends the connection where it cannot.
    /// May block for `patience` twice.
    static func met() -> SystemBus {
        guard let path = path() else { return .answers }
        let fd = socket(AF_UNIX, shim_stream(), 0)
        guard fd >= 0 else { return .absent }
        defer { close(fd) }
        guard connects(fd, to: path) else { return .absent }
        var time = timeval(tv_sec: 0, tv_usec: patience)
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        let user = "\(geteuid())".utf8.map { String($0, radix: 16) }.joined()
        guard say("\0AUTH EXTERNAL \(user)\r\n", to: fd), let answer = hear(from: fd) else {
            return .absent
        }
        guard answer.starts(with: "OK ".utf8), say("BEGIN\r\n", to: fd) else { return .refuses }
        // It has nothing to say before it is asked: whatever ends now was ended by it.
        return hear(from: fd) == [] ? .refuses : .answers
    }

    /// In microseconds.
    private static let patience = 300_000

    /// Nil where the address was given by hand, and is none of a path.
    private static func path() -> String? {
        guard let given = getenv("DBUS_SYSTEM_BUS_ADDRESS") else {
            return "/run/dbus/system_bus_socket"
        }
        let prefix = "unix:path="
        let text = String(cString: given).prefix { $0 != "," && $0 != ";" }
        return text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : nil
    }

    private static func connects(_ fd: Int32, to path: String) -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return false }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(fd, $0, size) == 0 }
        }
    }

    private static func say(_ text: String, to fd: Int32) -> Bool {
        let bytes = Array(text.utf8)
        return send(fd, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }

    /// The bytes that come within `patience`: empty at the end of the connection, nil where none
    /// come.
    private static func hear(from fd: Int32) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = recv(fd, &bytes, bytes.count, 0)
        if count < 0 { return errno == ECONNRESET ? [] : nil }
        return Array(bytes.prefix(count))
    }
}
