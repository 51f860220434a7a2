/// Whether discovery works, for `status` and `doctor`.
package enum DiscoveryState: Hashable, Sendable {
    /// Not started, or stopped.
    case off
    /// Asked for; the system's discovery service has not answered yet.
    case starting
    /// Browsing, and registering or registered.
    case running
    /// It does not work now and is tried again on its own.
    case unavailable(DiscoveryFault)

    /// One word, stable, for the control API.
    package var word: String {
        switch self {
        case .off: "off"
        case .starting: "starting"
        case .running: "running"
        case .unavailable: "unavailable"
        }
    }

    /// What a person can do about it; nil where nothing is to be done.
    package var hint: String? {
        switch self {
        case .off, .starting, .running: nil
        case .unavailable(let fault): fault.hint
        }
    }
}
