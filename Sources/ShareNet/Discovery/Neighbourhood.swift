internal import ShareCrypto

/// Which advertisements are around, what is known of each, and which to look up next: a value
/// without I/O, to which time is passed in.
struct Neighbourhood {
    /// The most advertisements that are remembered.
    static let most = 1_024
    /// How many may be looked up at once: each costs up to two references.
    static let mostLookups = 4
    /// A finding is looked up again after this, or after a second for each advertisement around
    /// where that is longer: nobody tells of a changed TXT record or of a vanished host.
    static let refreshInterval = Duration.seconds(60)
    /// Waits after failed lookups.
    static let retries = RetrySchedule(first: .seconds(1), longest: .seconds(60))
    /// After this many failures in a row, what was known no longer counts.
    static let mostFailures = 2

    private struct Entry {
        /// One for each IP family over which the instance is seen, so 1 or 2.
        var references = 1
        var finding: Finding?
        var failures = 0
        /// When to look it up next.
        var due: ContinuousClock.Instant
    }

    private var entries: [Sighting: Entry] = [:]
    private(set) var looking: Set<Sighting> = []

    var count: Int { entries.count }

    /// An advertisement was reported, once more or for the first time.
    mutating func appeared(_ sighting: Sighting, at now: ContinuousClock.Instant) {
        if entries[sighting] != nil {
            entries[sighting]?.references = 2
            return
        }
        if entries.count >= Neighbourhood.most {
            guard let useless = uselessSighting() else { return }
            entries[useless] = nil
        }
        entries[sighting] = Entry(due: now)
    }

    /// A report was taken back. True where it was the last of its sighting, which is forgotten.
    mutating func vanished(_ sighting: Sighting) -> Bool {
        guard let references = entries[sighting]?.references else { return false }
        if references > 1 {
            entries[sighting]?.references = references - 1
            return false
        }
        entries[sighting] = nil
        looking.remove(sighting)
        return true
    }

    /// The sighting to look up now, longest due first, which then counts as being looked up;
    /// nil where none is due or as many as allowed are under way.
    ///
    /// - Complexity: O(n) in the advertisements around.
    mutating func nextLookup(
        at now: ContinuousClock.Instant, preferring own: String?
    ) -> Sighting? {
        guard looking.count < Neighbourhood.mostLookups else { return nil }
        var best: (sighting: Sighting, due: ContinuousClock.Instant)?
        for (sighting, entry) in entries where entry.due <= now && !looking.contains(sighting) {
            if sighting.name == own, entry.finding == nil {
                best = (sighting, entry.due)
                break
            }
            guard let (bestSighting, bestDue) = best else {
                best = (sighting, entry.due)
                continue
            }
            if (entry.due, sighting) < (bestDue, bestSighting) { best = (sighting, entry.due) }
        }
        if let best { looking.insert(best.sighting) }
        return best?.sighting
    }

    /// Takes in what a lookup has brought so far.
    mutating func learned(_ finding: Finding, of sighting: Sighting) {
        guard looking.contains(sighting) else { return }
        entries[sighting]?.finding = finding
    }

    /// A lookup has ended well.
    mutating func completed(_ sighting: Sighting, at now: ContinuousClock.Instant) {
        guard looking.remove(sighting) != nil else { return }
        let due = now + refreshInterval
        entries[sighting]?.failures = 0
        entries[sighting]?.due = due
    }

    /// A lookup has ended without an answer, or with one that is not ours.
    ///
    /// - Parameter jitter: a random number from 0 up to 1.
    mutating func failed(
        _ sighting: Sighting, at now: ContinuousClock.Instant, jitter: Double
    ) {
        guard looking.remove(sighting) != nil, var entry = entries[sighting] else { return }
        entry.failures += 1
        entry.due = now + Neighbourhood.retries.delay(after: entry.failures, jitter: jitter)
        if entry.failures >= Neighbourhood.mostFailures { entry.finding = nil }
        entries[sighting] = entry
    }

    /// Makes every sighting due.
    mutating func refresh(at now: ContinuousClock.Instant) {
        for sighting in Array(entries.keys) { entries[sighting]?.due = now }
    }

    /// Forgets everything: the service that told of it is gone.
    mutating func forgetAll() {
        entries = [:]
        looking = []
    }

    /// When the next lookup falls due; nil where none will, or none may start before another
    /// ends.
    var wake: ContinuousClock.Instant? {
        guard looking.count < Neighbourhood.mostLookups else { return nil }
        return entries.lazy.filter { !looking.contains($0.key) }.map(\.value.due).min()
    }

    /// The findings of all sightings that have one, newest first.
    var findings: [(sighting: Sighting, finding: Finding)] {
        entries.compactMap { sighting, entry in entry.finding.map { (sighting, $0) } }
            .sorted { ($1.finding.learned, $0.sighting) < ($0.finding.learned, $1.sighting) }
    }

    private var refreshInterval: Duration {
        max(Neighbourhood.refreshInterval, .seconds(entries.count))
    }

    /// The sighting that makes room when there is none: the one that has failed most often, never
    /// one with a finding.
    private func uselessSighting() -> Sighting? {
        entries.lazy
            .filter {
                $0.value.failures > 0 && $0.value.finding == nil && !looking.contains($0.key)
            }
            .max { ($0.value.failures, $0.key) < ($1.value.failures, $1.key) }?.key
    }
}

extension Neighbourhood {
    /// The most addresses told of one device: whoever advertises another's key cannot make us
    /// dial without end.
    static let mostAddressesOfPeer = 16

    /// The devices other than `own`, ordered by key. Where one advertises itself several times,
    /// the newest finding decides, and the addresses of all that name the same port count.
    func peers(except own: DeviceKey) -> [DiscoveredPeer] {
        peers { $0.finding.text.device != own }
    }

    /// Others that advertise `own`, under another name than `name`; none while that is not known.
    func duplicates(of own: DeviceKey, besides name: String?) -> [DiscoveredPeer] {
        guard let name else { return [] }
        return peers { $0.finding.text.device == own && $0.sighting.name != name }
    }

    private func peers(
        where isMeant: ((sighting: Sighting, finding: Finding)) -> Bool
    ) -> [DiscoveredPeer] {
        var grouped: [DeviceKey: [(sighting: Sighting, finding: Finding)]] = [:]
        for item in findings where isMeant(item) && !item.finding.addresses.isEmpty {
            grouped[item.finding.text.device, default: []].append(item)
        }
        return grouped.keys.sorted().compactMap { key in
            guard let items = grouped[key], let newest = items.first else { return nil }
            let alike = items.filter { $0.finding.port == newest.finding.port }
            return DiscoveredPeer(
                key: key,
                name: ServiceName.printable(newest.sighting.name),
                port: newest.finding.port,
                addresses: Neighbourhood.addresses(of: alike.map(\.finding)),
                rooms: newest.finding.text.rooms,
                protocolVersion: newest.finding.text.protocolVersion,
                interfaces: Set(alike.map(\.finding.interface)).sorted())
        }
    }

    /// Whether the advertisement of that device and name has been seen.
    func sees(_ own: DeviceKey, named name: String?) -> Bool {
        findings.contains { $0.finding.text.device == own && $0.sighting.name == name }
    }

    /// In turns from each finding, so that one cannot push out the others'; IPv4 first.
    private static func addresses(of findings: [Finding]) -> [String] {
        var chosen: [String] = []
        for turn in 0..<Finding.mostAddresses {
            for finding in findings where turn < finding.addresses.count {
                let address = finding.addresses[turn]
                guard chosen.count < mostAddressesOfPeer, !chosen.contains(address) else {
                    continue
                }
                chosen.append(address)
            }
        }
        let (v4, v6) = (chosen.filter { !$0.contains(":") }, chosen.filter { $0.contains(":") })
        return v4.sorted() + v6.sorted()
    }
}

/// One advertisement on one network interface.
struct Sighting: Hashable, Comparable, Sendable {
    /// The instance's name exactly as the network has it.
    let name: String
    /// The interface's index.
    let interface: UInt32

    static func < (a: Sighting, b: Sighting) -> Bool {
        a.name == b.name ? a.interface < b.interface : a.name < b.name
    }
}

/// The result so far of looking a sighting up.
struct Finding: Hashable, Sendable {
    let text: ServiceText
    let port: UInt16
    /// Numeric addresses in the order of their arrival, at most 8.
    var addresses: [String] = []
    /// The interface's name.
    let interface: String
    let learned: ContinuousClock.Instant

    static let mostAddresses = 8

    mutating func insert(_ address: String) {
        guard addresses.count < Finding.mostAddresses, !addresses.contains(address) else { return }
        addresses.append(address)
    }

    mutating func remove(_ address: String) {
        addresses.removeAll { $0 == address }
    }
}
