internal import Dispatch
package import ShareCrypto
internal import Synchronization

/// Finds the devices on the same network and tells them of this one, by DNS-SD over Avahi.
///
/// Nothing here blocks or fails: where Avahi is absent or stops, that is a state with a hint,
/// and discovery begins again by itself when Avahi is back.
package final class Discovery: Sendable {
    /// Snapshots as things change, for one reader: a slow one sees only the newest. What
    /// changes within 20 ms arrives as one.
    package let snapshots: AsyncStream<DiscoverySnapshot>

    private let cache: SnapshotCache
    private let engine: DiscoveryEngine
    private let queue: DispatchQueue

    /// Discovery for the device of that key, not started yet.
    package init(device: DeviceKey) {
        let cache = SnapshotCache()
        self.cache = cache
        snapshots = cache.stream
        let executor = DispatchExecutor(label: "shared.discovery")
        queue = executor.queue
        engine = DiscoveryEngine(device: device, cache: cache, executor: executor)
    }

    deinit {
        // The engine lives until its references are closed.
        queue.async { [engine] in engine.assumeIsolated { $0.close {} } }
    }

    /// The newest snapshot, at once, even while Avahi hangs.
    package var snapshot: DiscoverySnapshot { cache.snapshot }

    /// Begins to browse and to advertise; also takes a changed advertisement (another name, port
    /// or list of rooms). Returns at once; calls take effect in their order.
    package func advertise(_ advertisement: Advertisement) {
        queue.async { [engine] in engine.assumeIsolated { $0.advertise(advertisement) } }
    }

    /// Looks up again everything nearby, because rooms may have changed or a dial has failed,
    /// and tries at once to reach an absent Avahi.
    package func refresh() {
        queue.async { [engine] in engine.assumeIsolated { $0.refresh() } }
    }

    /// Takes the advertisement back and ends all references, so that others see this device
    /// leave; `advertise` begins anew. Returns after 2 s even if Avahi hangs.
    package func stop() async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let waiting = Mutex<CheckedContinuation<Void, Never>?>(continuation)
            let finish: @Sendable () -> Void = {
                waiting.withLock { $0.take() }?.resume()
            }
            queue.async { [engine] in engine.assumeIsolated { $0.close(then: finish) } }
            DispatchQueue.global().asyncAfter(deadline: .now() + Discovery.stopLimit) { finish() }
        }
    }

    private static let stopLimit = DispatchTimeInterval.seconds(2)
}

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

    /// The remedy, for people; nil where nothing is to be done.
    package var hint: String? {
        switch self {
        case .off, .starting, .running: nil
        case .unavailable(let fault): fault.hint
        }
    }
}

/// Why discovery does not work.
package enum DiscoveryFault: Hashable, Sendable {
    /// There is no D-Bus system bus, over which Avahi is reached.
    case noSystemBus
    /// The system bus refuses this process: its user is not known to the system.
    case busRefuses
    /// The system bus is there; avahi-daemon does not answer on it.
    case noDaemon
    /// Avahi refuses: too many clients or objects, or access denied.
    case refused
    /// Every variant of the device's name is taken on this machine.
    case nameTaken
    /// Any other error, by its number in `dns_sd.h`.
    case failed(code: Int32)

    /// The remedy, for people.
    package var hint: String {
        let meanwhile = "until then, give addresses by --peer HOST:PORT."
        switch self {
        case .noSystemBus:
            return "No D-Bus system bus here: install and start dbus and avahi-daemon; \(meanwhile)"
        case .busRefuses:
            return "D-Bus refuses this process: run sharedd as a user that the system knows;"
                + " \(meanwhile)"
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
