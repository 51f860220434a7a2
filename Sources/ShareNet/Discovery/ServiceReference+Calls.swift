internal import CDNSSD
internal import Dispatch

extension ServiceReference {
    /// The service type; a type has at most 15 characters, which the layer does not check.
    static let serviceType = "_shared._tcp"
    static let domain = "local"
    static let typeA: UInt16 = 1
    static let typeAAAA: UInt16 = 28
    private static let classInternet: UInt16 = 1

    /// Advertises a service on every interface.
    static func register(
        name: String, port: UInt16, text: [UInt8], on queue: DispatchQueue,
        reply: @escaping @Sendable (ServiceReply) -> Void
    ) throws(ServiceError) -> ServiceReference {
        try ServiceReference(on: queue, reply: reply) { handle, context in
            DNSServiceRegister(
                handle, 0, 0, name, serviceType, domain, nil, port.bigEndian,
                UInt16(text.count), text,
                { _, _, code, name, _, _, context in
                    guard let name, code == 0 else {
                        return ServiceReference.deliver(.failed(code: code), context)
                    }
                    ServiceReference.deliver(.registered(name: String(cString: name)), context)
                }, context)
        }
    }

    /// Reports every service of our type, once for each interface and IP family.
    static func browse(
        on queue: DispatchQueue, reply: @escaping @Sendable (ServiceReply) -> Void
    ) throws(ServiceError) -> ServiceReference {
        try ServiceReference(on: queue, reply: reply) { handle, context in
            DNSServiceBrowse(
                handle, 0, 0, serviceType, domain,
                { _, flags, interface, code, name, _, _, context in
                    guard let name, code == 0 else {
                        return ServiceReference.deliver(.failed(code: code), context)
                    }
                    let sighting = Sighting(name: String(cString: name), interface: interface)
                    let added = flags & UInt32(kDNSServiceFlagsAdd) != 0
                    ServiceReference.deliver(.browsed(sighting, added: added), context)
                }, context)
        }
    }

    /// Asks for host, port and TXT record of a sighting.
    static func resolve(
        _ sighting: Sighting, on queue: DispatchQueue,
        reply: @escaping @Sendable (ServiceReply) -> Void
    ) throws(ServiceError) -> ServiceReference {
        try ServiceReference(on: queue, reply: reply) { handle, context in
            DNSServiceResolve(
                handle, 0, sighting.interface, sighting.name, serviceType, domain,
                { _, _, _, code, _, host, port, length, text, context in
                    guard let host, code == 0 else {
                        return ServiceReference.deliver(.failed(code: code), context)
                    }
                    let bytes = UnsafeBufferPointer(
                        start: text, count: text == nil ? 0 : Int(length))
                    ServiceReference.deliver(
                        .resolved(
                            host: String(cString: host), port: UInt16(bigEndian: port),
                            text: Array(bytes)), context)
                }, context)
        }
    }

    /// Asks for the addresses of a host, of one family, on one interface.
    static func query(
        _ host: String, type: UInt16, interface: UInt32, on queue: DispatchQueue,
        reply: @escaping @Sendable (ServiceReply) -> Void
    ) throws(ServiceError) -> ServiceReference {
        try ServiceReference(on: queue, reply: reply) { handle, context in
            DNSServiceQueryRecord(
                handle, 0, interface, host, type, classInternet,
                { _, flags, _, code, _, type, _, length, data, _, context in
                    guard let data, code == 0 else {
                        return ServiceReference.deliver(.failed(code: code), context)
                    }
                    let bytes = UnsafeRawBufferPointer(start: data, count: Int(length))
                    let added = flags & UInt32(kDNSServiceFlagsAdd) != 0
                    ServiceReference.deliver(
                        .record(type: type, bytes: Array(bytes), added: added), context)
                }, context)
        }
    }

    private static func deliver(_ reply: ServiceReply, _ context: UnsafeMutableRawPointer?) {
        guard let context else { return }
        Unmanaged<ServiceReference>.fromOpaque(context).takeUnretainedValue().deliver(reply)
    }
}
