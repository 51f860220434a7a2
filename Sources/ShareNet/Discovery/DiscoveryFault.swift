/// Why discovery does not work.
package enum DiscoveryFault: Hashable, Sendable {
    /// There is no D-Bus system bus, over which Avahi is reached.
    case noSystemBus
    /// The system bus is there; avahi-daemon does not answer on it.
    case noDaemon
    /// Avahi refuses: too many clients or objects, or access denied.
    case refused
    /// Every variant of the device's name is taken on this machine.
    case nameTaken
    /// Any other error, by its number in `dns_sd.h`.
    case failed(code: Int32)

    /// What a person can do about it.
    package var hint: String {
        let meanwhile = "until then, give addresses by --peer HOST:PORT."
        switch self {
        case .noSystemBus:
            return "No D-Bus system bus here: install and start dbus and avahi-daemon; \(meanwhile)"
        case .noDaemon:
            return "The avahi-daemon is not running: sudo systemctl start avahi-daemon"
                + " (Debian package avahi-daemon); \(meanwhile)"
        case .refused:
            return "The avahi-daemon refuses more clients of this user, or its D-Bus policy denies"
                + " access; \(meanwhile)"
        case .nameTaken:
            return
                "Many services on this machine have this device's name: choose another with --name."
        case .failed(let code):
            return
                "The avahi-daemon answered error \(code): see journalctl -u avahi-daemon; \(meanwhile)"
        }
    }
}
