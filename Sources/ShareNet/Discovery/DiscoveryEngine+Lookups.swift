internal import Dispatch

/// Looking up what browsing has shown.
extension DiscoveryEngine {
    func begin(_ sighting: Sighting, at now: ContinuousClock.Instant) {
        lookupsBegun &+= 1
        let number = lookupsBegun
        lookups[sighting] = Lookup(number: number, deadline: now + Lookup.resolveLimit)
        open(for: sighting) { queue, reply throws(ServiceError) in
            try ServiceReference.resolve(sighting, on: queue, reply: reply)
        }
    }

    /// Ends a lookup at its deadline or after a failure, with what it has brought.
    func end(_ sighting: Sighting) {
        guard let lookup = lookups.removeValue(forKey: sighting) else { return }
        lookup.close()
        noteChange()
        if lookup.finding?.addresses.isEmpty == false {
            neighbourhood.completed(sighting, at: .now)
        } else {
            neighbourhood.failed(sighting, at: .now, jitter: Double.random(in: 0..<1))
        }
    }

    private func open(
        for sighting: Sighting,
        by make: (DispatchQueue, @escaping @Sendable (ServiceReply) -> Void)
            throws(ServiceError) -> ServiceReference
    ) {
        guard let number = lookups[sighting]?.number else { return }
        do throws(ServiceError) {
            let reference = try make(executor.queue) { [weak self] reply in
                self?.assumeIsolated { $0.heard(reply, of: sighting, in: number) }
            }
            lookups[sighting]?.references.append(reference)
        } catch {
            end(sighting)
        }
    }

    private func heard(_ reply: ServiceReply, of sighting: Sighting, in number: UInt64) {
        guard lookups[sighting]?.number == number else { return }
        switch reply {
        case .resolved(let host, let port, let text):
            resolved(sighting, host: host, port: port, text: text)
        case .record(let type, let bytes, let added):
            heardAddress(of: sighting, type: type, bytes: bytes, added: added)
        case .failed:
            end(sighting)
        case .registered, .browsed:
            break
        }
        proceed()
    }

    private func resolved(_ sighting: Sighting, host: String, port: UInt16, text: [UInt8]) {
        guard var lookup = lookups[sighting], lookup.finding == nil else { return }
        lookup.close()
        lookup.references = []
        guard let text = ServiceText(text), port != 0 else { return end(sighting) }
        lookup.finding = Finding(
            text: text, port: port,
            interface: NetworkAddress.interfaceName(sighting.interface), learned: .now)
        lookup.deadline = .now + Lookup.addressLimit
        lookups[sighting] = lookup
        for type in [ServiceReference.typeA, ServiceReference.typeAAAA] {
            open(for: sighting) { queue, reply throws(ServiceError) in
                try ServiceReference.query(
                    host, type: type, interface: sighting.interface, on: queue, reply: reply)
            }
        }
    }

    private func heardAddress(of sighting: Sighting, type: UInt16, bytes: [UInt8], added: Bool) {
        guard var lookup = lookups[sighting], var finding = lookup.finding,
            let address = NetworkAddress.text(bytes, interface: finding.interface)
        else { return }
        if added { finding.insert(address) } else { finding.remove(address) }
        lookup.finding = finding
        lookup.families.insert(type)
        if lookup.families.count == 2 {
            lookup.deadline = min(lookup.deadline, .now + Lookup.furtherLimit)
        }
        lookups[sighting] = lookup
        neighbourhood.learned(finding, of: sighting)
        noteChange()
    }
}

/// A sighting being looked up: first host, port and TXT record, then the host's addresses. Its
/// references live no longer than that.
struct Lookup {
    /// How long host, port and TXT record may take; Avahi itself gives up after 5 s.
    static let resolveLimit = Duration.seconds(6)
    /// How long addresses may take: that a host has none of a family is never reported.
    static let addressLimit = Duration.seconds(2)
    /// How long to wait for further addresses once each family has given one.
    static let furtherLimit = Duration.milliseconds(300)

    /// Told apart from an earlier lookup of the same sighting.
    let number: UInt64
    var references: [ServiceReference] = []
    var finding: Finding?
    var families: Set<UInt16> = []
    var deadline: ContinuousClock.Instant

    /// Ends its references; nothing more is heard of them.
    func close() {
        for reference in references { reference.close() }
    }
}
