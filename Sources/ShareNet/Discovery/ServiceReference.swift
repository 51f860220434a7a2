internal import CDNSSD
internal import Dispatch
internal import Glibc

/// One reference of the dns_sd layer: a thread, a socket pair and a D-Bus connection, from the
/// call that makes it until `close`.
///
/// `@unchecked Sendable` because every call on it is made, and every reply is delivered, on the
/// one serial queue it was made with.
final class ServiceReference: @unchecked Sendable {
    private let queue: DispatchQueue
    private let reply: @Sendable (ServiceReply) -> Void
    private var handle: DNSServiceRef?
    private var source: (any DispatchSourceRead)?
    private var isClosed = false

    /// Makes the reference by `call`, which gets the address for the handle and the context for
    /// the layer's callback.
    ///
    /// - Throws: `ServiceError` with the layer's code; then nothing is left open.
    init(
        on queue: DispatchQueue, reply: @escaping @Sendable (ServiceReply) -> Void,
        call: (UnsafeMutablePointer<DNSServiceRef?>, UnsafeMutableRawPointer) -> Int32
    ) throws(ServiceError) {
        _ = AvahiLayer.prepared
        self.queue = queue
        self.reply = reply
        // The layer keeps the context until the handle is deallocated, as does this.
        let context = Unmanaged.passRetained(self)
        var handle: DNSServiceRef?
        let code = call(&handle, context.toOpaque())
        guard code == 0, let handle else {
            isClosed = true
            context.release()
            throw ServiceError(code: code)
        }
        self.handle = handle
        let source = DispatchSource.makeReadSource(
            fileDescriptor: DNSServiceRefSockFD(handle), queue: queue)
        self.source = source
        source.setEventHandler { [unowned self] in process() }
        source.resume()
    }

    /// Ends the reference: no reply comes any more, and `then` is called on the queue once the
    /// layer has let go of it, and of its name if it was a registration.
    func close(then: @escaping @Sendable () -> Void = {}) {
        guard !isClosed, let source, let handle else { return then() }
        isClosed = true
        // The descriptor closes with the handle, so the source must have let go of it first.
        nonisolated(unsafe) let doomed = handle
        source.setCancelHandler { [self] in
            DNSServiceRefDeallocate(doomed)
            self.handle = nil
            self.source = nil
            Unmanaged.passUnretained(self).release()
            then()
        }
        source.cancel()
    }

    /// Replaces the TXT record of a registration.
    func updateText(_ bytes: [UInt8]) throws(ServiceError) {
        guard !isClosed, let handle else {
            throw ServiceError(code: Int32(kDNSServiceErr_BadReference))
        }
        let code = DNSServiceUpdateRecord(handle, nil, 0, UInt16(bytes.count), bytes, 0)
        guard code == 0 else { throw ServiceError(code: code) }
    }

    /// Passes a reply on, from the layer's callback.
    func deliver(_ value: ServiceReply) {
        if !isClosed { reply(value) }
    }

    private func process() {
        guard !isClosed, let handle else { return }
        // Where nothing is to be read, the layer would block this queue: so ask once more.
        var readiness = pollfd(fd: DNSServiceRefSockFD(handle), events: Int16(POLLIN), revents: 0)
        guard poll(&readiness, 1, 0) == 1 else { return }
        let code = DNSServiceProcessResult(handle)
        if code != 0 { deliver(.failed(code: code)) }
    }
}

/// A report from a reference of the dns_sd layer.
enum ServiceReply: Sendable {
    /// Nothing more will come from this reference.
    case failed(code: Int32)
    case registered(name: String)
    case browsed(Sighting, added: Bool)
    case resolved(host: String, port: UInt16, text: [UInt8])
    case record(type: UInt16, bytes: [UInt8], added: Bool)
}

/// An error of the dns_sd layer, by its number in `dns_sd.h`.
struct ServiceError: Error, Equatable {
    let code: Int32
}

extension ServiceError {
    /// The instance's name is taken on this machine.
    var isNameConflict: Bool { code == -65_548 }
}

/// The preparation that the dns_sd layer needs before its first call, once in a process.
enum AvahiLayer {
    /// The layer allocates its references with `malloc` and leaves callback fields as they are;
    /// when avahi-daemon stops, it calls one that nobody set. With memory of zeroes it does not.
    static let prepared: Void = {
        // A daemon has said so before it had threads that read the environment.
        if getenv("AVAHI_COMPAT_NOWARN") == nil { setenv("AVAHI_COMPAT_NOWARN", "1", 1) }
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

    /// The likely fault behind an error that the layer reports as "unknown".
    static func fault(_ code: Int32) -> DiscoveryFault {
        switch Int(code) {
        case kDNSServiceErr_Unknown:
            switch SystemBus.met() {
            case .absent: .noSystemBus
            case .refuses: .busRefuses
            case .answers: .noDaemon
            }
        case kDNSServiceErr_Refused, kDNSServiceErr_NoAuth: .refused
        case kDNSServiceErr_NameConflict: .nameTaken
        default: .failed(code: code)
        }
    }
}
