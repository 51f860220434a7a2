internal import CDNSSD
internal import Glibc

/// What must be in place before the first call of the dns_sd layer, once in a process.
enum AvahiLayer {
    /// The layer allocates its references with `malloc` and leaves callback fields as they are;
    /// when avahi-daemon stops, it calls one that nobody set. With memory of zeroes it does not.
    static let prepared: Void = {
        setenv("AVAHI_COMPAT_NOWARN", "1", 1)
        avahi_set_allocator(allocator)
    }()

    /// Never freed: Avahi keeps the address.
    nonisolated(unsafe) private static let allocator: UnsafePointer<AvahiAllocator> = {
        let allocator = UnsafeMutablePointer<AvahiAllocator>.allocate(capacity: 1)
        allocator.initialize(
            to: AvahiAllocator(
                malloc: { size in Glibc.calloc(1, max(size, 1)) },
                free: { pointer in Glibc.free(pointer) },
                realloc: { pointer, size in Glibc.realloc(pointer, max(size, 1)) },
                calloc: { count, size in Glibc.calloc(count, size) }))
        return UnsafePointer(allocator)
    }()

    /// What an error that the layer reports as "unknown" is likely to be.
    static func fault(_ code: Int32) -> DiscoveryFault {
        switch Int(code) {
        case kDNSServiceErr_Unknown: hasSystemBus ? .noDaemon : .noSystemBus
        case kDNSServiceErr_Refused, kDNSServiceErr_NoAuth: .refused
        case kDNSServiceErr_NameConflict: .nameTaken
        default: .failed(code: code)
        }
    }

    /// The bus's socket is where D-Bus expects it, or its address was given by hand.
    private static var hasSystemBus: Bool {
        getenv("DBUS_SYSTEM_BUS_ADDRESS") != nil
            || access("/run/dbus/system_bus_socket", F_OK) == 0
            || access("/var/run/dbus/system_bus_socket", F_OK) == 0
    }
}
